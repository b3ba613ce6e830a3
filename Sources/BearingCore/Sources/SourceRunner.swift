/// Starts a thread of that name.
typealias ThreadStart = (String, @escaping @Sendable () -> Void) throws(SystemError) -> Void

/// Runs one source on a thread while something is asked of it, on the loop's side.
///
/// A thread that is stuck in a device call is abandoned: what it posts later goes nowhere, it is
/// never joined, and no second one is started until it has returned. When the system has no thread to
/// give, the source stays silent, and it is tried again.
public final class SourceRunner<Raw: Sendable, Demand: Sendable & Equatable> {
  /// Nanoseconds after which a thread that could not be made is tried again.
  private static var retryTime: Int64 { Nanoseconds.second }

  /// What is received in one turn of the loop: with many streams, all that can wait takes seconds,
  /// in which the loop does nothing else.
  private static var mostPerTurn: Int { 64 }

  private let name: String
  private let startThread: ThreadStart
  private let make: () -> any Source<Raw, Demand>
  private let receive: ([Raw]) -> Void
  private let ended: () -> Void
  private let wake: Wake
  private let queue: SourceQueue<Raw>
  private var watch: Watch?
  private var retry: LoopTimer?
  private var isFailureTold = false
  private var generation = 0
  private var running: SourcePort<Raw, Demand>?
  private var abandoned: SourcePort<Raw, Demand>?
  private var waiting: Demand?

  /// A runner with nothing running.
  ///
  /// On the loop, `receive` is called with what was posted, and `ended` when the thread of a
  /// demand that is over has returned.
  public convenience init(
    loop: EventLoop, name: String, make: @escaping () -> any Source<Raw, Demand>,
    receive: @escaping ([Raw]) -> Void, ended: @escaping () -> Void
  ) throws(SystemError) {
    try self.init(
      loop: loop, name: name, startThread: PlainThread.start, make: make, receive: receive,
      ended: ended)
  }

  /// The same, with another way to start a thread.
  init(
    loop: EventLoop, name: String, startThread: @escaping ThreadStart,
    make: @escaping () -> any Source<Raw, Demand>, receive: @escaping ([Raw]) -> Void,
    ended: @escaping () -> Void
  ) throws(SystemError) {
    self.startThread = startThread
    self.ended = ended
    self.name = name
    self.make = make
    self.receive = receive
    wake = Wake()
    queue = SourceQueue(wake: wake)
    watch = try loop.watch(wake.descriptor, for: .readable) { [unowned self] _ in drain() }
    retry = try loop.timer { [unowned self] in startWaiting() }
  }

  /// Whether samples are asked for.
  public var isRunning: Bool { running != nil || waiting != nil }

  /// Whether a thread is there, also one that is to end.
  public var hasThread: Bool { running != nil || abandoned != nil }

  /// What its line has carried since the start.
  public var counters: SourceCounters { queue.counters }

  /// Asks for `demand` from now on.
  public func want(_ demand: Demand) {
    if let running { return running.change(demand) }
    waiting = demand
    startWaiting()
  }

  /// Asks for nothing any more: the thread is to end, and what it still posts goes nowhere.
  public func stop() {
    waiting = nil
    retry?.arm(at: nil)
    guard let running else { return }
    running.stop()
    self.running = nil
    abandoned = running.hasEnded ? nil : running
    generation += 1
    queue.begin(generation: generation)
  }

  /// Has the source begin anew with what is asked of it: what it set on the device may be no more.
  public func restart() {
    guard let demand = running?.demand else { return }
    stop()
    want(demand)
  }

  /// Starts what waits, unless an earlier thread has not returned: then `drain` comes back to it.
  private func startWaiting() {
    guard let demand = waiting, abandoned?.hasEnded ?? true else { return }
    do throws(SystemError) {
      try start(demand)
      (abandoned, waiting) = (nil, nil)
      isFailureTold = false
    } catch {
      retry?.arm(at: .now() + Self.retryTime)
      if !isFailureTold { Journal.error("\(error); it is tried again and again", .source) }
      isFailureTold = true
    }
  }

  private func start(_ demand: Demand) throws(SystemError) {
    generation += 1
    queue.begin(generation: generation)
    let port = SourcePort<Raw, Demand>(queue: queue, generation: generation, demand: demand)
    let source = make()
    let wake = wake
    try startThread(name) {
      source.run(port)
      port.markEnded()
      wake.signal()
    }
    running = port
  }

  private func drain() {
    wake.clear()
    if waiting != nil {
      startWaiting()
    } else if abandoned?.hasEnded ?? false {
      abandoned = nil
      ended()
    }
    let posted = queue.drain(atMost: Self.mostPerTurn)
    if !posted.isEmpty { receive(posted) }
  }
}
