/// How fast a device can be asked: slower than wanted where each answer takes longer than a period.
///
/// Some drivers switch their chip on for each reading and wait until it has settled, 30 ms an axis
/// (st_accel); what they can give by polling is then far below the rate that the chip is set to.
struct PollingPace {
  /// Answers that are looked at together, so that a single slow one changes nothing.
  static let window = 5
  /// The share of its time that a slow device may spend on answering: an answer that takes as long
  /// as the period misses every other one.
  static let load = 0.8
  /// A device that has become faster is asked faster when this much more is possible.
  static let gain = 1.2

  /// Hertz that are wanted, and that the device would give if it answered at once.
  let wanted: Double
  /// Hertz that can be had.
  private(set) var rate: Double
  private var times: [Int64] = []

  /// A pace that is not yet known to be slower than wanted.
  init(wanted: Double) {
    self.wanted = wanted
    rate = wanted
  }

  /// Notes that an answer took so many nanoseconds; whether `rate` is another now.
  mutating func note(_ nanoseconds: Int64) -> Bool {
    times.append(nanoseconds)
    guard times.count == Self.window else { return false }
    let median = times.sorted()[Self.window / 2]
    times.removeAll(keepingCapacity: true)
    let answers = Double(Nanoseconds.second) / Double(max(1, median))
    let possible = min(wanted, Self.load * answers)
    let isFaster = possible >= Self.gain * rate || (possible == wanted && rate < wanted)
    guard answers < rate || isFaster else { return false }
    rate = possible
    return true
  }
}
