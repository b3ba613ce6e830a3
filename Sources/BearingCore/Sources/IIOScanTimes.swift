/// When the samples of a buffer were taken, on CLOCK_BOOTTIME: strictly rising, never in the future.
///
/// The kernel's own time is used where it can be true. Some drivers stamp all samples alike on a
/// trigger that is not their own (kxcjk1013), a clock that is set jumps, and a sensor's own clock can
/// be off; then the time follows from the rate and from when the samples were read.
struct IIOScanTimes {
  /// The wire tells times in microseconds, and no two samples the same.
  static let least = Nanoseconds.microsecond

  /// Hertz of the samples.
  var rate = 1.0
  private var last: BootTime
  private var wasStamped = false

  /// Of a buffer that was off at `start`.
  init(start: BootTime) {
    last = start
  }

  /// The time of the sample with `later` others behind it, all read at `now`.
  ///
  /// `stamp` is the kernel's time for it, nil when there is none.
  mutating func next(_ stamp: BootTime?, later: Int, now: BootTime) -> BootTime {
    let earliest = last + Self.least
    if let stamp, stamp >= earliest, stamp <= now {
      wasStamped = true
      last = stamp
      return stamp
    }
    let period = Int64((Double(Nanoseconds.second) / rate).rounded())
    // One bad stamp among good ones: a period on. Without any: back from when they were read.
    let guess = wasStamped ? last + period : now + -Int64(later) * period
    wasStamped = false
    last = max(earliest, min(guess, now))
    return last
  }
}
