/// The replies to a call with `more`, each to be had once.
///
/// Tasks that iterate over the same ones share them: each reply goes to one of the tasks.
///
/// Each step asks the connection for one reply; without one nothing is read from the socket. An
/// error of the service is thrown and is the last thing that comes.
public struct ReplyStream: AsyncSequence, Sendable {
  /// One reply with its parameters and descriptors.
  public typealias Element = Reply
  /// Why the replies ended.
  public typealias Failure = VarlinkError

  private let handle: Handle

  init(connection: VarlinkConnection, id: UInt64, silenceLimit: Duration?) {
    handle = Handle(connection: connection, id: id, silenceLimit: silenceLimit)
  }

  /// The replies from the next one on.
  public func makeAsyncIterator() -> Iterator {
    Iterator(handle: handle)
  }

  /// Hands out one reply after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let handle: Handle

    /// The next reply; nil after the last one.
    public mutating func next() async throws(VarlinkError) -> Reply? {
      try await next(isolation: nil)
    }

    /// The next reply; nil after the last one.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(VarlinkError) -> Reply? {
      try await handle.connection.nextReply(of: handle.id, within: handle.silenceLimit)
    }
  }

  /// Tells the connection when nobody holds the stream any more.
  fileprivate final class Handle: Sendable {
    let connection: VarlinkConnection
    let id: UInt64
    let silenceLimit: Duration?

    init(connection: VarlinkConnection, id: UInt64, silenceLimit: Duration?) {
      self.connection = connection
      self.id = id
      self.silenceLimit = silenceLimit
    }

    deinit {
      Task { [connection, id] in await connection.dropStream(id) }
    }
  }
}
