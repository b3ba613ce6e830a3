internal import Varlink

/// Every sample of one sensor, out of memory that the daemon shares with all who read it.
///
/// The daemon writes a sample once, however many read, so this is for readers of hundreds of samples
/// a second; for others `accelerationUpdates` does as well, at any rate. Its events are the same: the
/// state, batches of samples with how many were lost before them, and news of the connection, which
/// is made again when it is lost. Each iterator has a connection and a place of its own, from which
/// on nothing is missed but what it is too slow for: the memory holds the last 4095 samples.
///
/// It throws `denied` when the caller may not have every sample, at the start or later when rules
/// change; `noSensor` when there is none, or it is unplugged; and as other streams do.
public struct AccelerationRing: AsyncSequence, Sendable {
  /// Samples or another state, or news of the connection.
  public typealias Element = StreamEvent<AccelerationUpdate>
  /// Why it ended.
  public typealias Failure = BearingError

  let client: BearingClient
  let parameters: JSON

  /// A reader of its own, of the samples from its first element on.
  public func makeAsyncIterator() -> Iterator { Iterator(ring: self) }

  /// Hands out one event after the other, and makes the connection when it has to.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Phase {
      case disconnected
      case reading(RingSession)
      case ended
    }

    private let ring: AccelerationRing
    private var phase = Phase.disconnected
    private var interruptions: Interruptions

    init(ring: AccelerationRing) {
      self.ring = ring
      interruptions = Interruptions(ring.client.reconnection)
    }

    /// The next event; nil after the last one.
    public mutating func next() async throws(BearingError) -> Element? {
      try await next(isolation: nil)
    }

    /// The next event; nil after the last one.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(BearingError) -> Element? {
      while true {
        do {
          switch phase {
          case .ended:
            return nil
          case .disconnected:
            try await interruptions.pause()
            phase = .reading(try await RingSession(ring.client, ring.parameters))
            if interruptions.noteSuccess() { return .resumed }
          case .reading(var session):
            let update = try await session.next(isolation: actor)
            phase = update == nil ? .ended : .reading(session)
            return update.map { .update($0) }
          }
        } catch {
          phase = .ended
          switch try interruptions.note(error) {
          case .end: return nil
          case .retry(let isNews):
            phase = .disconnected
            if isNews { return .interrupted(error) }
          }
        }
      }
    }
  }
}
