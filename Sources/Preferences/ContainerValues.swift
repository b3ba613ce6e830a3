extension KeyValueContainer where Value: Sendable {
  /// The value now, and then each new one, for code that is written with `async`.
  ///
  /// Of changes in quick succession it may have the last alone. The observer goes with the loop's task.
  public func values() throws(StorageError) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let observation = try observe { continuation.yield($0) }
    continuation.yield(value)
    continuation.onTermination = { _ in observation.cancel() }
    return stream
  }
}
