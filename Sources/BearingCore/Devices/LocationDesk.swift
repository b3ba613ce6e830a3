internal import BearingModel

/// What the location manager does on the loop: runs the source while somebody listens, puts its
/// reports through the engine, and sends what comes out to streams and one-shots.
final class LocationDesk {
  let instance: String
  let setup: LocationManager.Setup
  private(set) var engine: LocationEngine
  var fixes = Hub<LocationSubscription>()
  var skies = Hub<PacedSubscription>()
  var headings = Hub<PacedSubscription>()
  var oneShots: [OneShot] = []

  private(set) var approximate: ApproximateDesk?
  /// What approximate callers asked for before the secret was read.
  private var awaitingSecret: [(ApproximateDesk) -> Void] = []
  /// Streams that they opened before it was.
  var earlyStreams = Hub<ApproximateSubscription>()
  private var memory: LocationMemory?
  /// Calls that came before the last fix was read; nil once it was, or took too long.
  private var awaitingRecall: [Exchange]? = []
  private var recallDeadline: BootTime?
  /// A call right after the start waits no longer than this for a slow disk.
  private static let recallPatience = Nanoseconds.second
  private var observer: ((Fix, FixMoment) -> Void)?

  private(set) var home: DeviceHome?
  private var runner: SourceRunner<GnssReport, GnssDemand>?
  private var timer: LoopTimer?
  private var isShutDown = false
  /// When the system clock was last looked at, and how often it is while reports come.
  private var clockLookedAt: BootTime?
  private static let clockLookInterval = 10 * Nanoseconds.second
  /// Times that gpsd answered, since the start.
  private var connectionCount = 0
  /// Fixes since the start, refined ones not counted.
  private var fixCount = 0
  private var events: [LocationEvent] = []
  private var recipients: [StreamID] = []
  private var writer = JSONWriter(capacity: 8192)

  init(instance: String, setup: LocationManager.Setup) {
    self.instance = instance
    self.setup = setup
    engine = LocationEngine(configuration: setup.engine)
  }

  func attach(to home: DeviceHome) throws(SystemError) {
    self.home = home
    memory = LocationMemory(home.storage)
    timer = try home.loop.timer { [unowned self] in advance() }
    runner = try SourceRunner(
      loop: home.loop, name: "gnss", make: setup.makeSource,
      receive: { [unowned self] reports in take(reports) }, ended: home.statusChanged)
    memory?.recall { [unowned self] fix, receipt in
      // One that was simulated says nothing of a real receiver's place, nor the other way round.
      if let fix, fix.simulated == engine.configuration.simulated {
        engine.restore(fix, receipt: receipt)
      }
      finishRecall()
    } secret: { [unowned self] secret in
      let desk = ApproximateDesk(
        secret, period: setup.approximateInterval, outlet: home.outlet)
      approximate = desk
      for early in earlyStreams.records {
        desk.open(early.stream, filter: early.filter, heartbeat: early.heartbeat)
      }
      earlyStreams = Hub()
      for task in awaitingSecret { task(desk) }
      awaitingSecret = []
      stopIfUnneeded()
    }
  }

  func handle(_ exchange: Exchange) {
    guard awaitingRecall != nil else { return carryOut(exchange) }
    let stream = exchange.stream
    exchange.onAbandon = { [unowned self] in awaitingRecall?.removeAll { $0.stream == stream } }
    awaitingRecall?.append(exchange)
    if recallDeadline == nil { recallDeadline = .now() + Self.recallPatience }
    rearm()
  }

  private func finishRecall() {
    let calls = awaitingRecall ?? []
    awaitingRecall = nil
    recallDeadline = nil
    for exchange in calls where !exchange.isOver {
      exchange.onAbandon = nil
      carryOut(exchange)
    }
    rearm()
  }

  var status: DeviceStatus {
    DeviceStatus(
      kind: LocationManager.kind, state: engine.state.rawValue, detail: detail,
      subscribers: subscriberCount, instance: instance,
      simulated: engine.configuration.simulated)
  }

  private var detail: String {
    let source = setup.summary
    if !engine.detail.isEmpty { return "\(source): \(engine.detail)" }
    return engine.activeReceiver.map { "\(source), receiver \($0)" } ?? source
  }

  var counters: SourceCounters { runner?.counters ?? SourceCounters() }

  func collect(into metrics: inout MetricsWriter) {
    metrics.single(
      "location_fixes_total", .counter, "Fixes since the start.", Double(fixCount))
    metrics.single(
      "location_connections_total", .counter, "Times that the source of fixes was connected.",
      Double(connectionCount))
    let seconds = Double(Nanoseconds.second)
    metrics.single(
      "location_fix_age_seconds", .gauge, "Age of the last fix.",
      age(at: .now()).map { Double($0) / seconds })
    metrics.single(
      "location_horizontal_accuracy_meters", .gauge, "Radius of 68 % of the last fix.",
      engine.lastFix?.horizontalAccuracy)
    metrics.single(
      "location_satellites_visible", .gauge, "Satellites in view.",
      engine.sky.map { Double($0.visible) })
    metrics.single(
      "location_satellites_used", .gauge, "Satellites that the fix is made with.",
      engine.sky.map { Double($0.used) })
  }

