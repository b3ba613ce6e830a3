internal import BearingModel
internal import Varlink

/// What the accelerometer does on the loop: finds sensors, chooses one for each caller, and keeps a
/// channel for each that is in use.
final class AccelerometerDesk {
  /// Nanoseconds that a call waits for the sensors to be listed.
  static let listTime = 2 * Nanoseconds.second
  /// Nanoseconds between looks where only looking tells that a sensor has come.
  static let lookInterval = 2 * Nanoseconds.second

  /// A call that waits for a look at what there is.
  private struct Waiting {
    let exchange: Exchange
    /// Of the first look that began after it came.
    let revision: Int
    let deadline: BootTime
  }

  let instance: String
  let setup: Accelerometer.Setup
  /// Every accelerometer that is there, usable or not, as far as is known.
  var sensors: [DiscoveredSensor] = [] {
    didSet {
      guard case .sensor(let found) = choose(.any) else { return standardPath = nil }
      standardPath = found.isRemovable ? nil : found.sensor.path
    }
  }
  /// The path of the sensor that answers by default; nil when there is none that stays.
  private var standardPath: String?
  /// Why they could not be listed; nil when they could.
  private(set) var listProblem: String?

  private var home: DeviceHome?
  private var discovery: SourceRunner<SensorListReport, SensorListDemand>?
  private var revision = 0
  private var waiting: [Waiting] = []
  /// By their sensors' paths; they stay when those go.
  private(set) var channels: [String: AccelerometerChannel] = [:]
  /// For streams that found no sensor.
  private var vacant: AccelerometerChannel?
  /// What each stream wants, as long as it is open.
  private var wishes: [StreamID: SensorWish] = [:]
  private var watch: SensorWatch?
  /// When to look again for a sensor that somebody waits for.
  private var lookDue: BootTime?
  private var timer: LoopTimer?
  private var isShutDown = false
  private var servesStationary = false

  init(instance: String, setup: Accelerometer.Setup) {
    self.instance = instance
    self.setup = setup
  }

  func attach(to home: DeviceHome) throws(SystemError) {
    self.home = home
    timer = try home.loop.timer { [unowned self] in advance() }
    vacant = try AccelerometerChannel(
      nil, sources: setup.sources, home: home, changed: { [unowned self] in rearm() })
    watch = SensorWatch(setup.sources.changes, loop: home.loop) { [unowned self] in hear($0) }
    home.loop.onResume { [unowned self] _ in resume() }
    discovery = try SourceRunner(
      loop: home.loop, name: "sensors", make: setup.sources.discovery,
      receive: { [unowned self] reports in take(reports) }, ended: home.statusChanged)
    // Last, since it may be wanted at once.
    home.stationary.onDemand = { [unowned self] isWanted in serveStationary(isWanted) }
  }

  // MARK: Status

  var status: DeviceStatus {
    DeviceStatus(
      kind: Accelerometer.kind, state: state.rawValue, detail: detail,
      subscribers: everyChannel.reduce(0) { $0 + $1.listenerCount }, instance: instance,
      simulated: setup.isSimulated)
  }

  /// The state of the sensor that answers by default; of another one in use when that is off.
  var state: AccelerometerState { shown?.state ?? .off }

  private var detail: String {
    guard let shown else { return listProblem ?? setup.summary }
    guard let engine = shown.engine, let found = shown.found else {
      return "\(setup.summary): \(absence)"
    }
    let sensor = "\(found.sensor.identifier) (\(found.sensor.name))"
    return "\(setup.summary): \(sensor)" + (engine.detail.isEmpty ? "" : ": \(engine.detail)")
  }

  private var absence: String {
    if let listProblem { return listProblem }
    guard case .none(let reason) = choose(.any) else { return "" }
    return reason
  }

  private var shown: AccelerometerChannel? {
    if case .sensor(let found) = choose(.any), let channel = channels[found.sensor.path],
      channel.listenerCount > 0
    {
      return channel
    }
    return everyChannel.first { $0.listenerCount > 0 }
  }

  var everyChannel: [AccelerometerChannel] {
    channels.keys.sorted().compactMap { channels[$0] } + [vacant].compactMap(\.self)
  }

  var counters: SourceCounters {
    everyChannel.reduce(SourceCounters()) { $0 + $1.counters }
  }

  func collect(into metrics: inout MetricsWriter) {
    metrics.single(
      "acceleration_sensors", .gauge, "Accelerometers at the last look.", Double(sensors.count))
    metrics.single(
      "acceleration_rate_hertz", .gauge, "Rate of the sensor that answers by default.",
      shown?.engine?.rate)
  }

