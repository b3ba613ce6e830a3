/// Whether what a sensor gives can be a measurement: it is not when it is all zero, at the sensor's
/// limits, the same to the last bit for seconds, or beyond every sensor.
struct Plausibility: Sendable {
  /// Nanoseconds of identical vectors from which the sensor counts as frozen.
  static let frozenTime = 5 * Nanoseconds.second
  /// Hertz at or below which identical vectors are no sign: some sensors then give means.
  static let frozenRate = 5.0
  /// Metres per second squared: a raw step coarser than this hides the noise of a sensor at rest.
  static let coarseStep = 0.05
  /// Metres per second squared, 100 000 g: more than shock sensors measure.
  static let most = 1e6

  /// What is wrong, for people.
  enum Fault: String, Sendable {
    case zero = "the sensor gives zero on every axis"
    case saturated = "the sensor gives its limit on every axis"
    case frozen = "the sensor gives the same vector, without noise"
    case impossible = "the sensor gives what no acceleration can be"
  }

  private let isNoiseExpected: Bool
  private var x = 0.0
  private var y = 0.0
  private var z = 0.0
  private var since = BootTime(nanoseconds: 0)
  private var repeats = -1

  /// For a sensor whose raw steps are `scale` metres per second squared.
  init(scale: [Double]) {
    isNoiseExpected = scale.allSatisfy { abs($0) <= Self.coarseStep }
  }

  /// Judges the next vector.
  mutating func judge(
    x: Double, y: Double, z: Double, isSaturated: Bool, time: BootTime
  ) -> Fault? {
    // Not so of NaN either.
    guard abs(x) <= Self.most, abs(y) <= Self.most, abs(z) <= Self.most else { return .impossible }
    if repeats >= 0, x == self.x, y == self.y, z == self.z {
      repeats += 1
    } else {
      (self.x, self.y, self.z) = (x, y, z)
      since = time
      repeats = 0
    }
    if x == 0, y == 0, z == 0 { return .zero }
    if isSaturated { return .saturated }
    let span = time - since
    guard isNoiseExpected, span >= Self.frozenTime else { return nil }
    let rate = Double(repeats) * Double(Nanoseconds.second) / Double(span)
    return rate > Self.frozenRate ? .frozen : nil
  }
}
