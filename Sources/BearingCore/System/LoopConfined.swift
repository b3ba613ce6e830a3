internal import Synchronization

/// State that belongs to the loop's thread, in an object that any thread may hold.
///
/// The first access makes the accessing thread the owner; an access from another thread stops the
/// program at once, where a data race would corrupt it later.
final class LoopConfined<State>: @unchecked Sendable {
  private var state: State
  private let owner = Atomic<UInt>(0)

  /// Holds `state`, which nobody owns yet.
  init(_ state: sending State) {
    self.state = state
  }

  /// Gives `body` the state, on the loop's thread.
  func withState<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let here = ThreadIdentity.current
    let (isFirst, owner) = owner.compareExchange(
      expected: 0, desired: here, ordering: .relaxed)
    precondition(isFirst || owner == here, "loop state touched from another thread")
    return try body(&state)
  }
}
