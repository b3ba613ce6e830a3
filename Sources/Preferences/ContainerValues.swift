internal import Locking

extension KeyValueContainer where Value: Sendable {
  /// The value now, and then each new one, for code that is written with `async`.
  ///
  /// Of changes in quick succession it may have the last alone. The observer goes with the loop's task.
  public func values() throws(StorageError) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let hasTold = Guarded(false)
    let observation = try observe { new in
      hasTold.withValue { hasTold in
        hasTold = true
        _ = continuation.yield(new)
      }
    }
    // Another thread may have written since this was read, and what it wrote is in the stream then.
    let first = value
    hasTold.withValue { hasTold in
      if !hasTold { _ = continuation.yield(first) }
    }
    continuation.onTermination = { _ in observation.cancel() }
    return stream
  }
}
