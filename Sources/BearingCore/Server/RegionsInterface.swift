internal import BearingModel
internal import SQLiteStore
internal import Varlink

/// `io.bearing.regions`: circles that are watched for their owner, also while it is away.
///
/// An event is stored before anybody is told. What streams are sent is read from the store, so that
/// none is told what a crash could undo, and a reader that comes back misses nothing.
final class RegionsInterface: InterfaceHandler {
  static let name = "io.bearing.regions"
  static let definition = InterfaceDefinition(
    description: InterfaceText.regions,
    methods: [
      "Add": .precisePosition, "Remove": .precisePosition, "List": .precisePosition,
      "Subscribe": .precisePosition,
    ])

  /// Events in one reply: small enough for a message that is sent whole.
  static let eventsPerReply = 40

  unowned let outlet: any Outlet
  let storage: Storage
  let boot = Boot.identifier()
  private var timer: LoopTimer?
  /// How long to wait before asking the store again for what it could not do.
  private let retryTime: Int64
  /// Whether a user may know where the machine is.
  private let mayKnow: (UInt32) -> Bool
  /// Called when there is a first region to watch, or none any more.
  private let demandChanged: (Bool) -> Void

  private var table = RegionTable()
  private var isDemanding = false
  /// Users whose calls the door has let through since the rules changed last. What groups a user's
  /// service has, nobody but its own connections tells.
  private var admitted: Set<UInt32> = []
  private var loading = Loading.failed
  /// Calls that wait for the stored regions.
  private var awaitingLoad: [Exchange] = []
  var hub = Hub<RegionSubscription>()
  private lazy var regionWriter = RegionWriter(
    storage, boot: boot,
    known: { [unowned self] in table.entries.map { StoredRegion($0) } },
    stored: { [unowned self] in tellStored($0) },
    failed: { [unowned self] in
      failed($0, "region events wait in memory and are stored when it can be")
    })
  /// Whether the store could not do what it was asked for last, and that was logged.
  private var hasFailed = false
  private var retryAt: BootTime?
  private var lastPlace: Fix?
  var writer = JSONWriter(capacity: 16_384)

  init(
    outlet: any Outlet, loop: EventLoop, storage: Storage,
    retryTime: Int64 = 10 * Nanoseconds.second, mayKnow: @escaping (UInt32) -> Bool,
    demandChanged: @escaping (Bool) -> Void
  ) throws(SystemError) {
    self.outlet = outlet
    self.storage = storage
    self.retryTime = retryTime
    self.mayKnow = mayKnow
    self.demandChanged = demandChanged
    timer = try loop.timer { [unowned self] in advance() }
    storage.onLoss { [unowned self] in
      regionWriter.noteLoss()
      retryLater()
    }
    load()
  }

  /// Whether the stored regions are known.
  private enum Loading {
    case pending, done, failed
  }

  private func load() {
    loading = .pending
    let boot = boot
    storage.run { (store) throws(StoreError) in
      try store.regions(boot: boot)
    } then: { [unowned self] result in
      take(result)
    }
  }

  private func take(_ result: Result<[StoredRegion], StoreError>) {
    let waiting = awaitingLoad
    awaitingLoad = []
    switch result {
    case .success(let stored):
      loading = .done
      hasFailed = false
      for one in stored {
        table.add(
          one.region, owner: one.owner, isDwellTold: one.isDwellTold,
          insideSince: one.insideSince.flatMap { BootTime(past: $0) }, now: .now())
      }
      review()
      for exchange in waiting where !exchange.isOver {
        exchange.onAbandon = nil
        carryOut(exchange)
      }
    case .failure(let error):
      loading = .failed
      failed(error, "no region is watched until it can be read")
      for exchange in waiting { exchange.fail(storing: error) }
    }
  }

  // MARK: Who may

  /// The rules of access have changed: whose regions may be watched is another matter now.
  func rulesChanged() {
    admitted = []
    review()
  }

  private func review() {
    tell(table.wake({ admitted.contains($0) || mayKnow($0) }, now: .now()))
    updateDemand()
  }

  private func updateDemand() {
    guard table.needsFixes != isDemanding else { return }
    isDemanding = table.needsFixes
    demandChanged(isDemanding)
  }

  // MARK: What happens

  /// Takes in an accepted fix, neither refined nor repeated.
  func note(_ fix: Fix, at moment: FixMoment) {
    lastPlace = fix
    tell(table.note(fix, at: moment))
  }

