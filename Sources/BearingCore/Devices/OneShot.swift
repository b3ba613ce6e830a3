internal import BearingModel

/// A call of GetFix that waits for a fix good enough, or for its time to be up.
struct OneShot {
  /// The call.
  let exchange: Exchange
  /// The largest horizontalAccuracy that answers it, in metres; nil for any.
  let accuracy: Double?
  /// Whether it takes the most accurate fix since the call when none was good enough.
  let bestEffort: Bool
  /// When its time is up.
  let deadline: BootTime
  /// The most accurate fix since the call, and when it was received.
  private(set) var best: (fix: Fix, receipt: BootTime)?

  init(exchange: Exchange, accuracy: Double?, bestEffort: Bool, deadline: BootTime) {
    self.exchange = exchange
    self.accuracy = accuracy
    self.bestEffort = bestEffort
    self.deadline = deadline
  }

  /// Whether a fix answers the call.
  func accepts(_ fix: Fix) -> Bool {
    guard let accuracy else { return true }
    guard let horizontalAccuracy = fix.horizontalAccuracy else { return false }
    return horizontalAccuracy <= accuracy
  }

  /// Keeps a fix when it is the most accurate since the call; of equal ones the newest.
  mutating func note(_ fix: Fix, receipt: BootTime) {
    let new = fix.horizontalAccuracy ?? .infinity
    if let best, best.fix.horizontalAccuracy ?? .infinity < new { return }
    best = (fix, receipt)
  }

  /// Answers the call because its time is up.
  func expire(state: LocationState) {
    if bestEffort, let best {
      answer(best.fix, receipt: best.receipt, asBestEffort: true)
    } else {
      exchange.fail("Timeout") { $0.member("state", state.rawValue) }
    }
  }

  /// Answers the call with a fix.
  func answer(_ fix: Fix, receipt: BootTime, asBestEffort: Bool) {
    let age = BootTime.now() - receipt
    exchange.reply { writer in
      writer.key("fix")
      writer.value(fix)
      writer.member("age", Int(age / Nanoseconds.millisecond))
      writer.member("bestEffort", asBestEffort)
    }
  }
}