  /// Does something for an approximate caller, when the grid is known.
  func withApproximate(_ task: @escaping (ApproximateDesk) -> Void) {
    if let approximate {
      task(approximate)
    } else {
      awaitingSecret.append(task)
    }
  }

  func openApproximate(_ stream: StreamID, filter: LocationFilter, heartbeat: Heartbeat) {
    if let approximate {
      approximate.open(stream, filter: filter, heartbeat: heartbeat)
    } else {
      earlyStreams.open(
        ApproximateSubscription(
          stream: stream, heartbeat: heartbeat, lastSent: .now(), filter: filter))
    }
  }

  /// Ends an approximate caller's stream; what it wanted, or nil when it is not one.
  func closeApproximate(_ stream: StreamID) -> (filter: LocationFilter, heartbeat: Heartbeat)? {
    approximate?.close(stream) ?? earlyStreams.close(stream).map { ($0.filter, $0.heartbeat) }
  }

  // MARK: Demand

  /// Starts the source; to be called before a listener is added.
  func startIfNeeded() {
    guard let runner, !runner.isRunning, !isShutDown else { return }
    runner.want(GnssDemand())
    home?.stationary.isWanted = true
    engine.start(at: .now(), into: &events)
    publish()
  }

  /// Streams and calls that wait, of all callers.
  private var subscriberCount: Int {
    fixes.records.count + skies.records.count + headings.records.count + oneShots.count
      + (observer == nil ? 0 : 1) + earlyStreams.records.count
      + (approximate?.subscriberCount ?? 0)
  }

  /// Stops the source when nobody listens; to be called after a listener is gone.
  func stopIfUnneeded() {
    if subscriberCount == 0, awaitingSecret.isEmpty { stop() }
    rearm()
    home?.statusChanged()
  }

  func shutDown() {
    isShutDown = true
    stop()
    memory?.saveNow()
  }

  func observe(_ observer: ((Fix, FixMoment) -> Void)?) {
    if observer != nil { startIfNeeded() }
    self.observer = observer
    stopIfUnneeded()
  }

  /// Whether the source's thread has not returned.
  var isBusy: Bool { runner?.hasThread ?? false }

  private func stop() {
    guard let runner, runner.isRunning else { return }
    runner.stop()
    home?.stationary.isWanted = false
    engine.stop(at: .now(), into: &events)
    publish()
  }

  // MARK: What comes

  private func take(_ reports: [GnssReport]) {
    compareClocks(at: .now())
    for report in reports where runner?.isRunning ?? false {
      if report == .connected { connectionCount += 1 }
      feelMotion()
      engine.handle(report, at: .now(), into: &events)
      publish()
    }
    rearm()
  }

  /// Lets the engine know whether the device is felt to move.
  private func feelMotion() {
    guard let stationary = home?.stationary else { return }
    engine.noteMotion(isStill: stationary.isStill, deviation: stationary.deviation)
  }

  /// Lets the engine compare the receiver's UTC with the system's, when that is of any use: a
  /// recording is of another time.
  private func compareClocks(at now: BootTime) {
    if engine.configuration.simulated { return }
    if let clockLookedAt, now - clockLookedAt < Self.clockLookInterval { return }
    clockLookedAt = now
    engine.systemClockOffset = SystemTime.synchronisedOffset()
  }

  private func advance() {
    let now = BootTime.now()
    if let recallDeadline, recallDeadline <= now { finishRecall() }
    engine.advance(to: now, into: &events)
    publish()
    sendHeartbeats(now)
    expireOneShots(now)
    if let approximate, approximate.advance(to: now, state: engine.state, fix: engine.lastFix) {
      memory?.save(approximate.view.secret)
    }
    stopIfUnneeded()
  }

  func rearm() {
    var earliest = engine.deadline
    let others = [
      fixes.deadline, skies.deadline, headings.deadline, oneShots.map(\.deadline).min(),
      recallDeadline, approximate?.deadline(at: .now()),
    ]
    for case let deadline? in others { earliest = min(earliest ?? deadline, deadline) }
    timer?.arm(at: earliest)
  }

  // MARK: What goes

  /// Sends what the engine has told; what a client does about it may make the engine tell more.
  private func publish() {
    while !events.isEmpty {
      switch events.removeFirst() {
      case .fix(let fix): publish(fix)
      case .state(let state): publish(state)
      case .sky(let sky): publish(sky)
      case .heading(let heading): publish(heading)
      case .receiver: home?.statusChanged()
      }
    }
  }

