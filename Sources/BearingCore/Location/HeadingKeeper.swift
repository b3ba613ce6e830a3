internal import BearingModel

/// Keeps the newest heading, of one receiver at a time.
struct HeadingKeeper: Sendable {
  private let configuration: LocationEngine.Configuration
  /// The newest heading; nil before the first.
  private(set) var heading: Heading?
  private var source: String?
  private var lastReceipt: BootTime?
  private var rhythm: Rhythm

  init(_ configuration: LocationEngine.Configuration) {
    self.configuration = configuration
    rhythm = Rhythm(epochs: configuration.periodEpochs)
  }

  /// The median step of the last headings in nanoseconds; nil before the second.
  var medianPeriod: Int64? { rhythm.median }

  /// Takes an attitude in; gives the heading to tell, nil when it is none.
  ///
  /// A compass need not be the receiver that gives the position. One heading is followed at a time:
  /// the one of the receiver in use when it has any, else whichever came first and goes on.
  mutating func note(_ report: AttitudeReport, active: String?) -> Heading? {
    guard let (degrees, reference) = Self.direction(of: report), follows(report, active: active)
    else { return nil }
    if report.receiver != source { rhythm = Rhythm(epochs: configuration.periodEpochs) }
    source = report.receiver
    lastReceipt = report.receipt
    rhythm.note(report.receipt)
    var heading = Heading(
      bootTimestamp: report.receipt.microseconds, heading: degrees, reference: reference,
      simulated: configuration.simulated)
    heading.pitch = report.pitch.flatMap { (-90...90).contains($0) ? $0 : nil }
    heading.roll = report.roll.flatMap { (-180...180).contains($0) ? $0 : nil }
    heading.receiver = report.receiver
    self.heading = heading
    return heading
  }

  private func follows(_ report: AttitudeReport, active: String?) -> Bool {
    guard let lastReceipt, report.receiver != source, report.receiver != active else { return true }
    return report.receipt - lastReceipt >= configuration.leaveAfter
  }

  /// What is no direction is not made one: gpsd hands on a compass's 14223 as it stands.
  private static func direction(of report: AttitudeReport) -> (Double, HeadingReference)? {
    let whole = 360.0
    let candidates: [(Double?, HeadingReference)] = [
      (report.trueHeading, .trueNorth), (report.magneticHeading, .magneticNorth),
    ]
    for case (let degrees?, let reference) in candidates where (0...whole).contains(degrees) {
      return (degrees == whole ? 0 : degrees, reference)
    }
    return nil
  }
}
