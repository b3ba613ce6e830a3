internal import BearingClient
internal import Varlink

/// The first reply of a stream that will do, for commands that show one.
struct FirstReply: Sendable {
  let session: Session
  let timeout: Duration

  /// Waits for a reply that `isEnough`; exit status 3 with the last state when none comes in time.
  func of(
    _ method: String, _ parameters: JSON = [:],
    isEnough: @escaping @Sendable (JSON) throws(Failure) -> Bool
  ) async throws(Failure) -> JSON {
    let state = LastState()
    let outcome = await withTaskGroup(of: Result<JSON, Failure>?.self) { group in
      group.addTask {
        do throws(Failure) {
          return .success(
            try await find(method, parameters, state: state, isEnough: isEnough))
        } catch {
          return .failure(error)
        }
      }
      group.addTask {
        try? await Task.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    guard let outcome else {
      throw Failure(.noData, "nothing came within \(Times.span(timeout))\(await state.text)")
    }
    return try outcome.get()
  }

  private func find(
    _ method: String, _ parameters: JSON, state: LastState,
    isEnough: @Sendable (JSON) throws(Failure) -> Bool
  ) async throws(Failure) -> JSON {
    var events = session.client.replies(method, parameters).makeAsyncIterator()
    while true {
      let event: StreamEvent<JSON>?
      do {
        event = try await events.next()
      } catch {
        throw Failure(error)
      }
      guard let event else { throw Failure(.noData, "the daemon ended the stream") }
      guard let reply = event.update else { continue }
      await state.set(reply["state"]?.string)
      if try isEnough(reply) { return reply }
    }
  }

  /// What the device was in when the time was over.
  private actor LastState {
    private var word: String?
    var text: String { word.map { " (state: \($0))" } ?? "" }
    func set(_ word: String?) { self.word = word }
  }
}
