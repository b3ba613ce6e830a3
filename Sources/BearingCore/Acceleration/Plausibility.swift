/// Whether what a sensor gives can be a measurement: it is not when it is all zero, at the sensor's
/// limits, or the same to the last bit for seconds.
struct Plausibility: Sendable {
  /// Nanoseconds of identical vectors from which the sensor counts as frozen.
  static let frozenTime = 5 * Nanoseconds.second
  /// Hertz at or below which identical vectors are no sign: some sensors then give means.
  static let frozenRate = 5.0
  /// Metres per second squared: a raw step coarser than this hides the noise of a sensor at rest.
  static let coarseStep = 0.05

  /// What is wrong.
  enum Fault: Sendable {
    case zero, saturated, frozen
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
