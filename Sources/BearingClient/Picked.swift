/// The plain values in a stream's events: none, one or several for each event.
struct Picked<Update: Sendable, Value: Sendable>: AsyncSequence, Sendable {
  typealias Element = Value
  typealias Failure = BearingError
  /// Gives the values of one event, knowing those before it.
  typealias Picker = (StreamEvent<Update>) -> [Value]

  private let stream: BearingStream<Update>
  private let makePicker: @Sendable () -> Picker

  /// The values that a picker of its own for each iterator finds in a stream.
  init(_ stream: BearingStream<Update>, makePicker: @escaping @Sendable () -> Picker) {
    self.stream = stream
    self.makePicker = makePicker
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(events: stream.makeAsyncIterator(), pick: makePicker())
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var events: BearingStream<Update>.Iterator
    fileprivate let pick: Picker
    private var waiting: ArraySlice<Value> = []

    fileprivate init(events: BearingStream<Update>.Iterator, pick: @escaping Picker) {
      self.events = events
      self.pick = pick
    }

    mutating func next() async throws(BearingError) -> Value? {
      try await next(isolation: nil)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(BearingError) -> Value?
    {
      while true {
        if let value = waiting.popFirst() { return value }
        guard let event = try await events.next(isolation: actor) else { return nil }
        waiting = pick(event)[...]
      }
    }
  }
}
