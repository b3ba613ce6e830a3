/// What some work gives within a time; nil when that is over, with which the work is cancelled.
func within<Value: Sendable>(
  _ time: Duration, _ work: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value? {
  let outcome = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
    group.addTask {
      do throws(Failure) {
        return .success(try await work())
      } catch {
        return .failure(error)
      }
    }
    group.addTask {
      try? await Task.sleep(for: time)
      return nil
    }
    defer { group.cancelAll() }
    return await group.next() ?? nil
  }
  return try outcome?.get()
}
