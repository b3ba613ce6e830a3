/// A Varlink interface as the daemon serves it.
public struct InterfaceDefinition: Sendable {
  /// The text of its `.varlink` description.
  public var description: String
  /// The methods that work and what each asks of its caller; the others of the description answer
  /// MethodNotImplemented.
  public var methods: [String: AccessRequirement]

  /// An interface with these working methods.
  public init(description: String, methods: [String: AccessRequirement]) {
    self.description = description
    self.methods = methods
  }
}

/// What carries out the calls of one interface, on the loop.
public protocol InterfaceHandler: AnyObject {
  /// Carries out a call that passed the access door.
  func handle(_ exchange: Exchange)
  /// The stream that was opened for one of its calls is over.
  func streamEnded(_ stream: StreamID)
}

/// Where stream replies go: to each named stream's mailbox and on to its socket.
public protocol Outlet: AnyObject {
  /// Sends one message, encoded once, to each of `streams`.
  func send(_ message: StreamMessage, to streams: [StreamID])
}
