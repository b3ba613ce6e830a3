internal import CLinux
internal import Glibc

/// A moment on CLOCK_BOOTTIME, which goes on in suspend and never steps: the clock of every age,
/// filter and timer.
public struct BootTime: Sendable, Hashable, Comparable, BitwiseCopyable {
  /// Nanoseconds since the machine started.
  public var nanoseconds: Int64

  /// The moment that many nanoseconds after the machine started.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// A moment of this boot that was stored, in microseconds; nil when it is none that has passed.
  init?(past microseconds: Int) {
    guard (0...Self.now().microseconds).contains(microseconds) else { return nil }
    self.init(nanoseconds: Int64(microseconds) * Nanoseconds.microsecond)
  }

  /// Now.
  public static func now() -> BootTime {
    BootTime(nanoseconds: read(CLOCK_BOOTTIME))
  }

  /// Nanoseconds that the machine has been suspended since it started, less than a millisecond off.
  public static func asleep() -> Int64 { asleep(by: read) }

  /// The same by other clocks.
  ///
  /// The process may be stopped between two looks at them, for long, which is no suspend: then it looks
  /// again.
  static func asleep(by clock: (clockid_t) -> Int64) -> Int64 {
    while true {
      let before = clock(CLOCK_MONOTONIC)
      let now = clock(CLOCK_BOOTTIME)
      if clock(CLOCK_MONOTONIC) - before < Nanoseconds.millisecond { return now - before }
    }
  }

  /// Microseconds, as the wire has it.
  public var microseconds: Int { Int(nanoseconds / Nanoseconds.microsecond) }

  /// Whether `lhs` is earlier.
  public static func < (lhs: BootTime, rhs: BootTime) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
  /// Nanoseconds from `rhs` to `lhs`.
  public static func - (lhs: BootTime, rhs: BootTime) -> Int64 { lhs.nanoseconds - rhs.nanoseconds }
  /// The moment that many nanoseconds later.
  public static func + (lhs: BootTime, rhs: Int64) -> BootTime {
    BootTime(nanoseconds: lhs.nanoseconds + rhs)
  }

  /// Nanoseconds that a clock shows.
  static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * Nanoseconds.second + Int64(time.tv_nsec)
  }
}

/// The system's idea of UTC, which may be wrong or step: only ever compared with a receiver's.
enum SystemTime {
  /// systemd-timesyncd touches it each time that it has set the clock in this boot.
  private static let timesyncStamp = "/run/systemd/timesync/synchronized"

  /// Microseconds since 1970.
  static func nowMicroseconds() -> Int {
    Int(BootTime.read(CLOCK_REALTIME) / Nanoseconds.microsecond)
  }

  /// UTC minus CLOCK_BOOTTIME in nanoseconds; nil while nothing keeps the clock synchronised.
  ///
  /// A service with ProtectClock= may not even read the kernel's state: there the daemon that sets
  /// the clock is believed when it is systemd's.
  static func synchronisedOffset() -> Int64? {
    let state = clinux_clock_is_synchronised()
    let isSynchronised = state < 0 ? Files.exists(timesyncStamp) : state == 1
    guard isSynchronised else { return nil }
    return BootTime.read(CLOCK_REALTIME) - BootTime.read(CLOCK_BOOTTIME)
  }
}

/// The clock that systemd dates notifications with.
enum MonotonicTime {
  /// Microseconds since the machine started, without the time in suspend.
  static func nowMicroseconds() -> Int {
    Int(BootTime.read(CLOCK_MONOTONIC) / Nanoseconds.microsecond)
  }
}

/// Lengths of time in nanoseconds.
public enum Nanoseconds {
  /// A thousand nanoseconds.
  public static let microsecond: Int64 = 1_000
  /// A million nanoseconds.
  public static let millisecond: Int64 = 1_000_000
  /// A thousand million nanoseconds.
  public static let second: Int64 = 1_000_000_000
}
