internal import BearingModel

/// One sensor on the loop: runs its source while somebody listens, puts its reports through the
/// engine, and sends what comes out to its streams and calls.
///
/// A channel without a sensor keeps the streams that wait for one.
final class AccelerometerChannel {
  /// Hertz that orientation and single samples ask the sensor for.
  static let poseRate = 10.0

  /// The sensor; nil while there is none.
  private(set) var found: DiscoveredSensor?
  /// What it gives.
  private(set) var engine: SensorEngine?
  var groups: [SampleGroup] = []
  var poses = Hub<PoseSubscription>()
  var motion = MotionFeed()
  /// Whether location wants to feel the device stand still.
  private var servesStationary = false
  var calls: [SampleCall] = []
  let ring = RingDesk()
  /// Called when the source says that its sensor is gone.
  var onGone: (() -> Void)?
  /// Called when nobody listens any more.
  var onIdle: (() -> Void)?
  /// Whether another sensor runs by which location feels rather.
  var isOutranked: () -> Bool = { false }
  /// When a sensor whose source said so may be tried again, should it still show.
  private var retryAt: BootTime?
  /// The period of the sample that approximate callers had last.
  var coarsePeriod: Int?

  let home: DeviceHome
  private let changed: () -> Void
  private var runner: SourceRunner<SensorReport, SensorDemand>?
  private(set) var demand: SensorDemand?
  /// What `sendAll` is to send: a stream may end while it is sent to.
  var outbox: [(message: StreamMessage, streams: [StreamID])] = []
  var writer = JSONWriter()

  /// A call of GetSample that waits.
  struct SampleCall {
    let exchange: Exchange
    let deadline: BootTime
    let wish: SensorWish
  }

  /// The channel of `found`. `changed` is called when a deadline may have become earlier.
  init(
    _ found: DiscoveredSensor?, sources: any AccelerometerSources, home: DeviceHome,
    changed: @escaping () -> Void
  ) throws(SystemError) {
    self.home = home
    self.changed = changed
    guard let found else { return }
    self.found = found
    engine = SensorEngine(sensor: found.sensor)
    runner = try SourceRunner(
      loop: home.loop, name: "accelerometer",
      make: { [unowned self] in sources.capture(self.found ?? found) },
      receive: { [unowned self] reports in take(reports) }, ended: home.statusChanged)
  }

  // MARK: What is asked

  /// What it can give now; without a sensor that is noSensor.
  var state: AccelerometerState { engine?.state ?? .noSensor }
  /// The kernel's name of the sensor.
  var identifier: String? { found?.sensor.identifier }
  /// Streams and calls.
  var listenerCount: Int {
    groups.reduce(poses.records.count + motion.hub.records.count + calls.count) {
      $0 + $1.hub.records.count
    } + (servesStationary ? 1 : 0) + ring.count
  }
  /// Whether a thread of the source has not returned.
  var isBusy: Bool { runner?.hasThread ?? false }
  /// Whether samples are asked for.
  var isRunning: Bool { runner?.isRunning ?? false }
  /// What the source has carried.
  var counters: SourceCounters { runner?.counters ?? SourceCounters() }

  /// The sensor was found, perhaps under another name.
  func update(_ found: DiscoveredSensor) {
    // It may have been slower to tell of itself, or udev to deal with it, than somebody to listen.
    let isAnew = isRunning && self.found?.sensor.givesVectors(as: found.sensor) == false
    guard !isRunning || isAnew else { return }
    self.found = found
    engine?.replace(found.sensor)
    if isAnew { restart() }
    guard state == .noSensor else { return }
    // One that is there and cannot be used as if it were not is not tried all the time.
    if let retryAt, BootTime.now() < retryAt { return }
    retryAt = nil
    _ = engine?.stop()
    settle()
  }

  /// The sensor was unplugged.
  func lose() {
    retryAt = nil
    publish(engine?.handle(.gone, now: .now()), .now())
  }

  /// The machine was suspended: some drivers have forgotten what was set.
  func resume() {
    if demand != nil { restart() }
  }

  /// udev has dealt with the sensor, whose files may have been nobody's before: what could only be
  /// read in a lesser way may be read in a better one.
  func retry() {
    if engine?.modeReason != nil { restart() }
  }

  private func restart() {
    guard let runner else { return }
    motion.resume()
    engine?.resume(now: .now())
    runner.restart()
  }

