internal import BearingModel
public import Varlink

/// What bearingd serves, for Swift programs: position, sky, acceleration, orientation, motion.
///
/// A client is a value without a connection of its own: each call and each stream makes one, so any
/// number of them run side by side and none waits for another. Streams are pulled: whoever takes
/// long over an element is given the newest next, and how many it missed; nothing piles up.
///
/// ```swift
/// let client = BearingClient()
/// for try await fix in client.fixes(distanceFilter: 10) {
///   print(fix.latitude, fix.longitude)
/// }
/// ```
///
/// Sequences of plain values (`fixes`, `accelerations`, …) give what is new and can be relied on
/// now. Those of events (`locationUpdates`, …) tell everything: states, repetitions, losses, and
/// when the connection is interrupted; they are for who shows how things stand.
public struct BearingClient: Sendable {
  /// The path of the daemon's socket.
  public let socket: String
  /// How streams come back when their connection is lost.
  public let reconnection: ReconnectPolicy

  /// A client of the daemon behind a socket; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - socket: its path; nil looks in the usual places, see `SocketPath.standard`.
  ///   - reconnection: how streams come back when their connection is lost.
  public init(socket: String? = nil, reconnection: ReconnectPolicy = .standard) {
    self.socket = socket ?? SocketPath.standard
    self.reconnection = reconnection
  }

  /// Calls any method of the daemon by its full name, and gives its reply's parameters as they came.
  ///
  /// - Parameters:
  ///   - method: such as `io.bearing.location.GetFix`.
  ///   - parameters: an object in the wire's names and units.
  ///   - patience: how long the daemon may take over an answer, beyond which it counts as lost.
  /// - Returns: an object in the wire's names and units.
  /// - Throws: what the daemon answered, or why it could not be asked.
  public func call(
    _ method: String, _ parameters: JSON = [:], patience: Duration = BearingClient.patience
  ) async throws(BearingError) -> JSON {
    let connection = try await connect()
    do {
      let reply = try await connection.call(
        method, parameters, timeout: min(patience, Self.longestPatience))
      await connection.close()
      return reply.parameters
    } catch {
      await connection.close()
      throw BearingError(error, socket: socket, isConnected: true)
    }
  }

  /// The replies to any streaming method of the daemon, as they came.
  ///
  /// - Parameters:
  ///   - method: such as `io.bearing.location.Subscribe`.
  ///   - parameters: an object in the wire's names and units. With a `heartbeat` in it, a daemon
  ///     that stays silent for twice that long and 5 s more counts as lost.
  ///   - resumption: members of the parameters, after a reply, with which another connection goes on
  ///     behind it; none for streams that begin with how things stand.
  /// - Returns: a stream that is connected by its first `next()`.
  public func replies(
    _ method: String, _ parameters: JSON = [:],
    resumption: @escaping @Sendable (JSON) -> [String: JSON] = { _ in [:] }
  ) -> BearingStream<JSON> {
    stream(method, parameters, resumption: resumption) { reply throws(BearingError) in reply }
  }

  /// How long the daemon may take over an answer that needs no waiting for a device.
  public static let patience: Duration = .seconds(10)
  /// A year: a sleep for as long as a `Duration` can say traps (Swift 6.3).
  static let longestPatience: Duration = .seconds(365 * 86_400)

  // MARK: For the calls and streams

  func connect() async throws(BearingError) -> VarlinkConnection {
    do {
      return try await VarlinkConnection.connect(to: socket)
    } catch {
      throw BearingError(error, socket: socket, isConnected: false)
    }
  }

  /// Calls a method whose reply reads as `Value`.
  func call<Value: Decodable>(
    _ method: String, _ parameters: JSON = [:], as type: Value.Type,
    patience: Duration = BearingClient.patience
  ) async throws(BearingError) -> Value {
    try Self.decode(try await call(method, parameters, patience: patience))
  }

  /// A stream whose replies read as `Update`.
  func stream<Update: Decodable & Sendable>(
    _ method: String, _ parameters: JSON,
    resumption: @escaping @Sendable (Update) -> [String: JSON] = { _ in [:] }
  ) -> BearingStream<Update> {
    stream(method, parameters, resumption: resumption) { reply throws(BearingError) in
      try Self.decode(reply)
    }
  }

  private func stream<Update: Sendable>(
    _ method: String, _ parameters: JSON,
    resumption: @escaping @Sendable (Update) -> [String: JSON],
    decode: @escaping @Sendable (JSON) throws(BearingError) -> Update
  ) -> BearingStream<Update> {
    BearingStream(
      client: self, method: method, parameters: parameters, resumption: resumption, decode: decode)
  }

  static func decode<Value: Decodable>(_ reply: JSON) throws(BearingError) -> Value {
    do {
      return try reply.decode(Value.self)
    } catch {
      throw .invalidReply(error.description)
    }
  }

  /// An object of the parameters that are not nil.
  ///
  /// JSON has no number for NaN and infinity. They go as text, which the daemon refuses by the
  /// parameter's name: left out they would be taken for nothing asked for.
  static func parameters(_ members: [String: JSON?]) -> JSON {
    .object(
      members.compactMapValues { value in
        if case .double(let number) = value, !number.isFinite {
          .string("\(number)")
        } else {
          value
        }
      })
  }
}

extension JSON {
  /// A time in the wire's milliseconds, rounded up: what is above 0 stays above 0. What is longer
  /// than the wire can say is as long as that.
  static func milliseconds(_ duration: Duration) -> JSON {
    let most = Int64.max - 1
    let bounded = max(.milliseconds(-most), min(duration, .milliseconds(most)))
    let (seconds, attoseconds) = bounded.components
    let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
    let whole = attoseconds / attosecondsPerMillisecond
    let rest = attoseconds % attosecondsPerMillisecond > 0 ? 1 : 0
    return .int(seconds * 1000 + whole + Int64(rest))
  }
}