  private func advance() {
    let now = BootTime.now()
    if lastPlace != nil { tell(table.takeDwells(at: now)) }
    if let retryAt, retryAt <= now { retry() }
    sendHeartbeats(now)
    rearm()
  }

  private func retry() {
    retryAt = nil
    if loading == .failed { load() }
    regionWriter.writeNext()
    for record in hub.records where record.isBehind { read(for: record.stream) }
  }

  private func failed(_ error: StoreError, _ consequence: String) {
    if !hasFailed { Journal.error("\(error); \(consequence)", .storage) }
    hasFailed = true
    retryLater()
  }

  func retryLater() {
    retryAt = .now() + retryTime
    rearm()
  }

  func rearm() {
    // A dwell is told with a place: after a start it waits for the first fix.
    let dwell = lastPlace == nil ? nil : table.deadline
    timer?.arm(at: [dwell, retryAt, hub.deadline].compactMap { $0 }.min())
  }

  private func tell(_ happenings: [RegionTable.Happening]) {
    guard !happenings.isEmpty else { return rearm() }
    regionWriter.write(
      happenings.map { happening in
        let entry = table.entries[happening.entry]
        return RegionHappening(
          owner: entry.owner, state: entry.watch.state,
          insideSince: entry.watch.insideSince?.microseconds,
          isDwellTold: entry.watch.isDwellTold,
          event: happening.kind.flatMap { kind in
            lastPlace.map { entry.event(kind, place: $0, now: .now()) }
          },
          identifier: entry.region.identifier)
      })
    rearm()
  }

  /// Something is stored: `owners` have events in it, of which they are told now.
  private func tellStored(_ owners: Set<UInt32>) {
    hasFailed = false
    for owner in owners { pump(owner) }
  }

  // MARK: Calls

  func handle(_ exchange: Exchange) {
    if loading == .done { return carryOut(exchange) }
    let stream = exchange.stream
    exchange.onAbandon = { [unowned self] in awaitingLoad.removeAll { $0.stream == stream } }
    awaitingLoad.append(exchange)
    if loading == .failed { load() }
  }

  private func carryOut(_ exchange: Exchange) {
    let isNew = admitted.insert(exchange.caller.uid).inserted
    if isNew, table.isAsleep(exchange.caller.uid) { review() }
    do throws(ServiceError) {
      switch exchange.call.method {
      case "Add": try add(exchange)
      case "Remove": remove(exchange)
      case "Subscribe": try subscribe(exchange)
      default:
        let regions = table.regions(of: exchange.caller.uid)
        exchange.reply { writer in
          writer.key("regions")
          writer.array(regions) { $0.value($1) }
        }
      }
    } catch {
      exchange.fail(error)
    }
  }

  private func add(_ exchange: Exchange) throws(ServiceError) {
    let region = try Region(exchange)
    let owner = exchange.caller.uid
    if table.number(of: region.identifier, owner: owner) != nil {
      return exchange.fail("RegionExists") { $0.member("identifier", region.identifier) }
    }
    guard table.regions(of: owner).count < RegionTable.limit else {
      return exchange.refuse(quota: "regions", limit: RegionTable.limit)
    }
    let number = table.add(region, owner: owner, now: .now())
    regionWriter.write(.add(region, owner: owner)) { [unowned self] error in
      if let error {
        table.remove(number)
        return exchange.fail(storing: error)
      }
      updateDemand()
      exchange.reply { writer in
        writer.key("region")
        writer.value(region)
      }
    }
  }

  private func remove(_ exchange: Exchange) {
    let identifier = exchange.call.parameters["identifier"]?.string ?? ""
    let owner = exchange.caller.uid
    guard let number = table.number(of: identifier, owner: owner) else {
      return exchange.fail("RegionNotFound") { $0.member("identifier", identifier) }
    }
    regionWriter.write(.remove(identifier, owner: owner)) { [unowned self] error in
      if let error { return exchange.fail(storing: error) }
      table.remove(number)
      updateDemand()
      exchange.reply { _ in }
      rearm()
    }
  }
}

extension StoredRegion {
  fileprivate init(_ entry: RegionTable.Entry) {
    self.init(
      owner: entry.owner, region: entry.current,
      insideSince: entry.watch.insideSince?.microseconds, isDwellTold: entry.watch.isDwellTold)
  }
}
