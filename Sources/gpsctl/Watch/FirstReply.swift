internal import BearingClient
internal import Varlink

/// The first reply of a stream that will do, for commands that show one.
struct FirstReply: Sendable {
  let session: Session
  /// What is waited for, such as "heading".
  let name: String
  let timeout: Duration

  /// Waits for a reply that `isEnough`; exit status 3 with the last state when none comes in time.
  func of(
    _ method: String, _ parameters: JSON = [:],
    isEnough: @escaping @Sendable (JSON) throws(Failure) -> Bool
  ) async throws(Failure) -> JSON {
    let state = LastState()
    let reply = try await within(timeout) { () async throws(Failure) in
      try await find(method, parameters, state: state, isEnough: isEnough)
    }
    guard let reply else {
      throw Failure(.noData, "no \(name) came within \(Times.span(timeout))\(await state.text)")
    }
    return reply
  }

  private func find(
    _ method: String, _ parameters: JSON, state: LastState,
    isEnough: @Sendable (JSON) throws(Failure) -> Bool
  ) async throws(Failure) -> JSON {
    var events = session.client.replies(method, parameters).makeAsyncIterator()
    while let event = try await events.nextEvent() {
      guard let reply = event.update else { continue }
      await state.set(reply["state"]?.string)
      if try isEnough(reply) { return reply }
    }
    throw Failure(.noData, "the daemon ended the stream")
  }

  /// What the device was in when the time was over.
  private actor LastState {
    private var word: String?
    var text: String { word.map { " (state: \($0))" } ?? "" }
    func set(_ word: String?) { self.word = word }
  }
}
