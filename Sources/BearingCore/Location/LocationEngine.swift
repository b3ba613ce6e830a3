public import BearingModel

/// What the location engine tells of.
public enum LocationEvent: Sendable, Equatable {
  /// A fix to deliver; `refined` true on a better report of the one before, which no filter sees.
  case fix(Fix)
  /// A change of state; comes before the fix that made it.
  case state(LocationState)
  /// The sky changed.
  case sky(Sky)
  /// A heading came.
  case heading(Heading)
  /// Another receiver is in use, by its name in gpsd; nil when there is none.
  case receiver(String?)
}

/// Turns a GNSS source's reports into fixes and states: a pure state machine without clock or I/O.
///
/// Feed it reports with `handle`, and time with `advance` whenever `deadline` has come. Time never
/// goes back: an earlier moment counts as the latest one seen.
public struct LocationEngine: Sendable {
  /// The rules' constants.
  public let configuration: Configuration
  /// How far the position can be relied on now.
  public private(set) var state = LocationState.off
  /// The last fix, however old; nil before the first.
  public private(set) var lastFix: Fix?
  /// When that fix was received.
  public private(set) var lastFixReceipt: BootTime?
  /// What the source says of its connection; empty when there is nothing to say.
  public private(set) var detail = ""
  /// UTC of the system clock minus CLOCK_BOOTTIME in nanoseconds; nil while it is not synchronised.
  public var systemClockOffset: Int64?

  private var now = BootTime(nanoseconds: 0)
  private var isRunning = false
  private var isConnected = false
  /// Whether there was a fix since the connection or the receiver came.
  private var hasFixSince = false
  private var isLostByMode = false
  /// When a fix was held back that nothing contradicted since.
  private var heldBack: BootTime?
  private var sequence = 0

  private var receiverTable: ReceiverTable
  private var epochs: EpochAssembler
  private var rhythm: Rhythm
  private var plausibility: FixPlausibility
  private var course: CourseGate
  private var trust: TimeTrust
  private var frozen: FrozenDetector
  private var stationary: StationaryDetector
  private var skyKeeper = SkyKeeper()
  private var headingKeeper: HeadingKeeper

