internal import Varlink

/// What a stream tells: an update of the daemon, or that the connection to it is gone or back.
public enum StreamEvent<Update: Sendable>: Sendable {
  /// A reply of the daemon.
  case update(Update)
  /// The connection is lost: what came before no longer says how things stand. It is being made
  /// again; nothing has to be done.
  case interrupted(BearingError)
  /// The connection is there again; the next element is an update that says how things stand.
  case resumed

  /// The update; nil for what concerns the connection.
  public var update: Update? {
    if case .update(let update) = self { update } else { nil }
  }
}

extension StreamEvent: Equatable where Update: Equatable {}

/// The updates of one stream of the daemon, over a connection that is made again when it is lost.
///
/// Nothing is connected before the first `next()`, and nothing is read between two: a reader that
/// is slow is known to the daemon, which then keeps only what is newest. Each iterator has a stream
/// and a connection of its own, which end with it. Cancelling the task ends the sequence.
///
/// It throws when there is no daemon to begin with, when access is denied, and for what is not a
/// matter of the connection; see `BearingError` and `ReconnectPolicy`.
public struct BearingStream<Update: Sendable>: AsyncSequence, Sendable {
  /// An update, or news of the connection.
  public typealias Element = StreamEvent<Update>
  /// Why it ended.
  public typealias Failure = BearingError

  let client: BearingClient
  let method: String
  let parameters: JSON
  /// Members of the parameters that another connection has to begin with after an update.
  var resumption: @Sendable (Update) -> [String: JSON] = { _ in [:] }
  let decode: @Sendable (JSON) throws(BearingError) -> Update

  /// A stream of its own, from its first reply.
  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

  /// Hands out one event after the other, and makes the connection when it has to.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Phase {
      case disconnected
      case connected(ReplyStream.Iterator)
      case ended
    }

    private let stream: BearingStream
    /// What the next connection is made with.
    private var parameters: JSON
    private var phase = Phase.disconnected
    private var interruptions: Interruptions
    /// Came together with what was told last.
    private var waiting: Update?

    init(stream: BearingStream) {
      self.stream = stream
      parameters = stream.parameters
      interruptions = Interruptions(stream.client.reconnection)
    }

    /// The next event; nil after the last one.
    public mutating func next() async throws(BearingError) -> StreamEvent<Update>? {
      try await next(isolation: nil)
    }

    /// The next event; nil after the last one.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(BearingError) -> StreamEvent<Update>? {
      if let update = waiting {
        waiting = nil
        return .update(update)
      }
      while true {
        do {
          switch phase {
          case .ended:
            return nil
          case .disconnected:
            phase = .connected(try await connect(isolation: actor))
          case .connected(var replies):
            guard let reply = try await receive(from: &replies, isolation: actor) else {
              phase = .ended
              return nil
            }
            return event(for: try stream.decode(reply))
          }
        } catch {
          phase = .ended
          switch try interruptions.note(error) {
          case .end: return nil
          case .retry(let isNews):
            phase = .disconnected
            if isNews { return .interrupted(error) }
          }
        }
      }
    }

    // MARK: Parts

    private func connect(
      isolation actor: isolated (any Actor)?
    ) async throws(BearingError) -> ReplyStream.Iterator {
      try await interruptions.pause()
      let connection = try await stream.client.connect()
      do {
        return try await connection.stream(
          stream.method, parameters, silenceLimit: silenceLimit
        ).makeAsyncIterator()
      } catch {
        throw BearingError(error, socket: stream.client.socket, isConnected: true)
      }
    }

    private func receive(
      from replies: inout ReplyStream.Iterator, isolation actor: isolated (any Actor)?
    ) async throws(BearingError) -> JSON? {
      do {
        return try await replies.next(isolation: actor)?.parameters
      } catch {
        throw BearingError(error, socket: stream.client.socket, isConnected: true)
      }
    }

    /// A daemon that has not even sent its heartbeats for this long hangs.
    private var silenceLimit: Duration? {
      stream.parameters["heartbeat"]?.integer.map {
        Swift.min(.milliseconds($0) * 2 + .seconds(5), BearingClient.longestPatience)
      }
    }

    private mutating func event(for update: Update) -> StreamEvent<Update> {
      for (name, value) in stream.resumption(update) { parameters.set(name, value) }
      guard interruptions.noteSuccess() else { return .update(update) }
      waiting = update
      return .resumed
    }
  }
}

extension JSON {
  /// Sets a member of an object.
  fileprivate mutating func set(_ name: String, _ value: JSON) {
    var members = object ?? [:]
    members[name] = value
    self = .object(members)
  }
}
