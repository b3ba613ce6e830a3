internal import Varlink

/// A whole Varlink server in one loop and one thread: what it takes at least.
struct Server: ~Copyable {
  private final class Client {
    let socket: Socket
    var connection: ServiceConnection
    /// Replies that the socket has not taken yet.
    var output: [UInt8] = []
    var isOpen = true

    init(_ socket: consuming Socket, _ service: Service) {
      self.socket = socket
      self.connection = ServiceConnection(service: service)
    }

    /// Nothing is read while replies wait: who does not read them may not ask for more.
    var pollEntry: Socket.PollEntry {
      Socket.PollEntry(
        descriptor: socket.descriptor, wantsInput: connection.wantsInput && output.isEmpty,
        wantsOutput: !output.isEmpty)
    }
  }

  private let listener: Socket
  private let service: Service
  private var clients: [Client] = []
  private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

  init(listener: consuming Socket, service: Service) {
    self.listener = listener
    self.service = service
  }

  /// Serves for ever. `answer` gives the whole messages that answer a call.
  mutating func run(answer: (Call) -> [[UInt8]]) throws(SocketError) {
    while true {
      var entries = clients.map(\.pollEntry)
      entries.append(.init(descriptor: listener.descriptor, wantsInput: true, wantsOutput: false))
      _ = try Socket.poll(&entries)
      for (client, entry) in zip(clients, entries) where entry.isReady {
        do {
          try serve(client, answer)
        } catch {
          client.isOpen = false
        }
      }
      clients.removeAll { !$0.isOpen }
      while let socket = try listener.accept() { clients.append(Client(socket, service)) }
    }
  }

  private mutating func serve(_ client: Client, _ answer: (Call) -> [[UInt8]]) throws(SocketError) {
    if client.output.isEmpty {
      switch try client.socket.receive(into: &buffer) {
      case .bytes(let count): client.connection.receive(buffer.span.extracting(0..<count))
      case .end: client.connection.receiveEnd()
      case .wouldBlock: break
      }
    }
    // What is left of the output goes first; then each step's, as long as the socket takes it.
    while try flush(client) {
      switch client.connection.next() {
      case .call(let call):
        client.output = answer(call).flatMap(\.self)
        client.connection.finishedCall()
      case .send(let message): client.output = message
      case .idle: return
      case .disconnect:
        client.isOpen = false
        return
      }
    }
  }

  /// Whether the socket took everything.
  private func flush(_ client: Client) throws(SocketError) -> Bool {
    let output = client.output
    if output.isEmpty { return true }
    switch try client.socket.send(output.span) {
    case .bytes(let count): client.output = Array(output.dropFirst(count))
    case .wouldBlock: break
    case .closed: client.isOpen = false
    }
    return client.output.isEmpty
  }
}