  /// An engine that is off until its source starts.
  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    receiverTable = ReceiverTable(configuration)
    epochs = EpochAssembler(configuration)
    rhythm = Rhythm(epochs: configuration.periodEpochs)
    plausibility = FixPlausibility(configuration)
    course = CourseGate(configuration)
    trust = TimeTrust(configuration)
    frozen = FrozenDetector(configuration)
    stationary = StationaryDetector(configuration)
    headingKeeper = HeadingKeeper(configuration)
  }

  // MARK: What is known

  /// The sky of the receiver in use; nil before the first.
  public var sky: Sky? { skyKeeper.sky }
  /// The newest heading of a compass; nil before the first.
  public var heading: Heading? { headingKeeper.heading }
  /// The median step of the last headings in nanoseconds; nil before the second.
  public var medianHeadingPeriod: Int64? { headingKeeper.medianPeriod }
  /// The receivers that gpsd lists, in its order.
  public var receivers: [String] { receiverTable.names }
  /// The receiver in use, by its name in gpsd; nil when there is none.
  public var activeReceiver: String? { receiverTable.active }
  /// The median step of the last epochs in nanoseconds; nil before the second.
  public var medianPeriod: Int64? { rhythm.median }
  /// Whether the device is at rest, by the newest fix and the accelerometer.
  public var isStationary: Bool { stationary.isStationary }

  /// When `advance` must be called next; nil when nothing changes without a report.
  public var deadline: BootTime? {
    [epochs.deadline, stateDeadline].compactMap { $0 }.min()
  }

  // MARK: What happens

  /// Takes up the last fix of an earlier run: the last known, never a live one.
  ///
  /// - Parameters:
  ///   - fix: As it was delivered.
  ///   - receipt: When it was received; nil when that was before this boot.
  public mutating func restore(_ fix: Fix, receipt: BootTime?) {
    guard lastFix == nil else { return }
    lastFix = fix
    lastFixReceipt = receipt
    sequence = fix.sequence
  }

  /// The source was started.
  public mutating func start(at moment: BootTime, into events: inout [LocationEvent]) {
    isRunning = true
    disconnect()
    changeState(at: moment, into: &events)
  }

  /// The source was stopped: nobody listens.
  public mutating func stop(at moment: BootTime, into events: inout [LocationEvent]) {
    flush(into: &events)
    isRunning = false
    disconnect()
    changeState(at: moment, into: &events)
  }

  /// Takes what the accelerometer knows, when it runs anyway.
  /// - Parameters:
  ///   - isStill: Whether the device is still; nil when that is not known.
  ///   - deviation: Standard deviation of the acceleration in m/s²; nil when not known.
  public mutating func noteMotion(isStill: Bool?, deviation: Double?) {
    stationary.accelerometerIsStill = isStill
    frozen.note(deviation: deviation)
  }

  /// Takes one report; `moment` is now, and counts for reports without a receipt of their own.
  public mutating func handle(
    _ report: GnssReport, at moment: BootTime, into events: inout [LocationEvent]
  ) {
    switch report {
    case .connecting(let detail):
      advance(to: moment, into: &events)
      flush(into: &events)
      disconnect()
      self.detail = detail
      changeState(at: moment, into: &events)
    case .connected:
      advance(to: moment, into: &events)
      isConnected = true
      detail = ""
      changeState(at: moment, into: &events)
    case .receivers(let list):
      advance(to: moment, into: &events)
      isConnected = true
      update(list, into: &events)
      changeState(at: moment, into: &events)
    case .position(let position):
      advance(to: position.receipt, into: &events)
      take(position, into: &events)
      changeState(at: position.receipt, into: &events)
    case .sky(let sky):
      advance(to: sky.receipt, into: &events)
      take(sky, into: &events)
    case .attitude(let attitude):
      advance(to: attitude.receipt, into: &events)
      guard isRunning, let heading = headingKeeper.note(attitude, active: activeReceiver) else {
        return
      }
      events.append(.heading(heading))
    }
  }

  /// Lets time pass: delivers what waited long enough, and ages the state.
  public mutating func advance(to moment: BootTime, into events: inout [LocationEvent]) {
    if let due = epochs.deadline, due <= moment {
      changeState(at: due, into: &events)
      if let epoch = epochs.takeDue(at: due) { deliver(epoch, into: &events) }
    }
    changeState(at: moment, into: &events)
  }

  // MARK: Reports

  private mutating func disconnect() {
    isConnected = false
    receiverTable.reset()
    resetReceiver()
    hasFixSince = false
    isLostByMode = false
    heldBack = nil
  }

  private mutating func update(_ list: [String], into events: inout [LocationEvent]) {
    let active = receiverTable.active
    if let active, !list.contains(active) { flush(into: &events) }
    receiverTable.update(list, at: now)
    guard receiverTable.active != active else { return }
    hasFixSince = receiverTable.activeLastFix != nil
    isLostByMode = false
    heldBack = nil
    useActiveReceiver(into: &events)
  }

  private mutating func useActiveReceiver(into events: inout [LocationEvent]) {
    resetReceiver()
    skyKeeper.reset()
    events.append(.receiver(receiverTable.active))
  }

  /// Forgets what was learned of the receiver that was in use.
  private mutating func resetReceiver() {
    epochs = EpochAssembler(configuration)
    rhythm = Rhythm(epochs: configuration.periodEpochs)
    course = CourseGate(configuration)
    trust = TimeTrust(configuration)
    frozen.reset()
  }

  private mutating func take(_ report: PositionReport, into events: inout [LocationEvent]) {
    guard isRunning, let active = receiverTable.active else { return }
    let name = report.receiver ?? active
    if name != active {
      guard let place = report.place, !place.isZero else { return }
      flushIfSwitching(to: name, at: report.receipt, into: &events)
      guard receiverTable.active == name else { return }
    }
    let outcome = epochs.add(report)
    if let closed = outcome.closed { deliver(closed, into: &events) }
    if let due = outcome.due { deliver(due, into: &events) }
    if let refined = outcome.refined { refine(refined, into: &events) }
  }

  /// Counts another receiver's fix, and starts anew when it takes over by that.
  private mutating func flushIfSwitching(
    to name: String, at receipt: BootTime, into events: inout [LocationEvent]
  ) {
    let active = receiverTable.active
    receiverTable.noteFix(of: name, at: receipt)
    guard receiverTable.active != active else { return }
    flush(into: &events)
    useActiveReceiver(into: &events)
  }

  private mutating func take(_ report: SkyReport, into events: inout [LocationEvent]) {
    guard isRunning, let active = receiverTable.active else { return }
    let name = report.receiver ?? active
    if let hdop = report.hdop { _ = receiverTable.change(name) { $0.hdop = hdop } }
    if name == active { events.append(.sky(skyKeeper.note(report))) }
  }

  // MARK: Epochs

  private mutating func flush(into events: inout [LocationEvent]) {
    if let epoch = epochs.takeWaiting() { deliver(epoch, into: &events) }
  }

  private mutating func deliver(
    _ epoch: EpochAssembler.Epoch, into events: inout [LocationEvent]
  ) {
    guard let report = epoch.best, let place = report.place else {
      if epoch.highestMode < 2 {
        isLostByMode = hasFixSince
        heldBack = nil
      }
      changeState(at: epoch.end, into: &events)
      return
    }
    rhythm.note(report.receipt)
    guard plausibility.accepts(report, at: place) else {
      heldBack = report.receipt
      changeState(at: report.receipt, into: &events)
      return
    }
    heldBack = nil
    isLostByMode = false
    hasFixSince = true
    frozen.note(report)
    stationary.note(speed: report.speed, at: report.receipt)
    let receiver = report.receiver ?? receiverTable.active
    if let receiver { receiverTable.noteFix(of: receiver, at: report.receipt) }
    _ = receiverTable.change(receiver) { $0.accuracy.note(report, hdop: $0.hdop) }
    sequence += 1
    let isTrusted = trust.note(report, clockOffset: systemClockOffset)
    publish(makeFix(report, at: place, isTrusted: isTrusted), report.receipt, into: &events)
  }

  private mutating func refine(_ report: PositionReport, into events: inout [LocationEvent]) {
    guard let place = report.place, plausibility.acceptsRefinement(report, at: place) else {
      return
    }
    var fix = makeFix(report, at: place, isTrusted: lastFix?.timestampTrusted ?? false)
    fix.refined = true
    publish(fix, report.receipt, into: &events)
  }

  private mutating func publish(
    _ fix: Fix, _ receipt: BootTime, into events: inout [LocationEvent]
  ) {
    lastFix = fix
    lastFixReceipt = receipt
    changeState(at: receipt, into: &events)
    events.append(.fix(fix))
  }

  private mutating func makeFix(
    _ report: PositionReport, at place: Place, isTrusted: Bool
  ) -> Fix {
    let receiver = report.receiver ?? receiverTable.active
    var fix = Fix(
      sequence: sequence, latitude: place.latitude, longitude: place.longitude,
      simulated: configuration.simulated)
    fix.bootTimestamp = report.receipt.microseconds
    fix.timestamp = report.time.map { Int($0 / Nanoseconds.microsecond) }
    fix.timestampTrusted = isTrusted
    fix.dimensions = min(report.mode, 3)
    fix.quality = report.status.flatMap(FixQuality.init(gpsdStatus:))
    fix.altitude = report.altitudeMSL
    fix.ellipsoidalAltitude = report.altitudeHAE
    fix.speed = report.speed
    fix.course = course.course(track: report.track, speed: report.speed)
    fix.climb = report.climb
    // gpsd's manual says that west is positive; what it sends is positive in the east, both from
    // RMC's E and W and from its own model (14.4 in Oregon, -15.8 in New Hampshire). Its magtrack
    // adds where it should subtract.
    fix.magneticVariation = report.magneticVariation
    fix.receiver = receiver
    _ = receiverTable.change(receiver) { $0.accuracy.apply(report, to: &fix) }
    return fix
  }

  // MARK: State

  /// The longest age of a live fix.
  private var liveLimit: Int64 {
    max(configuration.livePeriods * (rhythm.median ?? 0), configuration.liveAtLeast)
  }

  private var lostLimit: Int64 { max(configuration.staleUntil, liveLimit) }

  private var stateNow: LocationState {
    guard isRunning else { return .off }
    guard isConnected, receiverTable.isKnown else { return .connecting }
    guard receiverTable.active != nil else { return .noReceiver }
    if isSuspect { return .suspect }
    guard hasFixSince, let lastFixReceipt else { return .searching }
    if isLostByMode { return .lost }
    let age = now - lastFixReceipt
    return age <= liveLimit ? .live : age <= lostLimit ? .stale : .lost
  }

  /// What was held back counts as long as a fix would: a silent receiver claims nothing.
  private var isSuspect: Bool {
    suspectSince.map { now - $0 <= lostLimit } ?? false
  }

  /// When the receiver last said what cannot be.
  private var suspectSince: BootTime? { frozen.isFrozen ? lastFixReceipt : heldBack }

  private var stateDeadline: BootTime? {
    switch state {
    case .live: return lastFixReceipt.map { $0 + liveLimit + 1 }
    case .stale: return lastFixReceipt.map { $0 + lostLimit + 1 }
    case .suspect: return suspectSince.map { $0 + lostLimit + 1 }
    default: return nil
    }
  }

  private mutating func changeState(at moment: BootTime, into events: inout [LocationEvent]) {
    now = max(now, moment)
    let next = stateNow
    guard next != state else { return }
    state = next
    events.append(.state(next))
  }
}