  // MARK: Sensors

  /// Has `exchange` answered by `answer(_:)`: at once when its sensor is in use, else after a look at
  /// what there is now.
  func awaitSensors(_ exchange: Exchange) {
    if exchange.call.method != "ListSensors", case .sensor(let found) = choose(wish(of: exchange)),
      channels[found.sensor.path]?.isRunning ?? false
    {
      return answer(exchange)
    }
    let stream = exchange.stream
    exchange.onAbandon = { [unowned self] in waiting.removeAll { $0.exchange.stream == stream } }
    look()
    waiting.append(
      Waiting(exchange: exchange, revision: revision, deadline: .now() + Self.listTime))
    rearm()
  }

  private func look() {
    guard !isShutDown, let discovery else { return }
    watch?.start()
    lookDue = nil
    revision += 1
    discovery.want(SensorListDemand(revision: revision))
  }

  private func take(_ reports: [SensorListReport]) {
    var seen = 0
    for report in reports {
      switch report {
      case .sensors(let sensors, let revision):
        seen = revision
        let removed = watch?.removed ?? []
        self.sensors = sensors.filter { !removed.contains($0.sensor.identifier) }
        listProblem = nil
        sensorsChanged()
      case .failing(let reason, let revision): (seen, listProblem) = (revision, reason)
      }
    }
    // A look that had begun before a call says nothing of what has changed since.
    answerWaiting { $0.revision <= seen }
    home?.statusChanged()
  }

  private func answerWaiting(_ isDue: (Waiting) -> Bool) {
    let due = waiting.filter(isDue)
    waiting.removeAll(where: isDue)
    for call in due {
      call.exchange.onAbandon = nil
      if !call.exchange.isOver { answer(call.exchange) }
    }
  }

  /// The sensor that answers to a wish.
  func choose(_ wish: SensorWish) -> SensorChoice {
    if sensors.isEmpty, let listProblem { return .none(reason: listProblem) }
    let choice = SensorChooser.choose(
      from: sensors, named: wish.name, configured: setup.sensor)
    if case .none = choice, wish.name != nil, !wish.isFirm { return choose(.any) }
    return choice
  }

  /// The channel of a sensor; the vacant one when there is none or it cannot be run.
  func channel(of found: DiscoveredSensor?) -> AccelerometerChannel? {
    guard let found, let home else { return vacant }
    if let channel = channels[found.sensor.path] { return channel }
    do throws(SystemError) {
      let channel = try AccelerometerChannel(
        found, sources: setup.sources, home: home, changed: { [unowned self] in rearm() })
      channel.onGone = { [unowned self] in look() }
      channel.onIdle = { [unowned self] in stopIfUnused() }
      channel.isOutranked = { [unowned self, unowned channel] in isOutranked(channel) }
      channels[found.sensor.path] = channel
      return channel
    } catch {
      Journal.error("\(error); \(found.sensor.identifier) cannot be read", .source)
      return vacant
    }
  }

  /// Whether the machine's sensor that answers by default runs, and is another.
  private func isOutranked(_ channel: AccelerometerChannel) -> Bool {
    guard let standardPath, let other = channels[standardPath] else { return false }
    return other !== channel && other.isRunning
  }

  /// Keeps what a stream wants, for as long as it is open.
  func remember(_ wish: SensorWish, of stream: StreamID) { wishes[stream] = wish }

  /// The sensor as found, with what is known of it since it runs.
  func asItRuns(_ found: DiscoveredSensor) -> Sensor {
    var sensor = found.sensor
    guard let engine = channels[sensor.path]?.engine, engine.state != .off else { return sensor }
    if !engine.mode.isEmpty { (sensor.mode, sensor.modeReason) = (engine.mode, engine.modeReason) }
    if let rate = engine.rate { sensor.rate = rate }
    let isKnown = sensor.warnings.contains(engine.detail)
    if !engine.detail.isEmpty, !isKnown { sensor.warnings.append(engine.detail) }
    return sensor
  }

  // MARK: Coming and going

  private func resume() {
    let isUsed = everyChannel.contains { $0.listenerCount > 0 }
    for channel in everyChannel { channel.resume() }
    if isUsed { look() }
  }

  /// Takes word of a sensor that came, changed or went.
  func hear(_ change: DeviceMonitor.Change) {
    switch change {
    case .present(let name):
      channels.values.first { $0.identifier == name }?.retry()
      look()
    case .removed(let name):
      sensors.removeAll { $0.sensor.identifier == name }
      sensorsChanged()
      home?.statusChanged()
      rearm()
    }
  }

