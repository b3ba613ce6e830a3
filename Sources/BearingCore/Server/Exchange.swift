public import BearingModel
public import Varlink

/// One method call that passed the access door and waits for its answer.
///
/// Its handler answers it once, now or later, or makes it a stream. When the client goes first,
/// answering does nothing.
public final class Exchange {
  /// What is asked, fitting the interface's description.
  public let call: Call
  /// Who asks.
  public let caller: Caller
  /// How exactly the caller may know what it asks for.
  public internal(set) var precision: Precision = .denied
  /// The connection, which names the stream when there is one.
  public let stream: StreamID
  /// What the caller's user prefers where the call says nothing.
  var preferences = StreamPreferences()
  /// Where the stream was in the process before; nil for a call of now.
  var resumption: Resumption?
  /// Called once when the client goes before the answer. Not for streams: see `streamEnded`.
  public var onAbandon: (() -> Void)?

  /// Held until the answer or the client's end. Not weakly, which would make each use of a connection
  /// slower, also each reply of a stream.
  private var connection: Connection?
  private let place: ConnectionPlace?

  init(_ call: Call, on connection: Connection) {
    self.call = call
    self.connection = connection
    place = connection.place
    caller = connection.caller
    stream = connection.id
  }

  /// Whether nobody waits for the answer any more.
  var isOver: Bool { connection == nil }

  /// Answers with parameters whose members are written by `members`, and with `descriptors`, to which
  /// they may refer by index.
  public func reply(
    passing descriptors: [Descriptor] = [], _ members: (inout JSONWriter) -> Void
  ) {
    finish(passing: descriptors) { connection in
      connection.server.writer.removeAll()
      connection.server.writer.object(members)
      return Reply.encode(serialised: connection.server.writer.bytes)
    }
  }

  /// Answers with an error of the call's own interface, such as `Timeout`.
  public func fail(_ error: String, _ members: (inout JSONWriter) -> Void) {
    finish { connection in
      connection.server.writer.removeAll()
      connection.server.writer.object { writer in
        writer.key("error")
        writer.value("\(call.interface).\(error)")
        writer.key("parameters")
        writer.object(members)
      }
      return connection.server.writer.bytes + [0]
    }
  }

  /// Answers with an error that every service has.
  public func fail(_ error: ServiceError) {
    finish { _ in Reply.encode(error: error) }
  }

  /// Answers that access is denied, why, and what would grant it.
  func refuse(_ refusal: Refusal) {
    fail("AccessDenied") { writer in
      writer.member("reason", refusal.reason)
      writer.member("remedy", refusal.remedy)
    }
  }

  /// Answers that a quota is used up.
  func refuse(quota resource: String, limit: Int) {
    fail("QuotaExceeded") { writer in
      writer.member("resource", resource)
      writer.member("limit", limit)
    }
  }

  /// Answers that the daemon could not store what was asked.
  func fail(storing error: any Error) {
    PacedLog.storage.warning("\(error)")
    fail("StorageFailed") { $0.member("reason", "\(error)") }
  }

  /// Makes the call a stream, whose replies go through the outlet under `stream`.
  ///
  /// False when the user has as many streams as it may: the call is answered then.
  public func openStream() -> Bool {
    guard let connection else { return false }
    return connection.openStream(for: self)
  }

  /// Has the handler told, by `holdEnded`, when the connection ends: until then it keeps what the
  /// call is answered with. It counts as a stream of the user's, once for each connection.
  ///
  /// False when the user has as many streams as it may: the call is answered then.
  func hold() -> Bool {
    guard let connection else { return false }
    return connection.hold(for: self)
  }

  func abandon() {
    connection = nil
    withdraw()
  }

  /// Takes the call back from its handler, which is not to answer it.
  func withdraw() {
    onAbandon?()
    onAbandon = nil
  }

  private func finish(
    passing descriptors: [Descriptor] = [], _ encode: (Connection) -> [UInt8]
  ) {
    guard let connection else { return }
    self.connection = nil
    onAbandon = nil
    connection.finish(call.oneway ? [] : encode(connection), passing: descriptors)
  }
}
