/// Decides whether a receiver's UTC can be believed; no position ever depends on it.
struct TimeTrust: Sendable {
  private let configuration: LocationEngine.Configuration
  private var last: (time: Int64, receipt: BootTime)?
  private var count = 0
  private var isTrusted = false

  init(_ configuration: LocationEngine.Configuration) {
    self.configuration = configuration
  }

  /// Whether the report's time is trusted, given what came before it.
  ///
  /// A 2D fix builds no trust and, as long as its time goes on as it should, costs none.
  /// `clockOffset` is UTC of the system clock minus CLOCK_BOOTTIME in nanoseconds, nil when the
  /// system clock is not synchronised.
  mutating func note(_ report: PositionReport, clockOffset: Int64?) -> Bool {
    guard let time = report.time, isPlausible(time, at: report.receipt, clockOffset) else {
      reset()
      return false
    }
    if let last {
      let drift = (time - last.time) - (report.receipt - last.receipt)
      if drift.magnitude > UInt64(configuration.trustStep) { reset() }
    }
    last = (time, report.receipt)
    if report.mode >= 3 { count = min(count + 1, configuration.trustFixes) }
    if report.mode < 3, !isTrusted { count = 0 }
    if count >= configuration.trustFixes { isTrusted = true }
    return isTrusted
  }

  private func isPlausible(_ time: Int64, at receipt: BootTime, _ clockOffset: Int64?) -> Bool {
    let end = configuration.trustFrom + configuration.trustSpan
    guard time >= configuration.trustFrom, time <= end else { return false }
    guard let clockOffset else { return true }
    let difference = time - (receipt.nanoseconds + clockOffset)
    return difference.magnitude <= UInt64(configuration.trustClock)
  }

  private mutating func reset() {
    last = nil
    count = 0
    isTrusted = false
  }
}