  /// Whether somebody waits for a sensor here.
  var isWaiting: Bool { state == .noSensor && listenerCount > 0 }
  /// Whether the sensor shows, and yet its source says that it is gone.
  var isListed: Bool { retryAt != nil }

  /// Adds a stream of samples, and sends its first reply.
  func open(_ record: SampleSubscription, rate: Double, maxLatency: Int64) {
    settle(for: rate)
    let isTheirs = { (group: SampleGroup) in group.rate == rate && group.maxLatency == maxLatency }
    let index = groups.firstIndex(where: isTheirs) ?? groups.count
    if index == groups.count {
      groups.append(SampleGroup(rate: rate, maxLatency: maxLatency, sensorRate: engine?.rate))
    }
    groups[index].hub.open(record)
    let group = groups[index]
    post(.event, to: [record.stream]) { writeState(of: group, &$0) }
    sendAll()
    changed()
  }

  /// Adds a stream of orientation, and sends its first reply: with a sensor that only starts, when
  /// there is a pose or none has come in time, so that it need not be read twice.
  func open(_ record: PoseSubscription) {
    settle(for: Self.poseRate)
    poses.open(record)
    if state != .starting {
      post(.event, tellsLoss: false, to: [record.stream]) { writePose(&$0) }
    }
    sendAll()
    changed()
  }

  /// Adds a stream of motion, and sends its first reply.
  func open(_ record: MotionSubscription) {
    settle(for: MotionFeed.rate)
    motion.hub.open(record)
    post(.event, tellsLoss: false, to: [record.stream]) { writeMotion(motion.current, &$0) }
    sendAll()
    changed()
  }

  /// Runs, or does not, to tell location whether the device is still.
  func serveStationary(_ isWanted: Bool) {
    servesStationary = isWanted
    settle()
  }

  /// Adds a call that waits for a sample.
  func add(_ call: SampleCall) {
    settle(for: Self.poseRate)
    calls.append(call)
    changed()
  }

  /// Takes a stream or a waiting call away; false when it is not here.
  func close(_ stream: StreamID) -> Bool {
    let before = listenerCount
    for index in groups.indices { _ = groups[index].hub.close(stream) }
    groups.removeAll { $0.hub.records.isEmpty }
    _ = poses.close(stream)
    _ = motion.hub.close(stream)
    calls.removeAll { $0.exchange.stream == stream }
    guard listenerCount != before else { return false }
    settle()
    return true
  }

  /// Lets a stream that may be here go by what its user prefers now.
  func prefer(_ preferences: StreamPreferences, for stream: StreamID) {
    for index in groups.indices { groups[index].hub.prefer(preferences, for: stream) }
    poses.prefer(preferences, for: stream)
    motion.hub.prefer(preferences, for: stream)
  }

  /// Gives each stream and call to the channel that `target` names for it, with a first reply as a
  /// new one; calls say what they wish.
  func move(to target: (StreamID, SensorWish?) -> AccelerometerChannel?) {
    func other(_ stream: StreamID, _ wish: SensorWish? = nil) -> AccelerometerChannel? {
      guard let other = target(stream, wish), other !== self, other.state != .noSensor,
        close(stream)
      else { return nil }
      return other
    }
    for group in groups {
      for record in group.hub.records {
        other(record.stream)?.open(record, rate: group.rate, maxLatency: group.maxLatency)
      }
    }
    for record in poses.records { other(record.stream)?.open(record) }
    for record in motion.hub.records { other(record.stream)?.open(record) }
    for call in calls { other(call.exchange.stream, call.wish)?.add(call) }
  }

  /// Ends the source, because the daemon does.
  func shutDown() {
    groups = []
    poses = Hub()
    motion = MotionFeed()
    servesStationary = false
    calls = []
    ring.calls = []
    ring.end(.stopped)
    settle()
  }

  /// Starts, changes or stops the source as its listeners demand, and one more that comes now with
  /// a `newcomer`'s rate: to be called before that one is added, whose first reply says it all.
  func settle(for newcomer: Double = 0) {
    guard let runner, state != .noSensor else { return changed() }
    var rate = max(newcomer, ring.wantedRate, groups.map(\.rate).max() ?? 0)
    if !poses.records.isEmpty || !calls.isEmpty || servesStationary {
      rate = max(rate, Self.poseRate)
    }
    if !motion.hub.records.isEmpty { rate = max(rate, MotionFeed.rate) }
    let wanted = rate > 0 ? SensorDemand(rate: rate) : nil
    guard wanted != demand else { return changed() }
    demand = wanted
    guard let wanted else {
      runner.stop()
      motion.reset()
      publish(engine?.stop(), .now())
      onIdle?()
      return
    }
    runner.want(wanted)
    publish(engine?.start(now: .now()), .now())
    changed()
  }

