import Foundation
import Locking
public import Varlink

/// Answers Varlink calls at a socket as a test scripts it, to have a daemon's faults at will.
///
/// It knows nothing of interfaces. Each connection has a thread, in which the script may block.
public final class FakeDaemon: Sendable {
  /// A call as it came, and the connection to answer it on.
  public struct Call: Sendable {
    /// The full name of the method.
    public let method: String
    /// The call's parameters.
    public let parameters: JSON
    /// Counts the daemon's connections from 0, across restarts.
    public let connectionNumber: Int
    /// Counts the daemon's calls from 0.
    public let number: Int
    private let connection: Connection

    fileprivate init(
      _ message: JSON, number: Int, connectionNumber: Int, connection: Connection
    ) {
      method = message["method"]?.string ?? ""
      parameters = message["parameters"] ?? [:]
      self.number = number
      self.connectionNumber = connectionNumber
      self.connection = connection
    }

    /// Sends a reply, with descriptors; blocks while the client does not read. False when the client
    /// is gone.
    @discardableResult
    public func reply(
      _ parameters: JSON, continues: Bool = false, passing descriptors: [Descriptor] = []
    ) -> Bool {
      connection.send(
        Reply.encode(parameters: parameters, continues: continues),
        passing: descriptors.map(\.number))
    }

    /// Sends a reply that another follows, or nothing, which gives false, when the client's socket
    /// is full.
    public func offer(_ parameters: JSON) -> Bool {
      let message = Reply.encode(parameters: parameters, continues: true)
      return (try? connection.socket.send(message.span)) == .bytes(message.count)
    }

    /// Sends bytes as they are.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool { connection.send(bytes) }

    /// Sends an error.
    public func fail(_ name: String, _ parameters: JSON = [:]) {
      connection.send(Reply.encode(error: name, parameters: parameters))
    }

    /// Closes the connection.
    public func close() { connection.socket.end() }

    /// Blocks until the client has closed the connection, or a deadline of 60 s; tells which.
    @discardableResult
    public func waitForEnd() -> Bool { connection.waitForEnd() }
  }

  /// Answers a call; runs in the connection's thread.
  public typealias Script = @Sendable (Call) -> Void

  fileprivate final class Connection: Sendable {
    let socket: Socket

    init(_ socket: consuming Socket) { self.socket = socket }

    @discardableResult
    func send(_ bytes: [UInt8], passing descriptors: [Int32] = []) -> Bool {
      var rest = bytes[...]
      var descriptors = descriptors
      while !rest.isEmpty {
        switch try? socket.send(rest.span, descriptors: descriptors) {
        case .bytes(let count):
          rest.removeFirst(count)
          descriptors = []
        case .wouldBlock: _ = try? socket.wait(for: .writable)
        case .closed, nil: return false
        }
      }
      return true
    }

    func waitForEnd() -> Bool {
      var buffer = [UInt8](repeating: 0, count: 1024)
      while (try? socket.wait(for: .readable, milliseconds: 60_000)) == true {
        switch try? socket.receive(into: &buffer) {
        case .end, nil: return true
        default: continue
        }
      }
      return false
    }
  }

  private struct State {
    var listener: Connection?
    var connections: [Int: Connection] = [:]
    var connectionCount = 0
    var calls: [Call] = []
  }

  /// The socket's path.
  public let path: String
  private let folder: TemporaryFolder
  private let script: Script
  private let state = Guarded(State())

  /// A daemon that listens at a socket in a folder of its own.
  public init(script: @escaping Script) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/io.bearing"
    self.script = script
    try start()
  }

  deinit { stop() }

  /// The calls that came so far.
  public var calls: [Call] { state.withValue { $0.calls } }

  /// The connections that were made so far, and how many of them are open.
  public var connectionCounts: (made: Int, open: Int) {
    state.withValue { ($0.connectionCount, $0.connections.count) }
  }

  /// Stops listening and closes every connection, as when a daemon dies. The socket's file stays.
  public func stop() {
    let open = state.withValue { state in
      defer {
        state.listener = nil
        state.connections = [:]
      }
      return [state.listener].compactMap { $0 } + state.connections.values
    }
    for connection in open { connection.socket.end() }
  }

  /// Listens again at the same path.
  public func start() throws {
    let listener = Connection(try Socket.listen(at: path, mode: 0o600, replacing: true))
    state.withValue { $0.listener = listener }
    Thread.detachNewThread { [weak self] in
      while (try? listener.socket.wait(for: .readable)) == true {
        guard let accepted = try? listener.socket.accept() else { break }
        guard let self, self.serve(accepted, of: listener) else { return }
      }
    }
  }

  private func serve(_ accepted: consuming Socket, of listener: Connection) -> Bool {
    let connection = Connection(accepted)
    let number: Int? = state.withValue { state in
      guard state.listener === listener else { return nil }
      defer { state.connectionCount += 1 }
      state.connections[state.connectionCount] = connection
      return state.connectionCount
    }
    guard let number else { return false }
    Thread.detachNewThread { [weak self] in
      var framer = MessageFramer()
      var buffer = [UInt8](repeating: 0, count: 4096)
      while (try? connection.socket.wait(for: .readable)) == true {
        guard case .bytes(let count) = try? connection.socket.receive(into: &buffer) else { break }
        framer.append(buffer.span.extracting(0..<count))
        while let message = try? framer.next(), let parsed = try? JSON(parsing: message) {
          guard let self else { return }
          let call = self.state.withValue { state in
            let call = Call(
              parsed, number: state.calls.count, connectionNumber: number, connection: connection)
            state.calls.append(call)
            return call
          }
          self.script(call)
        }
      }
      self?.state.withValue { _ = $0.connections.removeValue(forKey: number) }
    }
    return true
  }
}
