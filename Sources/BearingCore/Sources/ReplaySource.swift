/// A recording of what gpsd wrote, one JSON object a line, played by the times in its TPVs.
///
/// The end of the file is silence, as from a receiver that says nothing more.
public struct ReplaySource: Source {
  private let file: String
  private let speed: Double

  /// More is no recording, but a mistake.
  private static let largestFile = 256 * Bytes.mebi

  /// Plays `file` so many times as fast as it was recorded.
  public init(file: String, speed: Double = 1) {
    self.file = file
    self.speed = speed > 0 && speed.isFinite ? speed : 1
  }

  /// The recording's name.
  public var summary: String { "the recording \(file)" }
  /// A recording is not of now.
  public var isSimulated: Bool { true }

  /// Plays the file once, then waits until the port says stop.
  public func run(_ port: SourcePort<GnssReport, GnssDemand>) {
    do throws(SystemError) {
      try play(Files.read(file, atMost: Self.largestFile), port)
    } catch {
      port.post(state: .connecting(detail: "no recording to play: \(error)"))
    }
    while !port.isStopping { _ = port.wait() }
  }

  private func play(_ bytes: [UInt8], _ port: SourcePort<GnssReport, GnssDemand>) {
    guard let parser = GpsdParser() else { return }
    var reports = GpsdReports()
    var pace = ReplayPace()
    var due = BootTime.now()
    port.post(state: .connected)
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard var message = parser.message(line, receipt: due) else { continue }
      if case .position(let position) = message {
        due = due + Int64(Double(pace.step(to: position.time)) / speed)
        while BootTime.now() < due {
          _ = port.wait(until: due)
          if port.isStopping { return }
        }
      }
      if port.isStopping { return }
      message.receive(at: BootTime.now())
      for report in reports.reports(of: message) { port.post(report) }
    }
  }
}

/// How much time passes in a recording from one TPV to the next.
struct ReplayPace {
  /// What passes where the times do not tell: from one TPV without time to the next, and where the
  /// receiver's clock was set.
  static let assumedStep = Nanoseconds.second
  /// A longer step is a clock that was set, and not a pause that anyone wants to sit through.
  static let longestStep = 600 * Nanoseconds.second

  private var last: Int64?
  private var hasBegun = false

  /// Nanoseconds from the TPV before to one with this time; 0 for the first.
  mutating func step(to time: Int64?) -> Int64 {
    defer {
      last = time
      hasBegun = true
    }
    guard hasBegun else { return 0 }
    guard let last, let time else { return Self.assumedStep }
    let (step, overflow) = time.subtractingReportingOverflow(last)
    return overflow || step < 0 || step > Self.longestStep ? Self.assumedStep : step
  }
}

extension GpsdMessage {
  /// Says when the message came, where it is one that tells.
  fileprivate mutating func receive(at moment: BootTime) {
    switch self {
    case .position(var position):
      position.receipt = moment
      self = .position(position)
    case .sky(var sky):
      sky.receipt = moment
      self = .sky(sky)
    case .attitude(var attitude):
      attitude.receipt = moment
      self = .attitude(attitude)
    case .devices, .device, .other: break
    }
  }
}
