/// Notices a receiver that repeats itself bit for bit while the device is being moved.
///
/// Identical fixes alone are legal: some receivers hold their place when slow.
struct FrozenDetector: Sendable {
  private let configuration: LocationEngine.Configuration
  private var last: PositionReport?
  private var first: BootTime?
  private var count = 0
  private var deviation: Double?

  init(_ configuration: LocationEngine.Configuration) {
    self.configuration = configuration
  }

  /// Whether the receiver is frozen.
  var isFrozen: Bool {
    guard let first, let last else { return false }
    return count >= configuration.frozenFixes && last.receipt - first >= configuration.frozenSpan
  }

  /// Takes the standard deviation of the acceleration, in m/s²; nil when it is not known.
  mutating func note(deviation: Double?) {
    self.deviation = deviation
    if !isShaken { forgetRun() }
  }

  /// Counts a fix.
  mutating func note(_ report: PositionReport) {
    if !isShaken {
      forgetRun()
    } else if let last, first != nil, report.isSamePlaceAndMotion(as: last) {
      count += 1
    } else {
      first = report.receipt
      count = 1
    }
    last = report
  }

  /// Forgets the receiver's fixes: another one comes into use.
  mutating func reset() {
    last = nil
    forgetRun()
  }

  private var isShaken: Bool { (deviation ?? 0) > configuration.frozenDeviation }

  private mutating func forgetRun() {
    first = nil
    count = 0
  }
}

extension PositionReport {
  fileprivate func isSamePlaceAndMotion(as other: PositionReport) -> Bool {
    latitude?.bitPattern == other.latitude?.bitPattern
      && longitude?.bitPattern == other.longitude?.bitPattern
      && altitudeMSL?.bitPattern == other.altitudeMSL?.bitPattern
      && altitudeHAE?.bitPattern == other.altitudeHAE?.bitPattern
      && speed?.bitPattern == other.speed?.bitPattern
      && track?.bitPattern == other.track?.bitPattern
  }
}