  /// Tells each channel what became of its sensor, and gives those who wait the sensor that is
  /// theirs by the same rules as before.
  private func sensorsChanged() {
    for (path, channel) in channels {
      if let found = sensors.first(where: { $0.sensor.path == path }) {
        channel.update(found)
      } else if !sensors.contains(where: { $0.sensor.identifier == channel.identifier }) {
        channel.lose()
      }
    }
    for channel in everyChannel where channel.isWaiting {
      channel.move { [unowned self] stream, wish in
        guard case .sensor(let found) = choose(wish ?? wishes[stream] ?? .any) else { return nil }
        return self.channel(of: found)
      }
    }
    if servesStationary { applyStationary() }
  }

  /// Runs the sensor that answers by default for location's sake, once it is known.
  private func serveStationary(_ isWanted: Bool) {
    servesStationary = isWanted
    if isWanted { look() }
    applyStationary()
    stopIfUnused()
  }

  private func applyStationary() {
    var serving: AccelerometerChannel?
    if servesStationary {
      // While there is none, the one that served waits for its sensor.
      guard case .sensor(let found) = choose(.any) else { return }
      serving = channel(of: found)
    }
    for channel in everyChannel { channel.serveStationary(channel === serving) }
  }

  // MARK: Time and the end

  private func advance() {
    let now = BootTime.now()
    if waiting.contains(where: { $0.deadline <= now }) {
      listProblem = "the sensors take longer to list than \(Self.listTime / Nanoseconds.second) s"
      answerWaiting { $0.deadline <= now }
    }
    for channel in everyChannel { channel.advance(now) }
    if let lookDue, lookDue <= now { look() }
    stopIfUnused()
    rearm()
  }

  private func rearm() {
    scheduleLook()
    var earliest = waiting.map(\.deadline).min()
    if let lookDue { earliest = min(earliest ?? lookDue, lookDue) }
    for channel in everyChannel {
      guard let deadline = channel.deadline else { continue }
      earliest = min(earliest ?? deadline, deadline)
    }
    timer?.arm(at: earliest)
  }

  /// Looks again where nothing tells that the sensor is there which somebody waits for.
  private func scheduleLook() {
    let mustLook = watch?.mustLook ?? false || listProblem != nil
    let isDue = everyChannel.contains { $0.isWaiting && (mustLook || $0.isListed) }
    lookDue = isDue ? lookDue ?? .now() + Self.lookInterval : nil
  }

  /// What the caller of a stream left out is another value from now on.
  func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences) {
    for channel in everyChannel { channel.prefer(preferences, for: stream) }
    if let wish = wishes[stream], !wish.isFirm {
      let preferred = SensorWish(name: preferences.sensor, isFirm: false)
      wishes[stream] = preferred
      if case .sensor(let found) = choose(preferred) {
        wishes[stream] = preferred.fixed(to: found)
        let channel = channel(of: found)
        for before in everyChannel { before.move { one, _ in one == stream ? channel : nil } }
        stopIfUnused()
      }
    }
    rearm()
  }

  func streamEnded(_ stream: StreamID) {
    wishes[stream] = nil
    for channel in everyChannel where channel.close(stream) {}
    stopIfUnused()
    home?.statusChanged()
  }

  func holdEnded(_ stream: StreamID) {
    for channel in everyChannel { channel.releaseRing(of: stream) }
    stopIfUnused()
    home?.statusChanged()
  }

  /// Has those not read on in memory that was shared with them of whom `isExcluded` holds.
  func excludeFromRings(where isExcluded: (Caller) -> Bool) {
    for channel in everyChannel { channel.excludeFromRing(where: isExcluded) }
    stopIfUnused()
  }

  /// Ends the search for sensors when nobody listens: no thread is left, and nothing is heard.
  func stopIfUnused() {
    guard waiting.isEmpty, !servesStationary,
      !everyChannel.contains(where: { $0.listenerCount > 0 })
    else { return }
    discovery?.stop()
    watch?.stop()
    lookDue = nil
  }

  /// Whether a thread of a source has not returned.
  var isBusy: Bool {
    discovery?.hasThread ?? false || everyChannel.contains(where: \.isBusy)
  }

  func shutDown() {
    isShutDown = true
    waiting = []
    discovery?.stop()
    watch?.stop()
    for channel in everyChannel { channel.shutDown() }
  }
}
