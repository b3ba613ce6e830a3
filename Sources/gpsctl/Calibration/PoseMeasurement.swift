internal import BearingModel
internal import Varlink

/// What a sensor gave in one pose.
struct PoseMeasurement: Sendable, Equatable {
  let pose: Pose
  /// Metres per second squared, in the sensor's own axes, by its driver's scale.
  let vector: SIMD3<Double>
  /// Metres per second squared: the standard deviation of all axes together.
  let deviation: Double
  /// The kernel's name for the sensor.
  let sensor: String
  /// Its lasting place in the machine.
  let path: String

  /// One line for people.
  var text: String {
    let values = zip(["x", "y", "z"], [vector.x, vector.y, vector.z]).map { axis, value in
      "\(axis) \(fixedPoint(value, decimals: 3))"
    }
    return "\(HelpText.padded(pose.rawValue, to: 9)) \(values.joined(separator: "  "))"
      + "  m/s², deviation \(fixedPoint(deviation, decimals: 3))"
  }

  /// One JSON object, as `init(parsing:)` reads it.
  var json: JSON {
    .object([
      "pose": .string(pose.rawValue), "x": .double(vector.x), "y": .double(vector.y),
      "z": .double(vector.z), "deviation": .double(deviation), "sensor": .string(sensor),
      "path": .string(path),
    ])
  }

  init(
    pose: Pose, vector: SIMD3<Double>, deviation: Double, sensor: String, path: String
  ) {
    self.pose = pose
    self.vector = vector
    self.deviation = deviation
    self.sensor = sensor
    self.path = path
  }

  /// From a line of JSON; nil when it is no measurement.
  init?(parsing line: some Collection<UInt8>) {
    guard let json = try? JSON(parsing: Array(line)),
      let pose = json["pose"]?.string.flatMap(Pose.init), let x = json["x"]?.number,
      let y = json["y"]?.number, let z = json["z"]?.number, let sensor = json["sensor"]?.string,
      let path = json["path"]?.string
    else { return nil }
    self.init(
      pose: pose, vector: SIMD3(x, y, z), deviation: json["deviation"]?.number ?? 0,
      sensor: sensor, path: path)
  }
}

/// The newest samples of a sensor, and whether they are of a device at rest.
struct RestWindow: Sendable {
  /// Microseconds of rest that are averaged.
  static let length = 1_500_000
  /// Samples of a slow sensor at least.
  static let leastCount = 8
  /// (m/s²)², summed over the axes, below which the device is at rest: four times the noise of
  /// 0.05 m/s² on each axis.
  static let restVariance = 4 * 3 * 0.05 * 0.05

  private var samples: [(time: Int, vector: SIMD3<Double>)] = []

  mutating func add(_ sample: AccelerationSample) {
    samples.append((sample.bootTimestamp, SIMD3(sample.x, sample.y, sample.z)))
    while samples.count > Self.leastCount, sample.bootTimestamp - samples[1].time >= Self.length {
      samples.removeFirst()
    }
  }

  mutating func clear() { samples = [] }

  private var isFull: Bool {
    guard let first = samples.first, let last = samples.last else { return false }
    return samples.count >= Self.leastCount && last.time - first.time >= Self.length
  }

  private var mean: SIMD3<Double> {
    samples.reduce(into: .zero) { $0 += $1.vector } / Double(max(1, samples.count))
  }

  /// (m/s²)², summed over the axes; 0 without samples.
  private var variance: Double {
    let mean = mean
    let sum = samples.reduce(0) { sum, sample in
      sum + ((sample.vector - mean) * (sample.vector - mean)).sum()
    }
    return sum / Double(max(1, samples.count))
  }

  /// Metres per second squared.
  var deviation: Double { variance.squareRoot() }

  /// The mean, in metres per second squared; nil while the device is not known to be at rest.
  var atRest: SIMD3<Double>? { isFull && variance < Self.restVariance ? mean : nil }
}
