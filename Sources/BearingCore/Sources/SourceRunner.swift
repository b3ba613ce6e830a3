/// Runs one source on a thread while something is asked of it, on the loop's side.
///
/// A thread that is stuck in a device call is abandoned: what it posts later goes nowhere, it is
/// never joined, and no second one is started until it has returned.
public final class SourceRunner<Raw: Sendable, Demand: Sendable & Equatable> {
  private let name: String
  private let make: () -> any Source<Raw, Demand>
  private let receive: ([Raw]) -> Void
  private let ended: () -> Void
  private let wake: Wake
  private let queue: SourceQueue<Raw>
  private var watch: Watch?
  private var generation = 0
  private var running: SourcePort<Raw, Demand>?
  private var abandoned: SourcePort<Raw, Demand>?
  private var waiting: Demand?

  /// A runner with nothing running.
  ///
  /// On the loop, `receive` is called with what was posted, and `ended` when the thread of a
  /// demand that is over has returned.
  public init(
    loop: EventLoop, name: String, make: @escaping () -> any Source<Raw, Demand>,
    receive: @escaping ([Raw]) -> Void, ended: @escaping () -> Void
  ) throws(SystemError) {
    self.ended = ended
    self.name = name
    self.make = make
    self.receive = receive
    wake = Wake()
    queue = SourceQueue(wake: wake)
    watch = try loop.watch(wake.descriptor, for: .readable) { [unowned self] _ in drain() }
  }

  /// Whether samples are asked for.
  public var isRunning: Bool { running != nil || waiting != nil }

  /// Whether a thread is there, also one that is to end.
  public var hasThread: Bool { running != nil || abandoned != nil }

  /// Whether the thread of an earlier demand has not returned and holds the device.
  public var isStuck: Bool { abandoned != nil && waiting != nil }

  /// What its line has carried since the start.
  public var counters: SourceCounters { queue.counters }

  /// Asks for `demand` from now on.
  public func want(_ demand: Demand) throws(SystemError) {
    if let running {
      running.change(demand)
    } else if let abandoned, !abandoned.hasEnded {
      waiting = demand
    } else {
      try start(demand)
    }
  }

  /// Asks for nothing any more: the thread is to end, and what it still posts goes nowhere.
  public func stop() {
    waiting = nil
    guard let running else { return }
    running.stop()
    self.running = nil
    abandoned = running.hasEnded ? nil : running
    generation += 1
    queue.begin(generation: generation)
  }

  /// Has the source begin anew with what is asked of it: what it set on the device may be no more.
  public func restart() throws(SystemError) {
    guard let demand = running?.demand else { return }
    stop()
    try want(demand)
  }

  private func start(_ demand: Demand) throws(SystemError) {
    abandoned = nil
    waiting = nil
    generation += 1
    queue.begin(generation: generation)
    let port = SourcePort<Raw, Demand>(queue: queue, generation: generation, demand: demand)
    let source = make()
    let wake = wake
    try PlainThread.start(name: name) {
      source.run(port)
      port.markEnded()
      wake.signal()
    }
    running = port
  }

  private func drain() {
    wake.clear()
    if let demand = waiting, abandoned?.hasEnded ?? true {
      do throws(SystemError) {
        try start(demand)
      } catch {
        Journal.error("\(error); the source stays off until it is asked for again", .source)
      }
    } else if abandoned?.hasEnded ?? false {
      abandoned = nil
      ended()
    }
    let posted = queue.drain()
    if !posted.isEmpty { receive(posted) }
  }
}
