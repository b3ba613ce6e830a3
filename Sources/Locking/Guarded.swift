internal import CLinux
internal import Synchronization

/// A value behind a lock: the only lock in the project.
///
/// ThreadSanitizer on Linux does not see `Synchronization.Mutex` (a futex of Swift's own), so each
/// acquisition and release is told to it.
public final class Guarded<Value: ~Copyable>: Sendable {
  private let mutex: Mutex<Value>

  /// Guards `value`.
  public init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Gives `body` the value alone. Never call another guarded value from within: there is no lock order.
  public func withValue<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    return try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
      unsafe clinux_tsan_acquire(address)
      defer { unsafe clinux_tsan_release(address) }
      return try body(&value)
    }
  }
}
