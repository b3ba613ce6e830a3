/// How a stream comes back when its connection is lost.
public struct ReconnectPolicy: Sendable, Equatable {
  /// The wait before the first attempt; each further one waits twice as long.
  public var initialDelay: Duration
  /// The longest wait between two attempts.
  public var maximumDelay: Duration
  /// Attempts in a row that may fail before the stream throws; nil is no end of them.
  public var maximumAttempts: Int?
  /// Whether a daemon that cannot be reached at the very start is waited for too.
  ///
  /// False lets a program say at once that there is no daemon.
  public var waitsForFirstConnection: Bool

  /// A policy of these values.
  public init(
    initialDelay: Duration = .milliseconds(100), maximumDelay: Duration = .seconds(10),
    maximumAttempts: Int? = nil, waitsForFirstConnection: Bool = false
  ) {
    self.initialDelay = initialDelay
    self.maximumDelay = maximumDelay
    self.maximumAttempts = maximumAttempts
    self.waitsForFirstConnection = waitsForFirstConnection
  }

  /// Comes back for as long as it takes, at most 10 s apart, but wants a daemon at the start.
  public static let standard: ReconnectPolicy = ReconnectPolicy()
  /// Throws as soon as the connection is lost.
  public static let never: ReconnectPolicy = ReconnectPolicy(maximumAttempts: 0)

  /// The wait before an attempt, from 1; drawn between half and all of it, so that the clients of
  /// a daemon that restarts do not come all at once.
  func delay(beforeAttempt attempt: Int) -> Duration {
    let doublings = min(attempt - 1, 20)
    let longest = max(.zero, min(maximumDelay, BearingClient.longestPatience))
    let delay = min(max(.zero, min(initialDelay, longest)) * (1 << doublings), longest)
    return delay * Double.random(in: 0.5...1)
  }
}
