internal import Locking

/// Takes, once and before its device's first use, what the device is to run on.
///
/// This is the singleton whose concrete kind is decided at run time: the device's class is fixed,
/// its source is whatever was put in here, or the default.
public final class SourceSlot<Setup: Sendable>: Sendable {
  /// The slot was filled or used before; what a device runs on never changes after that.
  public struct AlreadyDecided: Error, Equatable, CustomStringConvertible {
    /// One line for people.
    public var description: String {
      "what this device runs on is decided already; choose it once, before the device's first use"
    }
  }

  private enum State: Sendable {
    case empty
    case filled(Setup)
    case used
  }

  private let state = Guarded(State.empty)
  private let standard: @Sendable () -> Setup

  /// An empty slot; `standard` is used when nobody fills it in time.
  public init(standard: @escaping @Sendable () -> Setup) {
    self.standard = standard
  }

  /// Decides what the device runs on.
  public func fill(_ setup: Setup) throws(AlreadyDecided) {
    try state.withValue { state throws(AlreadyDecided) in
      guard case .empty = state else { throw AlreadyDecided() }
      state = .filled(setup)
    }
  }

  /// What the device runs on; after this nothing can be decided any more.
  public func use() -> Setup {
    let filled: Setup? = state.withValue { state in
      defer { state = .used }
      guard case .filled(let setup) = state else { return nil }
      return setup
    }
    return filled ?? standard()
  }
}
