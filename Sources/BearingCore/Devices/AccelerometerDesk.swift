internal import BearingModel

/// What the accelerometer does on the loop: finds sensors, chooses one for each caller, and keeps a
/// channel for each that is in use.
final class AccelerometerDesk {
  /// Nanoseconds that a call waits for the sensors to be listed.
  static let listTime = 2 * Nanoseconds.second

  let instance: String
  let setup: Accelerometer.Setup
  /// Every accelerometer at the last look, usable or not.
  private(set) var sensors: [DiscoveredSensor] = []
  /// Why they could not be listed; nil when they could.
  private(set) var listProblem: String?

  private var home: DeviceHome?
  private var discovery: SourceRunner<SensorListReport, SensorListDemand>?
  private var revision = 0
  private var waiting: [(exchange: Exchange, deadline: BootTime)] = []
  private var channels: [String: AccelerometerChannel] = [:]
  /// For streams that found no sensor.
  private var vacant: AccelerometerChannel?
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
    home.stationary.onDemand = { [unowned self] isWanted in serveStationary(isWanted) }
    discovery = try SourceRunner(
      loop: home.loop, name: "sensors", make: setup.sources.discovery,
      receive: { [unowned self] reports in take(reports) }, ended: home.statusChanged)
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
    guard case .none(let reason) = choose(nil) else { return "" }
    return reason
  }

  private var shown: AccelerometerChannel? {
    if case .sensor(let found) = choose(nil), let channel = channels[found.sensor.path],
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

  /// Has `exchange` answered by `answer(_:)` when the sensors are known: at once when they are in
  /// use, else after a look at what there is now.
  func awaitSensors(_ exchange: Exchange) {
    guard !channels.values.contains(where: \.isRunning) else { return answer(exchange) }
    let stream = exchange.stream
    exchange.onAbandon = { [unowned self] in waiting.removeAll { $0.exchange.stream == stream } }
    waiting.append((exchange, .now() + Self.listTime))
    look()
    rearm()
  }

  private func look() {
    guard !isShutDown, let discovery else { return }
    revision += 1
    do throws(SystemError) {
      try discovery.want(SensorListDemand(revision: revision))
    } catch {
      take([.failing(reason: "\(error)")])
    }
  }

  private func take(_ reports: [SensorListReport]) {
    for report in reports {
      switch report {
      case .sensors(let sensors):
        self.sensors = sensors
        listProblem = nil
        for found in sensors { channels[found.sensor.path]?.update(found) }
        fillVacancy()
        if servesStationary { applyStationary() }
      case .failing(let reason): listProblem = reason
      }
    }
    answerWaiting { _ in true }
    home?.statusChanged()
  }

  private func answerWaiting(_ isDue: (BootTime) -> Bool) {
    let due = waiting.filter { isDue($0.deadline) }
    waiting.removeAll { isDue($0.deadline) }
    for call in due {
      call.exchange.onAbandon = nil
      if !call.exchange.isOver { answer(call.exchange) }
    }
  }

  /// The sensor that `name` means, or the one that answers by default.
  func choose(_ name: String?) -> SensorChoice {
    if sensors.isEmpty, let listProblem { return .none(reason: listProblem) }
    return SensorChooser.choose(from: sensors, named: name, configured: setup.sensor)
  }

  /// The channel of a sensor; the vacant one when there is none or it cannot be run.
  func channel(of found: DiscoveredSensor?) -> AccelerometerChannel? {
    guard let found, let home else { return vacant }
    if let channel = channels[found.sensor.path] { return channel }
    do throws(SystemError) {
      let channel = try AccelerometerChannel(
        found, sources: setup.sources, home: home, changed: { [unowned self] in rearm() })
      channels[found.sensor.path] = channel
      return channel
    } catch {
      Journal.error("\(error); \(found.sensor.identifier) cannot be read", .source)
      return vacant
    }
  }

  /// Streams that found no sensor get one now, if it has come.
  private func fillVacancy() {
    guard let vacant, vacant.listenerCount > 0, case .sensor(let found) = choose(nil),
      let channel = channel(of: found), channel !== vacant
    else { return }
    vacant.move(to: channel)
  }

  /// Runs the sensor that answers by default for location's sake, once it is known.
  private func serveStationary(_ isWanted: Bool) {
    servesStationary = isWanted
    if isWanted, sensors.isEmpty { return look() }
    applyStationary()
    stopIfUnused()
  }

  private func applyStationary() {
    guard case .sensor(let found) = choose(nil) else { return }
    for channel in everyChannel where channel.found?.sensor.path != found.sensor.path {
      channel.serveStationary(false)
    }
    channel(of: found)?.serveStationary(servesStationary)
  }

  // MARK: Time and the end

  private func advance() {
    let now = BootTime.now()
    if waiting.contains(where: { $0.deadline <= now }) {
      listProblem = "the sensors take longer to list than \(Self.listTime / Nanoseconds.second) s"
      answerWaiting { $0 <= now }
    }
    for channel in everyChannel { channel.advance(now) }
    rearm()
  }

  private func rearm() {
    var earliest = waiting.map(\.deadline).min()
    for channel in everyChannel {
      guard let deadline = channel.deadline else { continue }
      earliest = min(earliest ?? deadline, deadline)
    }
    timer?.arm(at: earliest)
  }

  func streamEnded(_ stream: StreamID) {
    for channel in everyChannel where channel.close(stream) {}
    stopIfUnused()
    home?.statusChanged()
  }

  /// Ends the search for sensors when nobody listens: no thread is left.
  func stopIfUnused() {
    guard waiting.isEmpty, !everyChannel.contains(where: { $0.listenerCount > 0 }) else { return }
    discovery?.stop()
  }

  /// Whether a thread of a source has not returned.
  var isBusy: Bool {
    discovery?.hasThread ?? false || everyChannel.contains(where: \.isBusy)
  }

  func shutDown() {
    isShutDown = true
    waiting = []
    discovery?.stop()
    for channel in everyChannel { channel.shutDown() }
  }
}
