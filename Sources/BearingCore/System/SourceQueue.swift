internal import CLinux
internal import Glibc
internal import Locking

/// The bounded queue from one source's thread to the loop.
///
/// When the loop is behind, the oldest samples are lost and counted; what changes a state is kept.
final class SourceQueue<Raw: Sendable>: Sendable {
  /// Samples that may wait: 2 s of the fastest sensor (1 kHz), far more than any receiver gives.
  static var capacity: Int { 2048 }

  private struct Entry {
    var raw: Raw
    var isSample: Bool
    var posted: BootTime
  }

  private struct State: Sendable {
    var entries: [Entry] = []
    var generation = 0
    var counters = SourceCounters()
  }

  private let state = Guarded(State())
  private let wake: Wake

  /// A queue that wakes the loop through `wake`.
  init(wake: Wake) {
    self.wake = wake
    state.withValue { $0.entries.reserveCapacity(64) }
  }

  /// Lets only posts of `generation` in, and forgets what is there.
  func begin(generation: Int) {
    state.withValue { state in
      state.generation = generation
      state.entries.removeAll(keepingCapacity: true)
    }
  }

  /// Adds one; from an abandoned generation it goes nowhere.
  func post(_ raw: Raw, isSample: Bool, generation: Int) {
    let wasEmpty = state.withValue { state in
      guard state.generation == generation else { return false }
      if isSample { state.counters.samples += 1 }
      if state.entries.count >= Self.capacity,
        let oldest = state.entries.firstIndex(where: \.isSample)
      {
        state.entries.remove(at: oldest)
        state.counters.lost += 1
      }
      state.entries.append(Entry(raw: raw, isSample: isSample, posted: .now()))
      return state.entries.count == 1
    }
    if wasEmpty { wake.signal() }
  }

  /// Takes what waits, in order, `most` at most; the loop is woken again for the rest.
  func drain(atMost most: Int = .max) -> [Raw] {
    let (taken, isMore) = state.withValue { state -> ([Raw], Bool) in
      guard let oldest = state.entries.first else { return ([], false) }
      let latency = BootTime.now() - oldest.posted
      state.counters.turns += 1
      state.counters.latency += latency
      state.counters.longestLatency = max(state.counters.longestLatency, latency)
      let taken = state.entries.prefix(most).map(\.raw)
      state.entries.removeFirst(taken.count)
      return (taken, !state.entries.isEmpty)
    }
    if isMore { wake.signal() }
    return taken
  }

  /// What it has carried since the start.
  var counters: SourceCounters { state.withValue { $0.counters } }
}

/// An eventfd: any thread signals it, one poller sees it readable.
public final class Wake: Sendable {
  /// To poll for reading; owned by this object.
  public let descriptor: Int32

  /// A quiet one; `descriptor` is −1 when the process has no descriptor left.
  public init() {
    descriptor = clinux_eventfd()
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Makes the descriptor readable.
  public func signal() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Blocks this thread until it is signalled, and makes it quiet again.
  public func wait() {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while unsafe Glibc.poll(&poll, 1, -1) < 0, errno == EINTR {}
    clear()
  }

  /// Makes it quiet again.
  public func clear() {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
