internal import Locking
internal import SQLiteStore

/// The daemon's state on disk, through one thread that owns the database: no fsync stalls the loop.
///
/// Jobs run in the order in which they were asked for; what follows one runs on the loop, in the
/// same order.
public final class Storage {
  private let jobs: JobQueue
  private let doneWake: Wake
  private var watch: Watch?
  private var followers: [() -> Void] = []
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
      while let job = jobs.next() {
        job(store)
        jobs.finished(losses: store.losses)
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

  /// Runs `job` on the thread, and then `follower` with what it gave on the loop.
  func run<Output: Sendable>(
    _ job: @escaping @Sendable (StateStore) throws(StoreError) -> Output,
    then follower: @escaping (Result<Output, StoreError>) -> Void
  ) {
    run(
      { store in Result { () throws(StoreError) in try job(store) } },
      followedBy: follower)
  }

  /// Runs a `job` on another file than the database.
  func run<Output: Sendable>(
    _ job: @escaping @Sendable () -> Output, then follower: @escaping (Output) -> Void
  ) {
    run({ _ in job() }, followedBy: follower)
  }

  private func run<Output: Sendable>(
    _ job: @escaping JobQueue.Work<Output>, followedBy follower: @escaping (Output) -> Void
  ) {
    let output = Guarded<Output?>(nil)
    followers.append {
      if let result = output.withValue({ $0 }) { follower(result) }
    }
    jobs.add { store in
      let result = job(store)
      output.withValue { $0 = result }
    }
  }

  private func follow() {
    doneWake.clear()
    let (finished, losses) = jobs.takeFinished()
    for _ in 0..<finished where !followers.isEmpty { followers.removeFirst()() }
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

  private struct State: Sendable {
    var jobs: [Job] = []
    var finished = 0
    var losses = 0
    var hasEnded = false
  }

  private let state = Guarded(State())
  private let wake = Wake()

  func add(_ job: @escaping Job) {
    state.withValue { $0.jobs.append(job) }
    wake.signal()
  }

  /// Lets the thread return when the jobs that wait are done.
  func end() {
    state.withValue { $0.hasEnded = true }
    wake.signal()
  }

  /// The next job; waits for it. nil at the end.
  func next() -> Job? {
    while true {
      let (job, hasEnded): (Job?, Bool) = state.withValue { state in
        (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.hasEnded)
      }
      if let job { return job }
      if hasEnded { return nil }
      wake.wait()
    }
  }

  func finished(losses: Int) {
    state.withValue { state in
      state.finished += 1
      state.losses = losses
    }
  }

  /// Jobs that were done since this was last asked, and files that were set aside ever.
  func takeFinished() -> (finished: Int, losses: Int) {
    state.withValue { state in
      defer { state.finished = 0 }
      return (state.finished, state.losses)
    }
  }
}
