public import BearingModel

/// Names one open stream: the identifier of its connection, which has one stream at most.
public typealias StreamID = Int

/// One reply of a stream, encoded once for all of its readers.
///
/// What differs from reader to reader, the number of replies that it lost, is put in between
/// `body` and `end` when the message is sent.
public struct StreamMessage: Sendable {
  /// What may become of a message while its reader is behind.
  public enum Kind: Sendable, Equatable {
    /// A change of state, an event, a first reply: never dropped.
    case event
    /// Replaced by a newer one of the same.
    case latest
    /// Dropped when the queue is full, the oldest first; that many samples are then lost.
    case samples(Int)
  }

  /// What may become of it.
  public let kind: Kind
  /// The sequence of the fix in it; 0 for none.
  var sequence: Int
  /// Whether the reply has a member `dropped` for what its reader lost before it.
  public let tellsLoss: Bool
  /// The whole reply, as those get it who lost nothing.
  let whole: [UInt8]

  /// A message whose parameters are written by `members`.
  public init(
    _ kind: Kind, tellsLoss: Bool, sequence: Int = 0, writer: inout JSONWriter,
    _ members: (inout JSONWriter) -> Void
  ) {
    self.kind = kind
    self.sequence = sequence
    self.tellsLoss = tellsLoss
    writer.removeAll()
    writer.object { writer in
      writer.key("parameters")
      writer.object(members)
    }
    whole = writer.bytes.dropLast(2) + Self.end  // in place of the two closing braces
  }

  /// The reply up to the brace that ends its parameters, of which there is one at least.
  public var body: ArraySlice<UInt8> { whole.dropLast(Self.end.count) }

  /// What ends each reply of a stream, after its loss.
  static let end: [UInt8] = Array("},\"continues\":true}\0".utf8)

  /// The reply for a reader that lost so many before it.
  func bytes(telling lost: Int) -> [UInt8] {
    lost == 0 || !tellsLoss ? whole : body + Array(",\"dropped\":\(lost)".utf8) + Self.end
  }
}
