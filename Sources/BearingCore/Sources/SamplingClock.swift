/// When a source that asks its device takes samples: in the middle of each period of CLOCK_BOOTTIME.
///
/// A little early or late, such a sample still falls into the period of the streams it belongs to;
/// and since the moments are absolute, lateness never adds up.
struct SamplingClock {
  /// Nanoseconds from one sample to the next.
  let period: Int64

  /// For that many hertz.
  init(rate: Double) {
    self.init(period: Int64((Double(Nanoseconds.second) / rate).rounded()))
  }

  init(period: Int64) {
    self.period = period
  }

  /// The first moment for a sample that comes after `moment`.
  func next(after moment: BootTime) -> BootTime {
    let half = period / 2
    return BootTime(nanoseconds: (moment.nanoseconds + period - half) / period * period + half)
  }
}
