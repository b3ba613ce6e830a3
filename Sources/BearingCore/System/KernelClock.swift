internal import Glibc

/// The clocks by which the kernel dates events of devices, in its own words.
enum KernelClock: String, Sendable {
  case realtime, monotonic, boottime, tai
  case monotonicRaw = "monotonic_raw"
  case realtimeCoarse = "realtime_coarse"
  case monotonicCoarse = "monotonic_coarse"

  /// The clock's readings are compared so many times; the quickest comparison counts.
  private static let attempts = 3

  /// Nanoseconds to add to a moment of this clock, to have it on CLOCK_BOOTTIME; as of now.
  ///
  /// It changes when the clock is set, and with each suspend.
  func offset() -> Int64 {
    guard self != .boottime else { return 0 }
    var best = (took: Int64.max, offset: Int64(0))
    for _ in 0..<Self.attempts {
      let before = BootTime.now().nanoseconds
      let reading = BootTime.read(clock)
      let took = BootTime.now().nanoseconds - before
      if took < best.took { best = (took, before + took / 2 - reading) }
    }
    return best.offset
  }

  /// The coarse clocks are those of their name, read less often.
  private var clock: clockid_t {
    switch self {
    case .realtime, .realtimeCoarse: CLOCK_REALTIME
    case .monotonic, .monotonicCoarse: CLOCK_MONOTONIC
    case .monotonicRaw: CLOCK_MONOTONIC_RAW
    case .boottime: CLOCK_BOOTTIME
    case .tai: CLOCK_TAI
    }
  }
}
