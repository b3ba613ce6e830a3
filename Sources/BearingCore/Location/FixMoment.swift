/// When a fix was, on both clocks: what the time between two fixes is reckoned from.
public struct FixMoment: BitwiseCopyable, Sendable, Equatable {
  /// A difference of UTC above this is a wrong date and no time that passed: a day.
  static var largestUTCStep: Int64 { 86_400 * Nanoseconds.second }

  /// When it was received.
  public var receipt: BootTime
  /// UTC in nanoseconds since 1970; nil when the receiver gave none.
  public var time: Int64?

  /// Nanoseconds from an earlier fix to this one.
  ///
  /// That of receipt or, when both have a UTC that rose by at most a day, the larger of the two:
  /// a recording may be played fast.
  func elapsed(since earlier: FixMoment) -> Int64 {
    let byReceipt = receipt - earlier.receipt
    guard let before = earlier.time, let after = time else { return byReceipt }
    let (byUTC, overflow) = after.subtractingReportingOverflow(before)
    guard !overflow, byUTC > 0, byUTC <= Self.largestUTCStep else { return byReceipt }
    return max(byReceipt, byUTC)
  }
}
