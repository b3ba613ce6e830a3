/// Notices after the fact that the machine was suspended: CLOCK_BOOTTIME goes on meanwhile,
/// CLOCK_MONOTONIC does not.
///
/// It is asked before each timer's handler: the timers that fell due in the suspend are the first to
/// run after it, and what they find overdue must not be held against devices and clients.
final class SuspendWatch {
  /// Nanoseconds of a suspend that matters: a shorter one is like a busy processor.
  static let least = Nanoseconds.second

  private let asleep: () -> Int64
  private var before: Int64
  private var observers: [(Int64) -> Void] = []

  /// A watch on a clock that tells how many nanoseconds the machine has been suspended since boot.
  init(asleep: @escaping () -> Int64) {
    self.asleep = asleep
    before = asleep()
  }

  /// Calls `observer` after each suspend with the nanoseconds that it took.
  func onResume(_ observer: @escaping (Int64) -> Void) { observers.append(observer) }

  /// Looks whether there was a suspend since the last look.
  func look() {
    let slept = asleep() - before
    guard slept >= Self.least else { return }
    before += slept
    for observer in observers { observer(slept) }
  }
}
