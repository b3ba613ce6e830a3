internal import Synchronization

/// An object that belongs to the loop's thread, held by one that any thread may have.
///
/// The first access makes the accessing thread the owner; an access from another thread stops the
/// program at once, where a data race would corrupt it later.
public final class LoopConfined<State: AnyObject>: @unchecked Sendable {
  private let state: State
  private let owner = Atomic<UInt>(0)

  /// Holds `state`, which nobody owns yet.
  public init(_ state: sending State) {
    self.state = state
  }

  /// The object, on the loop's thread.
  public var value: State {
    let here = ThreadIdentity.current
    let (isFirst, owner) = owner.compareExchange(expected: 0, desired: here, ordering: .relaxed)
    precondition(isFirst || owner == here, "loop state touched from another thread")
    return state
  }
}
