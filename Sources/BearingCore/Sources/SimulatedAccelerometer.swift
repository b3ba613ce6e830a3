internal import BearingModel
internal import Glibc

/// An accelerometer that is not there: a tablet that is turned through every pose, again and again.
public struct SimulatedAccelerometer: AccelerometerSources {
  /// Hertz that it can give.
  static let rates = 0.001...1000
  private static let listed: [Double] = [1, 10, 50, 100, 250, 500, 1000]

  /// One such device.
  public init() {}

  /// It stays.
  public var changes: SensorChanges { .never }

  /// Finds it.
  public func discovery() -> any Source<SensorListReport, SensorListDemand> {
    KnownSensors(sensors: [Self.sensor], summary: "simulated accelerometer", isSimulated: true)
  }

  /// Reads it.
  public func capture(_ sensor: DiscoveredSensor) -> any Source<SensorReport, SensorDemand> {
    SimulatedCapture()
  }

  private static let sensor = DiscoveredSensor(
    sensor: Sensor(
      identifier: "simulated0", path: "/simulated/accelerometer", name: "simulated",
      location: SensorChooser.defaultLocation, mode: SimulatedCapture.mode, rate: 0,
      availableRates: listed,
      scale: [SimulatedMotion.step, SimulatedMotion.step, SimulatedMotion.step],
      mountMatrix: MountMatrix.identity.numbers, mountMatrixSource: "none", signNegated: false,
      simulated: true, warnings: []),
    label: nil, isRemovable: false, unusable: nil)
}

/// Samples of the simulated device, at any rate up to 1 kHz.
private struct SimulatedCapture: Source {
  static let mode = "simulation"

  var summary: String { "simulated accelerometer" }
  var isSimulated: Bool { true }

  func run(_ port: SourcePort<SensorReport, SensorDemand>) {
    let start = BootTime.now()
    while !port.isStopping {
      let rate = min(
        max(port.demand.rate, SimulatedAccelerometer.rates.lowerBound),
        SimulatedAccelerometer.rates.upperBound)
      let clock = SamplingClock(rate: rate)
      port.post(state: .running(mode: Self.mode, rate: rate))
      var next = clock.next(after: .now())
      while port.wait(until: next) == .deadline {
        let vector = SimulatedMotion.vector(after: next - start)
        port.post(sample: .sample(time: next, x: vector.x, y: vector.y, z: vector.z))
        // One after the other, also when the machine was too busy to be in time.
        next = clock.next(after: next)
      }
    }
  }
}

/// How the simulated device moves: it rests in a pose, and is turned to the next.
enum SimulatedMotion {
  /// Metres per second squared for a raw step: the noise shows in it.
  static let step = 0.0006
  /// The noise's standard deviation in metres per second squared, as of a common chip at 100 Hz.
  static let noise = 0.02
  /// Nanoseconds of rest in a pose.
  static let restTime = 4 * Nanoseconds.second
  /// Nanoseconds of turning to the next.
  static let turnTime = Nanoseconds.second

  /// The directions that point up, in the device's axes: upright, each edge up in turn, back to
  /// upright, tilted back, face up, and face down over the other edge.
  static let poses: [SIMD3<Double>] = [
    SIMD3(0, 1, 0), SIMD3(1, 0, 0), SIMD3(0, -1, 0), SIMD3(-1, 0, 0), SIMD3(0, 1, 0),
    SIMD3(0, 0.8, 0.6), SIMD3(0, 0, 1), SIMD3(0.8, 0, 0.6), SIMD3(0, 0, -1), SIMD3(0, 0.8, -0.6),
  ]

  /// The vector that long after the start, in metres per second squared; the same each time.
  static func vector(after elapsed: Int64) -> SIMD3<Double> {
    let leg = restTime + turnTime
    let number = Int(elapsed / leg)
    let pose = poses[number % poses.count]
    let turned = Double(max(0, elapsed % leg - restTime)) / Double(turnTime)
    let up = turn(pose, poses[(number + 1) % poses.count], by: turned)
    return up * Gravity.standard + noise(at: elapsed)
  }

  /// On the shortest arc from one direction to the other: the device turns at a constant rate.
  private static func turn(
    _ from: SIMD3<Double>, _ to: SIMD3<Double>, by share: Double
  ) -> SIMD3<Double> {
    let angle = acos(max(-1, min(1, (from * to).sum())))
    guard share > 0, angle > 0 else { return from }
    let fromShare = sin((1 - share) * angle)
    let toShare = sin(share * angle)
    return (from * fromShare + to * toShare) / sin(angle)
  }

  /// Normal noise (Box and Muller, 1958) from the time alone, so that a run can be repeated.
  private static func noise(at elapsed: Int64) -> SIMD3<Double> {
    var random = SplitMix64(state: UInt64(bitPattern: elapsed))
    func normal() -> Double {
      let radius = (-2 * log(random.unit())).squareRoot()
      return radius * cos(2 * .pi * random.unit())
    }
    return SIMD3(normal(), normal(), normal()) * noise
  }
}

/// Steele, Lea and Flood: Fast splittable pseudorandom number generators, 2014.
private struct SplitMix64 {
  var state: UInt64

  /// Above 0, at most 1.
  mutating func unit() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return (Double(bits >> 11) + 1) / Double(1 << 53)
  }
}
