/// What waits for one stream's reader: bounded, and by the rules of its messages' kinds.
struct Mailbox {
  private var messages: [StreamMessage] = []
  /// Bytes that wait.
  private(set) var byteCount = 0
  /// Replies or samples lost since the reader was last told.
  private(set) var dropped = 0

  /// Whether nothing waits.
  var isEmpty: Bool { messages.isEmpty }

  /// The next to send.
  var first: StreamMessage? { messages.first }

  /// Adds a message; false when what may not be dropped would go beyond `limit` bytes.
  mutating func add(_ message: StreamMessage, limit: Int) -> Bool {
    if message.kind == .latest, let older = messages.firstIndex(where: { $0.kind == .latest }) {
      remove(at: older, lost: 1)
    }
    while byteCount + message.body.count > limit, let oldest = firstDroppable {
      remove(at: oldest.index, lost: oldest.lost)
    }
    guard byteCount + message.body.count <= limit else {
      switch message.kind {
      case .event:
        return false
      case .latest:
        dropped += 1
      case .samples(let count):
        dropped += count
      }
      return true
    }
    messages.append(message)
    byteCount += message.body.count
    return true
  }

  /// Takes the first away because it was sent.
  mutating func removeFirst() {
    byteCount -= messages.removeFirst().body.count
  }

  /// The reader was told of its losses.
  mutating func lossWasTold() {
    dropped = 0
  }

  private var firstDroppable: (index: Int, lost: Int)? {
    for (index, message) in messages.enumerated() {
      switch message.kind {
      case .event: continue
      case .latest: return (index, 1)
      case .samples(let count): return (index, count)
      }
    }
    return nil
  }

  private mutating func remove(at index: Int, lost: Int) {
    byteCount -= messages.remove(at: index).body.count
    dropped += lost
  }
}
