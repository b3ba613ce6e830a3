/// What a stream's filters said of its last samples: for the daemon's Explain. Flat.
public struct DecisionLog: BitwiseCopyable, Sendable {
  /// One sample and what was said of it.
  public struct Decision: BitwiseCopyable, Sendable {
    /// The sample's sequence.
    public var sequence: Int
    /// Which filter passed it, or held it back.
    public var verdict: FilterVerdict
  }

  private static var capacity: Int { 16 }

  private var entries: InlineArray<16, Decision>
  private var count = 0

  init() {
    entries = InlineArray(repeating: Decision(sequence: 0, verdict: .passed))
  }

  /// Remembers a decision; the oldest makes room.
  mutating func note(_ sequence: Int, _ verdict: FilterVerdict) {
    entries[count % Self.capacity] = Decision(sequence: sequence, verdict: verdict)
    count += 1
  }

  /// The decisions remembered, the oldest first.
  var decisions: [Decision] {
    (max(0, count - Self.capacity)..<count).map { entries[$0 % Self.capacity] }
  }
}
