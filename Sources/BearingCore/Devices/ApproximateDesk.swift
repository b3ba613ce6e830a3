internal import BearingModel
internal import Varlink

/// Serves the callers of location who may know only roughly where the machine is.
///
/// Everything here works on what the last tick told: filters, accuracies, ages, one-shots.
final class ApproximateDesk {
  private(set) var view: ApproximateView
  private var hub = Hub<ApproximateSubscription>()
  private var oneShots: [OneShot] = []
  private var writer = JSONWriter()
  private weak var outlet: (any Outlet)?
  /// The next tick to look at; nil while nobody listens.
  private var nextTick: BootTime?

  init(_ secret: ApproximateView.Secret, period: Int64, outlet: any Outlet) {
    view = ApproximateView(secret, period: period)
    self.outlet = outlet
  }

  /// Streams and calls that wait.
  var subscriberCount: Int { hub.records.count + oneShots.count }

  /// When `advance` is to be called; nil while nobody listens.
  func deadline(at now: BootTime) -> BootTime? {
    guard subscriberCount > 0 else { return nil }
    let others = [hub.deadline, oneShots.map(\.deadline).min()].compactMap { $0 }
    return others.reduce(nextTick ?? now, min)
  }

  /// Does what is due; true when the machine's cell is another, which is to be stored.
  func advance(to now: BootTime, state: LocationState, fix: Fix?) -> Bool {
    var hasMoved = false
    if let due = nextTick, due <= now {
      // After a suspend several are past: what is known now is of the last of them.
      let tick = view.nextTick(after: now) + -view.period
      let before = view.state
      hasMoved = view.look(at: tick, state: state, fix: fix)
      nextTick = nil
      tell(at: now, stateChanged: view.state != before)
    }
    expireOneShots(now)
    sendHeartbeats(now)
    nextTick = subscriberCount > 0 ? nextTick ?? view.nextTick(after: now) : nil
    return hasMoved
  }

  // MARK: Calls

  /// Opens a stream, with its first reply; also one whose caller may know no more from now on.
  func open(_ stream: StreamID, filter: LocationFilter, heartbeat: Heartbeat) {
    let now = begin()
    var record = ApproximateSubscription(
      stream: stream, heartbeat: heartbeat, lastSent: now, filter: filter.forgetful)
    let reply = firstReply(&record, at: now)
    prepareTick(now)
    hub.open(record)
    outlet?.send(reply, to: [stream])
  }

  func getFix(_ oneShot: OneShot, maxAge: Int64) {
    let now = begin()
    if let fix = view.fix, let tick = view.tick, now - tick <= maxAge, oneShot.accepts(fix) {
      return oneShot.answer(numbered(fix, 1), receipt: tick, asBestEffort: false)
    }
    prepareTick(now)
    oneShots.append(oneShot)
  }

  func getLastKnown(_ exchange: Exchange) {
    let now = begin()
    exchange.reply { writer in
      writer.writeLocation(view.state, view.fix.map { numbered($0, 1) }, age: age(at: now))
    }
  }

  /// Before a call is carried out; gives now.
  private func begin() -> BootTime {
    let now = BootTime.now()
    if subscriberCount == 0 { view.rest(at: now) }
    return now
  }

  /// A listener is to be added: a tick that passed while there was none is not made up for.
  private func prepareTick(_ now: BootTime) {
    if subscriberCount == 0 || nextTick == nil { nextTick = view.nextTick(after: now) }
  }

  /// Ends a stream; what it wanted, or nil when it is not one of these.
  func close(_ stream: StreamID) -> (filter: LocationFilter, heartbeat: Heartbeat)? {
    hub.close(stream).map { ($0.filter, $0.heartbeat) }
  }

