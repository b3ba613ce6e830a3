/// What a source's line to the loop has carried, since the start.
public struct SourceCounters: Sendable, Equatable {
  /// Samples that were posted.
  public var samples = 0
  /// Samples lost because the loop was behind.
  public var lost = 0
  /// Times that the loop took what waited.
  public var turns = 0
  /// Nanoseconds from a post to the loop's taking it, added up over the turns.
  public var latency: Int64 = 0
  /// The longest of those.
  public var longestLatency: Int64 = 0

  /// Nothing yet.
  public init() {}

  /// Both together.
  public static func + (lhs: SourceCounters, rhs: SourceCounters) -> SourceCounters {
    var sum = lhs
    sum.samples += rhs.samples
    sum.lost += rhs.lost
    sum.turns += rhs.turns
    sum.latency += rhs.latency
    sum.longestLatency = max(lhs.longestLatency, rhs.longestLatency)
    return sum
  }
}
