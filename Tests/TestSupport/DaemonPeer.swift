public import Varlink

extension DaemonProcess {
  /// A new connection to it.
  public func connect() throws -> Peer { Peer(try DaemonClient(socket)) }

  /// One client that wants parameters, and takes errors as errors.
  public final class Peer {
    private let client: DaemonClient

    fileprivate init(_ client: DaemonClient) { self.client = client }

    /// Calls a method and gives the parameters of its reply; throws its error.
    public func call(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
      try Self.parameters(of: client.call(method, parameters))
    }

    /// The name of the error that a call is answered with, and its parameters; nil when it is none.
    public func error(
      of method: String, _ parameters: JSON = [:], more: Bool = false
    ) throws -> (name: String, parameters: JSON)? {
      try client.send(method, parameters, more: more)
      let reply = try client.next()
      return reply.error.map { ($0, reply.parameters) }
    }

    /// Begins a stream.
    public func stream(_ method: String, _ parameters: JSON = [:]) throws {
      try client.send(method, parameters, more: true)
    }

    /// The stream's next reply.
    public func next() throws -> JSON { try Self.parameters(of: client.next()) }

    /// The stream's next reply that `accepts`, leaving out those before it, heartbeats too.
    public func next(_ accepts: (JSON) -> Bool) throws -> JSON {
      try Self.parameters(of: client.next { $0.error != nil || accepts($0.parameters) })
    }

    private static func parameters(of reply: DaemonClient.Message) throws -> JSON {
      if let error = reply.error {
        throw VarlinkError.remote(name: error, parameters: reply.parameters)
      }
      return reply.parameters
    }
  }
}
