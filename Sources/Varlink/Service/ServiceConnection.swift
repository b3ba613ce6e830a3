/// One client of a service, as a state machine without input or output.
///
/// Feed it what was read and take steps until `idle`:
///
///     connection.receive(bytes)
///     while true {
///       switch connection.next() {
///       case .call(let call): …            // and when its last reply is out: finishedCall()
///       case .send(let message): …
///       case .idle, .disconnect: …
///       }
///     }
///
/// Calls are answered in order: after a call no step comes until `finishedCall`, however long its
/// replies go on. What the client sends meanwhile waits, first here, then in its socket.
public struct ServiceConnection: Sendable {
  /// What the owner of the connection has to do.
  public enum Step: Sendable {
    /// Carry this out, then say `finishedCall`, also when it is oneway.
    case call(Call)
    /// Send this whole message.
    case send([UInt8])
    /// Nothing to do until there is input or the call is finished.
    case idle
    /// Send what is queued, if the reason is `finished`, and close.
    case disconnect(DisconnectReason)
  }

  private let service: Service
  private let depthLimit: Int
  private var framer: MessageFramer
  private var isInCall = false
  private var hasEnded = false
  private var failure: DisconnectReason?

  /// A connection that has read nothing yet. A request may have `requestLimit` bytes, and as many
  /// objects and arrays in one another as `depthLimit`.
  public init(
    service: Service, requestLimit: Int = MessageFramer.requestLimit,
    depthLimit: Int = JSON.requestDepthLimit
  ) {
    self.service = service
    self.depthLimit = depthLimit
    self.framer = MessageFramer(limit: requestLimit)
  }

  /// Whether to read from the socket: false while enough waits here, so that a client that goes on
  /// sending behind a running stream costs bounded memory, and after the end.
  public var wantsInput: Bool {
    failure == nil && !hasEnded && framer.bufferedCount <= framer.limit
  }

  /// Bytes of requests that wait here.
  public var bufferedCount: Int { framer.bufferedCount }

  /// A number for the message that has begun and is not complete; nil when none is, or when it
  /// is not the client that is waited for. The same number again after the time that a request
  /// may take means that the client is too slow.
  public var incompleteMessage: UInt64? {
    wantsInput && framer.hasPartial ? framer.completedCount : nil
  }

  /// Whether a call was handed out and is not finished.
  public var isBusy: Bool { isInCall }

  /// Takes in what was read from the client.
  public mutating func receive(_ bytes: Span<UInt8>) {
    framer.append(bytes)
  }

  /// The client will send no more; calls that are under way or waiting are still answered.
  public mutating func receiveEnd() {
    hasEnded = true
  }

  /// The last reply to the call that was handed out is sent or queued.
  public mutating func finishedCall() {
    isInCall = false
  }

  /// What to do now. After `disconnect` there is nothing else.
  public mutating func next() -> Step {
    if let failure { return .disconnect(failure) }
    if isInCall { return .idle }
    while let message = takeMessage() {
      switch service.route(message, depthLimit: depthLimit) {
      case .call(let call):
        isInCall = true
        return .call(call)
      case .reply(let reply): return .send(reply)
      case .nothing: continue
      case .disconnect(let reason): return fail(reason)
      }
    }
    if let failure { return .disconnect(failure) }
    if hasEnded { return fail(framer.hasPartial ? .incompleteMessage : .finished) }
    return .idle
  }

  /// The next message; blank ones, as a client by hand may send, are passed over.
  private mutating func takeMessage() -> [UInt8]? {
    do {
      while let message = try framer.next() {
        if !message.allSatisfy(isWhitespace) { return message }
      }
    } catch {
      failure = .messageTooLong(limit: error.limit)
    }
    return nil
  }

  private mutating func fail(_ reason: DisconnectReason) -> Step {
    failure = reason
    framer = MessageFramer(limit: framer.limit)
    return .disconnect(reason)
  }
}
