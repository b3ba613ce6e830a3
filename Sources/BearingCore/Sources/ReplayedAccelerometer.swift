internal import BearingModel
internal import Varlink

/// A recording of accelerations, as `gpsctl watch acceleration --json` writes it, played by the
/// times in it.
///
/// The end of the file is silence, as from a sensor that says nothing more.
public struct ReplayedAccelerometer: AccelerometerSources {
  private let file: String

  /// Plays `file`, from its beginning for each first listener.
  public init(file: String) {
    self.file = file
  }

  /// It stays.
  public var changes: SensorChanges { .never }

  /// Finds it; whether the file can be read is seen when it is played.
  public func discovery() -> any Source<SensorListReport, SensorListDemand> {
    KnownSensors(sensors: [Self.sensor], summary: summary, isSimulated: true)
  }

  /// Plays it.
  public func capture(_ sensor: DiscoveredSensor) -> any Source<SensorReport, SensorDemand> {
    ReplayedCapture(file: file, summary: summary)
  }

  private var summary: String { "the recording \(file)" }

  private static let sensor = DiscoveredSensor(
    sensor: Sensor(
      identifier: "replayed0", path: "/replayed/accelerometer", name: "recording",
      location: SensorChooser.defaultLocation, mode: ReplayedCapture.mode, rate: 0,
      availableRates: [],
      // Not known. So coarse that a recording which repeats itself is not taken for a fault.
      scale: [1, 1, 1],
      mountMatrix: MountMatrix.identity.numbers, mountMatrixSource: "none", signNegated: false,
      simulated: true, warnings: []),
    label: nil, isRemovable: false, unusable: nil)
}

private struct ReplayedCapture: Source {
  static let mode = "replay"
  /// More is no recording, but a mistake.
  private static let largestFile = 256 * Bytes.mebi
  /// Samples that the rate is taken from.
  private static let rateSamples = 100

  let file: String
  let summary: String
  var isSimulated: Bool { true }

  func run(_ port: SourcePort<SensorReport, SensorDemand>) {
    do throws(SystemError) {
      let lines = try Files.read(file, atMost: Self.largestFile).split(
        separator: UInt8(ascii: "\n"))
      play(lines, port)
    } catch {
      port.post(state: .failing(reason: "no recording to play: \(error)"))
    }
    while !port.isStopping { _ = port.wait() }
  }

  private func play(_ lines: [ArraySlice<UInt8>], _ port: SourcePort<SensorReport, SensorDemand>) {
    let first = lines.lazy.flatMap(RecordedSample.all).prefix(Self.rateSamples)
    guard let rate = Self.rate(of: first.map(\.time)) else {
      port.post(state: .failing(reason: "\(file) is no recording of accelerations"))
      return
    }
    port.post(state: .running(mode: Self.mode, rate: rate))
    var pace = ReplayPace()
    var due = BootTime.now()
    for sample in lines.lazy.flatMap(RecordedSample.all) {
      due = due + pace.step(to: sample.time)
      while BootTime.now() < due {
        _ = port.wait(until: due)
        if port.isStopping { return }
      }
      if port.isStopping { return }
      port.post(sample: .sample(time: due, x: sample.x, y: sample.y, z: sample.z))
    }
  }

  /// Hertz, by the median step of rising times; 1 where there is none, nil without any time.
  static func rate(of times: [Int64]) -> Double? {
    guard !times.isEmpty else { return nil }
    let steps = zip(times, times.dropFirst()).compactMap { before, time in
      let (step, overflow) = time.subtractingReportingOverflow(before)
      return !overflow && (1...ReplayPace.longestStep).contains(step) ? step : nil
    }.sorted()
    guard !steps.isEmpty else { return 1 }
    return Double(Nanoseconds.second) / Double(steps[steps.count / 2])
  }
}

/// One sample of a recording, in the device's frame.
private struct RecordedSample {
  /// Nanoseconds on the clock of the recording's boot.
  let time: Int64
  let x: Double
  let y: Double
  let z: Double

  /// Those of a reply, in order; none of a line that is no reply with samples.
  static func all(_ line: ArraySlice<UInt8>) -> [RecordedSample] {
    guard let reply = try? JSON(parsing: Array(line)) else { return [] }
    return (reply["samples"]?.array ?? []).compactMap { sample in
      guard let time = sample["bootTimestamp"]?.integer,
        let x = sample["x"]?.number, let y = sample["y"]?.number, let z = sample["z"]?.number
      else { return nil }
      let (nanoseconds, overflow) = time.multipliedReportingOverflow(by: Nanoseconds.microsecond)
      return overflow ? nil : RecordedSample(time: nanoseconds, x: x, y: y, z: z)
    }
  }
}