  private func publish(_ fix: Fix) {
    let now = BootTime.now()
    let receipt = engine.lastFixReceipt ?? now
    let isRefined = fix.refined ?? false
    if !isRefined { fixCount += 1 }
    let period = engine.medianPeriod
    let isStationary = engine.isStationary
    recipients.removeAll(keepingCapacity: true)
    fixes.select(at: now, into: &recipients) { record in
      if isRefined { return record.lastSequence == fix.sequence }
      let verdict = record.filter.evaluate(
        fix, receipt: receipt, medianPeriod: period, stationary: isStationary)
      record.log.note(fix.sequence, verdict)
      if verdict.passed { record.lastSequence = fix.sequence }
      return verdict.passed
    }
    rememberRecipients()
    send(.latest, sequence: fix.sequence) {
      $0.writeLocation(engine.state, fix, age: now - receipt)
    }
    answerOneShots(fix, receipt: receipt)
    memory?.note(fix, at: now)
    guard !isRefined else { return }
    let time = fix.timestamp.map { Int64($0) * Nanoseconds.microsecond }
    observer?(fix, FixMoment(receipt: receipt, time: time))
  }

  /// Keeps what the streams that have a fix now remember of it.
  private func rememberRecipients() {
    guard let outlet = home?.outlet else { return }
    var next = 0
    for record in fixes.records where next < recipients.count && record.stream == recipients[next] {
      next += 1
      outlet.remember(record.filter, cursor: record.lastSequence, of: record.stream)
    }
  }

  private func publish(_ state: LocationState) {
    let now = BootTime.now()
    recipients.removeAll(keepingCapacity: true)
    fixes.select(at: now, into: &recipients) { _ in true }
    skies.select(at: now, into: &recipients) { _ in true }
    headings.select(at: now, into: &recipients) { _ in true }
    send(.event) { $0.member("state", state.rawValue) }
    if state == .lost { memory?.saveNow() }
    home?.statusChanged()
  }

  private func publish(_ sky: Sky) {
    let now = BootTime.now()
    recipients.removeAll(keepingCapacity: true)
    let period = engine.medianPeriod
    skies.select(at: now, into: &recipients) { $0.takes(at: now, medianPeriod: period) }
    send(.latest) { $0.writeSky(engine.state, sky, at: now) }
  }

  private func publish(_ heading: Heading) {
    let now = BootTime.now()
    recipients.removeAll(keepingCapacity: true)
    let period = engine.medianHeadingPeriod
    headings.select(at: now, into: &recipients) { $0.takes(at: now, medianPeriod: period) }
    send(.latest) { $0.writeHeading(engine.state, heading, at: now) }
  }

  private func sendHeartbeats(_ now: BootTime) {
    recipients.removeAll(keepingCapacity: true)
    fixes.selectSilent(at: now, into: &recipients)
    send(.latest, sequence: engine.lastFix?.sequence ?? 0) { writer in
      writer.writeLocation(engine.state, engine.lastFix, age: age(at: now))
      writer.member("repeated", true)
    }
    recipients.removeAll(keepingCapacity: true)
    skies.selectSilent(at: now, into: &recipients)
    send(.latest) { writer in
      writer.writeSky(engine.state, engine.sky, at: now)
      writer.member("repeated", true)
    }
    recipients.removeAll(keepingCapacity: true)
    headings.selectSilent(at: now, into: &recipients)
    send(.latest) { writer in
      writer.writeHeading(engine.state, engine.heading, at: now)
      writer.member("repeated", true)
    }
  }

  /// Sends the first reply of a stream: what is known now.
  func sendFirst(
    to stream: StreamID, _ members: (inout JSONWriter) -> Void
  ) {
    recipients.removeAll(keepingCapacity: true)
    recipients.append(stream)
    send(.event, members)
  }

  /// Encodes once and sends to all recipients; when there are none, neither.
  private func send(
    _ kind: StreamMessage.Kind, sequence: Int = 0, _ members: (inout JSONWriter) -> Void
  ) {
    guard !recipients.isEmpty else { return }
    let message = StreamMessage(
      kind, tellsLoss: true, sequence: sequence, writer: &writer, members)
    home?.outlet.send(message, to: recipients)
  }

  /// Nanoseconds since the last fix was received; nil when there was none.
  func age(at now: BootTime) -> Int64? { engine.lastFixReceipt.map { now - $0 } }

  // MARK: One-shots

  private func answerOneShots(_ fix: Fix, receipt: BootTime) {
    guard !oneShots.isEmpty else { return }
    for index in oneShots.indices { oneShots[index].note(fix, receipt: receipt) }
    let done = oneShots.filter { $0.accepts(fix) }
    guard !done.isEmpty else { return }
    oneShots.removeAll { $0.accepts(fix) }
    for oneShot in done { oneShot.answer(fix, receipt: receipt, asBestEffort: false) }
    stopIfUnneeded()
  }

  private func expireOneShots(_ now: BootTime) {
    let done = oneShots.filter { $0.deadline <= now }
    guard !done.isEmpty else { return }
    oneShots.removeAll { $0.deadline <= now }
    for oneShot in done { oneShot.expire(state: engine.state) }
    stopIfUnneeded()
  }
}
