/// What the loss of a connection means to a sequence: another attempt, told once, or the end.
struct Interruptions {
  /// What to do about a failure.
  enum Consequence {
    /// Nothing more: the task was cancelled.
    case end
    /// Connect again; the interruption is to be told when it is news.
    case retry(isNews: Bool)
  }

  private let policy: ReconnectPolicy
  /// Connections in a row that could not be made or gave nothing.
  private var failures = 0
  /// Whether an interruption was told and its end not yet.
  private var isInterrupted = false
  /// Whether anything was ever told.
  private var hasRun = false

  /// None yet.
  init(_ policy: ReconnectPolicy) {
    self.policy = policy
  }

  /// Waits before the next connection as long as the policy says.
  func pause() async throws(BearingError) {
    guard failures > 0 else { return }
    do {
      try await Task.sleep(for: policy.delay(beforeAttempt: failures))
    } catch {
      throw .cancelled
    }
  }

  /// Notes a failure; throws it when there is to be no further attempt.
  mutating func note(_ error: BearingError) throws(BearingError) -> Consequence {
    failures += 1
    if error == .cancelled { return .end }
    guard error.isPassing, hasRun || policy.waitsForFirstConnection,
      failures <= policy.maximumAttempts ?? .max
    else { throw error }
    defer { isInterrupted = true }
    return .retry(isNews: !isInterrupted)
  }

  /// Notes that something came; whether the end of an interruption is to be told before it.
  mutating func noteSuccess() -> Bool {
    hasRun = true
    failures = 0
    defer { isInterrupted = false }
    return isInterrupted
  }
}
