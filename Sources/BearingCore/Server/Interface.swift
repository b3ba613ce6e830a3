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
  /// The stream's reader has taken what waited for it.
  func streamDrained(_ stream: StreamID)
  /// The stream's caller may know more, or less, from now on; it is never `denied`.
  func precisionChanged(of stream: StreamID, to precision: Precision)
  /// The connection that holds what one of its calls was answered with is over.
  func holdEnded(_ stream: StreamID)
  /// Other rules hold from now on: what was given and cannot be taken back is to become worthless.
  func rulesChanged(_ door: AccessDoor)
  /// Somebody else has disconnected a client of this user's, which is to have nothing more.
  func userDisconnected(_ uid: UInt32)
  /// What the stream's call left out is to be this from now on.
  func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences)
  /// What the stream's filters said of its last samples; nil when the interface has no filters.
  func decisions(of stream: StreamID) -> [DecisionLog.Decision]?
}

extension InterfaceHandler {
  /// Nothing: the interface sends as it comes.
  public func streamDrained(_ stream: StreamID) {}
  /// Nothing: the interface tells everyone the same.
  public func precisionChanged(of stream: StreamID, to precision: Precision) {}
  /// Nothing: the interface lets nobody hold anything.
  public func holdEnded(_ stream: StreamID) {}
  /// Nothing: the interface gives nothing that it cannot take back.
  public func rulesChanged(_ door: AccessDoor) {}
  /// Nothing: the interface gives nothing that it cannot take back.
  public func userDisconnected(_ uid: UInt32) {}
  /// Nothing: nothing of what its calls leave out is a preference.
  public func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences) {}
  /// nil: the interface has no filters.
  public func decisions(of stream: StreamID) -> [DecisionLog.Decision]? { nil }
}

/// Where stream replies go: to each named stream's mailbox and on to its socket.
public protocol Outlet: AnyObject {
  /// Sends one message, encoded once, to each of `streams`.
  func send(_ message: StreamMessage, to streams: [StreamID])
  /// Whether messages wait for the stream's reader to take earlier ones.
  func hasWaiting(_ stream: StreamID) -> Bool
  /// Keeps what a stream of fixes remembers, and the sequence it is at, for a process that takes it up.
  func remember(_ filter: LocationFilter, cursor: Int, of stream: StreamID)
  /// Keeps the sequence that a stream is at, for a process that takes it up.
  func remember(cursor: Int, of stream: StreamID)
}