  /// What the caller of a stream left out is another value from now on.
  func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences) {
    hub.update(stream) { $0.filter.prefer(preferences) }
    hub.prefer(preferences, for: stream)
  }

  /// Forgets a call whose caller is gone.
  func abandon(_ stream: StreamID) {
    oneShots.removeAll { $0.exchange.stream == stream }
  }

  /// What the stream's filters said of its last samples; nil when it is not one of these.
  func decisions(of stream: StreamID) -> [DecisionLog.Decision]? {
    hub.records.first { $0.stream == stream }?.log.decisions
  }

  // MARK: What is told

  private func firstReply(
    _ record: inout ApproximateSubscription, at now: BootTime
  ) -> StreamMessage {
    var fix = view.fix
    if view.state == .live, let told = view.fix, let tick = view.tick {
      record.filter.noteDelivered(told, receipt: tick)
      record.delivered = 1
    }
    fix?.sequence = 1
    return StreamMessage(.event, tellsLoss: true, writer: &writer) {
      $0.writeLocation(view.state, fix, age: age(at: now))
    }
  }

  /// Each stream counts its own fixes, so each has a message of its own: six an hour.
  private func tell(at now: BootTime, stateChanged: Bool) {
    if stateChanged {
      var all: [StreamID] = []
      hub.select(at: now, into: &all) { _ in true }
      let message = StreamMessage(.event, tellsLoss: true, writer: &writer) {
        $0.member("state", view.state.rawValue)
      }
      outlet?.send(message, to: all)
    }
    guard view.state == .live, let fix = view.fix, let tick = view.tick else { return }
    var recipients: [StreamID] = []
    var sequences: [Int] = []
    hub.select(at: now, into: &recipients) { record in
      let verdict = record.filter.evaluate(
        fix, receipt: tick, medianPeriod: view.period, stationary: false)
      record.log.note(record.delivered + 1, verdict)
      guard verdict.passed else { return false }
      record.delivered += 1
      sequences.append(record.delivered)
      return true
    }
    for (stream, sequence) in zip(recipients, sequences) {
      let message = StreamMessage(.latest, tellsLoss: true, sequence: sequence, writer: &writer) {
        $0.writeLocation(view.state, numbered(fix, sequence), age: now - tick)
      }
      outlet?.send(message, to: [stream])
    }
    for index in oneShots.indices { oneShots[index].note(fix, receipt: tick) }
    let done = oneShots.filter { $0.accepts(fix) }
    oneShots.removeAll { $0.accepts(fix) }
    for oneShot in done { oneShot.answer(numbered(fix, 1), receipt: tick, asBestEffort: false) }
  }

  private func sendHeartbeats(_ now: BootTime) {
    var silent: [StreamID] = []
    hub.selectSilent(at: now, into: &silent)
    for stream in silent {
      guard let record = hub.records.first(where: { $0.stream == stream }) else { continue }
      let fix = view.fix.map { numbered($0, max(1, record.delivered)) }
      let message = StreamMessage(
        .latest, tellsLoss: true, sequence: fix?.sequence ?? 0, writer: &writer
      ) { writer in
        writer.writeLocation(view.state, fix, age: age(at: now))
        writer.member("repeated", true)
      }
      outlet?.send(message, to: [stream])
    }
  }

  private func expireOneShots(_ now: BootTime) {
    let done = oneShots.filter { $0.deadline <= now }
    oneShots.removeAll { $0.deadline <= now }
    for oneShot in done { oneShot.expire(state: view.state) }
  }

  private func numbered(_ fix: Fix, _ sequence: Int) -> Fix {
    var fix = fix
    fix.sequence = sequence
    return fix
  }

  private func age(at now: BootTime) -> Int64? { view.tick.map { now - $0 } }
}

/// One stream of an approximate caller. Flat.
struct ApproximateSubscription: Subscription {
  let stream: StreamID
  var heartbeat: Heartbeat
  var lastSent: BootTime
  var filter: LocationFilter
  /// Fixes that the stream had: its own sequence.
  var delivered = 0
  var log = DecisionLog()
}
