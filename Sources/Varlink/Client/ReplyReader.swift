/// The reading half of a client's connection: bytes and descriptors in, replies out.
struct ReplyReader: Sendable {
  /// Bytes a reply may have.
  static let replyLimit = 16 * 1024 * 1024
  /// Bytes taken from the socket at a time. Little, so that a client that reads slowly keeps its
  /// replies in the socket, where the service notices.
  private static let chunk = 16 * 1024

  /// One reply or error as it came.
  struct Message: Sendable {
    let reply: Reply
    let errorName: String?
    /// Whether it is the last answer to its call.
    var isFinal: Bool { !reply.continues }

    /// The reply, or its error thrown.
    func get() throws(VarlinkError) -> Reply {
      if let errorName { throw .remote(name: errorName, parameters: reply.parameters) }
      return reply
    }
  }

  private var framer = MessageFramer(limit: replyLimit)
  private var handedOut: UInt64 = 0
  /// By the number of the message they came with.
  private var descriptors: [UInt64: [Descriptor]] = [:]

  /// Reads once; false when there is nothing to read yet.
  mutating func read(from socket: borrowing Socket) throws(VarlinkError) -> Bool {
    var buffer = [UInt8](repeating: 0, count: Self.chunk)
    var arrived: [Descriptor] = []
    let received: Socket.Received
    do {
      received = try socket.receive(into: &buffer, descriptors: &arrived)
    } catch {
      throw .socket(error)
    }
    switch received {
    case .wouldBlock: return false
    case .end: throw .closedByService
    case .bytes(let count):
      framer.append(buffer.span.extracting(0..<count))
    }
    if !arrived.isEmpty {
      // A read ends after the bytes that carry descriptors, and these are sent with the first byte
      // of their message: it is the last one that has begun.
      let message = framer.completedCount + (framer.hasPartial ? 1 : 0)
      descriptors[message, default: []] += arrived
    }
    return true
  }

  /// The next reply that was read completely.
  mutating func next() throws(VarlinkError) -> Message? {
    let message: [UInt8]?
    do {
      message = try framer.next()
    } catch {
      throw .invalidReply("\(error)")
    }
    guard let message else { return nil }
    handedOut += 1
    return try Self.parse(message, descriptors: descriptors.removeValue(forKey: handedOut) ?? [])
  }

  /// Strict about types, lenient about members nobody knows and nulls.
  private static func parse(
    _ message: [UInt8], descriptors: [Descriptor]
  ) throws(VarlinkError) -> Message {
    let value: JSON
    do {
      value = try JSON(parsing: message, depthLimit: JSON.maximumDepth)
    } catch {
      throw .invalidReply("\(error)")
    }
    guard let members = value.object else { throw .invalidReply("it is not a JSON object") }
    let parameters = members["parameters"] ?? .null
    let continues = members["continues"] ?? .null
    let error = members["error"] ?? .null
    guard parameters == .null || parameters.object != nil else {
      throw .invalidReply("`parameters` is not an object")
    }
    guard continues == .null || continues.bool != nil else {
      throw .invalidReply("`continues` is not a bool")
    }
    guard error == .null || error.string != nil else {
      throw .invalidReply("`error` is not a string")
    }
    return Message(
      reply: Reply(
        parameters: parameters == .null ? [:] : parameters,
        continues: continues == true && error == .null, descriptors: descriptors),
      errorName: error.string)
  }
}
