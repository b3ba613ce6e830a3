/// What can go wrong with a call, seen from the client.
public enum VarlinkError: Error, Sendable, Equatable {
  /// Not `unix:/path`, `unix:@name` or a path.
  case invalidAddress(String)
  /// A system call failed; while connecting, its `isNobodyListening` tells why.
  case socket(SocketError)
  /// The service closed the connection before it answered, or in the middle of a stream.
  case closedByService
  /// The connection was closed here: by `close`, or by giving up a stream that still ran.
  case closedHere
  /// The service sent what is no reply; the connection is closed.
  case invalidReply(String)
  /// The service answered with an error, by its full name.
  case remote(name: String, parameters: JSON)
  /// No reply came in the time given.
  case timedOut
  /// The task was cancelled.
  case cancelled
  /// The service takes in so little that too many bytes of calls wait here.
  case tooManyCalls(waitingBytes: Int)
}

extension VarlinkError: CustomStringConvertible {
  /// What happened, in words for a person.
  public var description: String {
    switch self {
    case .invalidAddress(let text):
      "\"\(text)\" is no address: give unix:/path, unix:@name or an absolute path"
    case .socket(let error): error.description
    case .closedByService: "the service closed the connection"
    case .closedHere: "the connection is closed"
    case .invalidReply(let reason): "the service sent an invalid reply: \(reason)"
    case .remote(let name, let parameters):
      parameters == [:] ? name : "\(name) \(parameters)"
    case .timedOut: "the service did not answer in time"
    case .cancelled: "cancelled"
    case .tooManyCalls(let count): "the service does not take the calls: \(count) bytes wait"
    }
  }
}