  // MARK: What comes

  private func take(_ reports: [SensorReport]) {
    for report in reports where demand != nil {
      let now = BootTime.now()
      publish(engine?.handle(report, now: now), now)
      if report == .gone {
        retryAt = now + AccelerometerDesk.lookInterval
        onGone?()
      }
    }
    serveRing(after: reports)
  }

  /// Looks after what time alone brings: a silent sensor, batches, heartbeats, calls.
  func advance(_ now: BootTime) {
    publish(engine?.expire(now: now), now)
    for index in groups.indices {
      if let due = groups[index].due, due <= now { sendBatch(index, now) }
    }
    sendHeartbeats(now)
    sendAll()
    advanceRing(now)
    let late = calls.filter { $0.deadline <= now }
    guard !late.isEmpty else { return }
    calls.removeAll { $0.deadline <= now }
    let state = state
    for call in late { call.exchange.fail("Timeout") { $0.member("state", state.rawValue) } }
    settle()
  }

  /// When `advance` is next to be called; nil when time alone changes nothing.
  var deadline: BootTime? {
    var earliest = engine?.deadline
    func consider(_ deadline: BootTime?) {
      if let deadline { earliest = min(earliest ?? deadline, deadline) }
    }
    consider(poses.deadline)
    consider(motion.hub.deadline)
    for group in groups {
      consider(group.due)
      consider(group.hub.deadline)
    }
    for call in calls { consider(call.deadline) }
    consider(ring.deadline)
    return earliest
  }

  // MARK: What goes

  private func publish(_ outcome: SensorEngine.Outcome?, _ now: BootTime) {
    guard let outcome, let engine else { return }
    ring.follow(outcome, of: engine)
    if outcome.isGone {
      runner?.stop()
      demand = nil
      motion.reset()
    }
    if outcome.stateChanged, engine.state != .live { feel(isStill: nil, deviation: nil) }
    if outcome.rateChanged { adapt(to: engine.rate, now) }
    if outcome.stateChanged { sendState(now) }
    if outcome.stateChanged || outcome.detailChanged { home.statusChanged() }
    if outcome.orientationChanged, !outcome.stateChanged { sendPose(.latest, now) }
    if let sample = outcome.sample { add(sample, now) }
    sendAll()
    if outcome.stateChanged { changed() }
    if let sample = outcome.sample, engine.state == .live { answerCalls(sample) }
  }

  /// Tells location how the machine moves; a game pad tells only how that does.
  private func feel(isStill: Bool?, deviation: Double?) {
    if found?.isRemovable == false, !isOutranked() {
      home.stationary.note(isStill: isStill, deviation: deviation)
    }
  }

  private func adapt(to sensorRate: Double?, _ now: BootTime) {
    for index in groups.indices {
      let before = groups[index].actualRate
      groups[index].adapt(sensorRate: sensorRate)
      if groups[index].actualRate != before { sendState(of: index, now) }
    }
  }

  private func add(_ sample: AccelerationSample, _ now: BootTime) {
    if engine?.state == .live {
      for told in motion.add(sample, rate: engine?.rate ?? 0) {
        post(.event, tellsLoss: false, to: everyone(in: &motion.hub, now)) {
          writeMotion(told, &$0)
        }
      }
      feel(isStill: motion.isStill, deviation: motion.deviation)
    }
    for index in groups.indices {
      let wasEmpty = groups[index].due == nil
      if groups[index].add(sample, state: state, now: now) {
        sendBatch(index, now)
      } else if wasEmpty, groups[index].due != nil {
        changed()
      }
    }
  }
}

extension Sensor {
  /// Whether the same raw values are the same vectors of `other`, as far as the driver does not say.
  fileprivate func givesVectors(as other: Sensor) -> Bool {
    mountMatrix == other.mountMatrix && signNegated == other.signNegated && bias == other.bias
      && scaleFactor == other.scaleFactor
  }
}
