internal import Locking
internal import SQLiteStore

/// The daemon's state on disk, through one thread that owns the database: no fsync stalls the loop.
///
/// Users take turns, and the daemon itself with them: however many jobs one has asked for, another's
/// waits for the one that is under way and one more. Those of one user run in the order in which they
/// were asked for. What follows a job runs on the loop, in the order in which the jobs ran.
public final class Storage {
  private let jobs: JobQueue
  private let doneWake: Wake
  private var watch: Watch?
  private var followers: [JobQueue.Number: () -> Void] = [:]
  private var losses = 0
  private var lossObservers: [() -> Void] = []
  /// Called when the last job is done and followed up.
  var onRest: (() -> Void)?

  /// Storage in a database at `path`, opened (and made) by the first job.
  public init(loop: EventLoop, path: String) throws(SystemError) {
    let jobs = JobQueue()
    let done = Wake()
    self.jobs = jobs
    doneWake = done
    try PlainThread.start(name: "storage") {
      let store = StateStore(path: path)
      while let (number, job) = jobs.next() {
        job(store)
        jobs.finished(number, losses: store.losses)
        done.signal()
      }
    }
    watch = try loop.watch(done.descriptor, for: .readable) { [unowned self] _ in follow() }
  }

  deinit {
    jobs.end()
  }

  /// Calls `observer` when a damaged file was set aside, so that what is known can be stored again.
  func onLoss(_ observer: @escaping () -> Void) { lossObservers.append(observer) }

  /// Whether jobs are not done yet.
  public var isBusy: Bool { !followers.isEmpty }

  /// Runs `job` on the thread in `user`'s turn, or with nil in the daemon's own, and then `follower`
  /// with what it gave on the loop.
  func run<Output: Sendable>(
    for user: UInt32? = nil, _ job: @escaping @Sendable (StateStore) throws(StoreError) -> Output,
    then follower: @escaping (Result<Output, StoreError>) -> Void
  ) {
    run(
      for: user, { store in Result { () throws(StoreError) in try job(store) } },
      followedBy: follower)
  }

  /// Runs a `job` on another file than the database.
  func run<Output: Sendable>(
    for user: UInt32? = nil, _ job: @escaping @Sendable () -> Output,
    then follower: @escaping (Output) -> Void
  ) {
    run(for: user, { _ in job() }, followedBy: follower)
  }

  private func run<Output: Sendable>(
    for user: UInt32?, _ job: @escaping JobQueue.Work<Output>,
    followedBy follower: @escaping (Output) -> Void
  ) {
    let output = Guarded<Output?>(nil)
    let number = jobs.add(for: user) { store in
      let result = job(store)
      output.withValue { $0 = result }
    }
    followers[number] = {
      if let result = output.withValue({ $0 }) { follower(result) }
    }
  }

  private func follow() {
    doneWake.clear()
    let (finished, losses) = jobs.takeFinished()
    for number in finished { followers.removeValue(forKey: number)?() }
    if losses > self.losses {
      self.losses = losses
      for observer in lossObservers { observer() }
    }
    if followers.isEmpty { onRest?() }
  }
}

/// Jobs on their way to the storage thread.
private final class JobQueue: Sendable {
  typealias Work<Output> = @Sendable (StateStore) -> Output
  typealias Job = Work<Void>
  typealias Number = Int

  private struct State: Sendable {
    /// Each user's jobs, and the daemon's own under nil; none is empty.
    var jobs: [UInt32?: [(number: Number, job: Job)]] = [:]
    /// Those who have jobs, in the order of their turns.
    var turns: [UInt32?] = []
    var lastNumber: Number = 0
    var finished: [Number] = []
    var losses = 0
    var hasEnded = false
  }

  private let state = Guarded(State())
  private let wake = Wake()

  func add(for user: UInt32?, _ job: @escaping Job) -> Number {
    let number = state.withValue { state in
      state.lastNumber += 1
      if state.jobs[user] == nil { state.turns.append(user) }
      state.jobs[user, default: []].append((state.lastNumber, job))
      return state.lastNumber
    }
    wake.signal()
    return number
  }

  /// Lets the thread return when the jobs that wait are done.
  func end() {
    state.withValue { $0.hasEnded = true }
    wake.signal()
  }

  /// The next job; waits for it. nil at the end.
  func next() -> (Number, Job)? {
    while true {
      let (next, hasEnded) = state.withValue { state in (Self.takeNext(&state), state.hasEnded) }
      if let next { return next }
      if hasEnded { return nil }
      wake.wait()
    }
  }

  private static func takeNext(_ state: inout State) -> (Number, Job)? {
    guard let user = state.turns.first, var waiting = state.jobs[user] else { return nil }
    let next = waiting.removeFirst()
    state.turns.removeFirst()
    if !waiting.isEmpty { state.turns.append(user) }
    state.jobs[user] = waiting.isEmpty ? nil : waiting
    return next
  }

  func finished(_ number: Number, losses: Int) {
    state.withValue { state in
      state.finished.append(number)
      state.losses = losses
    }
  }

  /// Jobs that were done since this was last asked, in their order, and files that were set aside ever.
  func takeFinished() -> (finished: [Number], losses: Int) {
    state.withValue { state in
      defer { state.finished = [] }
      return (state.finished, state.losses)
    }
  }
}
