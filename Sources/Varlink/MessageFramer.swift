/// Cuts a stream of bytes into messages, which a NUL ends.
///
/// However the bytes are cut into pieces, the messages that come out are the same, and so is the
/// place where one that is too long stops them.
public struct MessageFramer: Sendable {
  /// Bytes that a request may have, its NUL not counted.
  public static let requestLimit: Int = 64 * 1024

  /// A message has more bytes than it may; nothing can be read after it.
  public struct TooLong: Error, Equatable, CustomStringConvertible {
    /// Bytes a message may have.
    public let limit: Int

    /// The limit that was exceeded, in words.
    public var description: String { "a message of more than \(limit) bytes" }
  }

  /// Bytes a message may have, its NUL not counted.
  public let limit: Int

  /// Complete messages that came in so far, handed out or not.
  public private(set) var completedCount: UInt64 = 0

  private var buffer: [UInt8] = []
  /// Where in the buffer the next message starts, and the one that is not complete.
  private var head = 0
  private var partialStart = 0
  /// The incomplete message is over the limit; what comes after it is not kept.
  private var hasOverflowed = false

  /// A framer that has read nothing yet.
  public init(limit: Int = MessageFramer.requestLimit) {
    self.limit = limit
  }

  /// Bytes held, of messages complete or not.
  public var bufferedCount: Int { buffer.count - head }

  /// Whether a message has begun and its NUL is missing.
  public var hasPartial: Bool { partialStart < buffer.count }

  /// Takes in what was read. Call `next` until it gives nil before the next read, or watch
  /// `bufferedCount`: complete messages are kept, whatever their number.
  public mutating func append(_ bytes: Span<UInt8>) {
    if hasOverflowed { return }
    buffer.reserveCapacity(buffer.count + bytes.count)
    for index in bytes.indices {
      let byte = bytes[index]
      buffer.append(byte)
      if byte == 0 {
        partialStart = buffer.count
        completedCount += 1
      } else if buffer.count - partialStart > limit {
        hasOverflowed = true
        return
      }
    }
  }

  /// The next complete message without its NUL; nil when there is none yet. Throws where the
  /// next message exceeds the limit, complete or not, and from then on.
  public mutating func next() throws(TooLong) -> [UInt8]? {
    guard head < partialStart, let end = buffer[head..<partialStart].firstIndex(of: 0) else {
      if hasOverflowed { throw TooLong(limit: limit) }
      return nil
    }
    let message = Array(buffer[head..<end])
    head = end + 1
    dropConsumed()
    return message
  }

  /// Frees what was handed out: at once when nothing is left, so that an idle connection holds no
  /// memory, else when it is the larger part, so that each byte is moved once on average.
  private mutating func dropConsumed() {
    if head == buffer.count {
      buffer = []
    } else if head > buffer.count / 2 {
      buffer.removeFirst(head)
    } else {
      return
    }
    partialStart -= head
    head = 0
  }
}
