/// What waits for one stream's reader: bounded, and by the rules of its messages' kinds.
struct Mailbox {
  private struct Entry {
    var message: StreamMessage
    /// Replies or samples lost between the message before and this one.
    var lostBefore: Int
  }

  /// How many of the lost fixes are remembered.
  private static let memory = 16

  private var entries: [Entry] = []
  /// Bytes that wait.
  private(set) var byteCount = 0
  /// Replies or samples lost after all that waits or was sent: the next message is to tell it.
  private(set) var lostAtEnd = 0

  /// The sequences of the last fixes that were lost: the reader had them neither before, to be told
  /// more of them or to have them repeated now, nor has the same fix again.
  private(set) var lostFixes: [Int] = []
  /// The sequence of the last fix that was sent; 0 for none.
  private var sentFix = 0

  /// Whether nothing waits.
  var isEmpty: Bool { entries.isEmpty }

  /// The next to send, and how many replies or samples were lost just before it.
  var first: (message: StreamMessage, lost: Int)? {
    entries.first.map { ($0.message, $0.lostBefore) }
  }

  /// Adds a message, and gives how many replies or samples were lost for it; nil when what may not be
  /// dropped would go beyond `limit` bytes.
  mutating func add(_ message: StreamMessage, limit: Int) -> Int? {
    var lost = 0
    if message.kind == .latest,
      let older = entries.firstIndex(where: { $0.message.kind == .latest })
    {
      lost += remove(at: older, unless: message.sequence)
    }
    while byteCount + message.body.count > limit,
      let oldest = entries.firstIndex(where: { $0.message.kind.lossCount != nil })
    {
      lost += remove(at: oldest)
    }
    guard byteCount + message.body.count <= limit else {
      guard let count = message.kind.lossCount else { return nil }
      lostAtEnd += count
      forgo(message.sequence)
      return lost + count
    }
    entries.append(Entry(message: message, lostBefore: lostAtEnd))
    lostAtEnd = 0
    byteCount += message.body.count
    return lost
  }

  /// Takes the first away because it was sent.
  mutating func removeFirst() {
    let message = entries.removeFirst().message
    byteCount -= message.body.count
    noteSent(message)
  }

  /// A message did not have to wait, and told of the losses before it.
  mutating func wasSent(_ message: StreamMessage) {
    lostAtEnd = 0
    noteSent(message)
  }

  private mutating func noteSent(_ message: StreamMessage) {
    if message.sequence > 0 { sentFix = message.sequence }
  }

  /// Replies or samples were lost before all that comes from now on.
  mutating func lose(_ count: Int) {
    lostAtEnd += count
  }

  /// Replies or samples that wait, and could be lost.
  var waiting: Int { entries.reduce(0) { $0 + ($1.message.kind.lossCount ?? 0) } }

  /// Replies or samples that the reader has not and was not told of: those that wait too.
  var unsettled: Int { entries.reduce(lostAtEnd + waiting) { $0 + $1.lostBefore } }

  /// Takes away all that waits; gives how many replies or samples are lost with it.
  mutating func withdraw() -> Int {
    let lost = waiting
    lostAtEnd = unsettled
    (entries, byteCount) = ([], 0)
    beginNumbering()
    return lost
  }

  /// What comes from now on has sequences of its own: a number of before is that of another fix.
  mutating func beginNumbering() {
    for index in entries.indices { entries[index].message.sequence = 0 }
    (lostFixes, sentFix) = ([], 0)
  }

  private mutating func forgo(_ sequence: Int) {
    guard sequence > 0, sequence != sentFix else { return }
    if lostFixes.count == Self.memory { lostFixes.removeFirst() }
    lostFixes.append(sequence)
  }

  /// Takes away what is lost, `unless` the message that comes in its place is of the same fix.
  private mutating func remove(at index: Int, unless sequence: Int = 0) -> Int {
    let entry = entries.remove(at: index)
    if entry.message.sequence != sequence { forgo(entry.message.sequence) }
    let lost = entry.message.kind.lossCount ?? 0
    byteCount -= entry.message.body.count
    if index < entries.count {
      entries[index].lostBefore += entry.lostBefore + lost
    } else {
      lostAtEnd += entry.lostBefore + lost
    }
    return lost
  }
}

extension StreamMessage.Kind {
  /// How many replies or samples are lost with such a message; nil for one that may not be.
  fileprivate var lossCount: Int? {
    switch self {
    case .event: nil
    case .latest: 1
    case .samples(let count): count
    }
  }
}
