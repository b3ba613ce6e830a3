/// A client's connection that blocks its thread, for programs and tests without concurrency.
///
/// `send` and `receive` may be used apart, to send several calls before reading their replies,
/// which come in order.
public struct BlockingConnection: ~Copyable {
  private let socket: Socket
  private var reader = ReplyReader()

  /// Connects to `unix:/path`, `unix:@name` or a path; fails at once when the queue of the service
  /// is full.
  public init(to address: String) throws(VarlinkError) {
    let path = try Address.path(of: address)
    do {
      socket = try Socket.connect(to: path)
    } catch {
      throw .socket(error)
    }
  }

  /// Calls a method by its full name and waits for its reply, in milliseconds; nil is for ever.
  public mutating func call(
    _ method: String, _ parameters: JSON = [:], timeout milliseconds: Int32? = nil
  ) throws(VarlinkError) -> Reply {
    try send(method, parameters)
    return try receive(timeout: milliseconds)
  }

  /// Sends a call, and waits as long as that takes.
  public func send(
    _ method: String, _ parameters: JSON = [:], more: Bool = false, oneway: Bool = false
  ) throws(VarlinkError) {
    var message = CallEnvelope.encode(
      method: method, parameters: parameters, more: more, oneway: oneway)[...]
    while !message.isEmpty {
      do {
        switch try socket.send(message.span) {
        case .bytes(let count): message.removeFirst(count)
        case .wouldBlock: _ = try socket.wait(for: .writable)
        case .closed: return  // The reason may still be there to be received.
        }
      } catch {
        throw .socket(error)
      }
    }
  }

  /// The next reply. Each wait for input lasts at most the time given, in milliseconds.
  public mutating func receive(timeout milliseconds: Int32? = nil) throws(VarlinkError) -> Reply {
    while true {
      if let message = try reader.next() { return try message.get() }
      if try reader.read(from: socket) { continue }
      let isReady: Bool
      do {
        isReady = try socket.wait(for: .readable, milliseconds: milliseconds)
      } catch {
        throw .socket(error)
      }
      if !isReady { throw .timedOut }
    }
  }

  /// Says that no more calls come; replies can still be received.
  public func endCalls() throws(VarlinkError) {
    do {
      try socket.endOutput()
    } catch {
      throw .socket(error)
    }
  }
}
