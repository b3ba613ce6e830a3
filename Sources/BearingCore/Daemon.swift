internal import Glibc
internal import BearingModel
internal import Preferences
internal import Varlink

/// The whole daemon: devices, server and what systemd is told, on one loop.
public final class Daemon {
  /// Its socket's name in the runtime directory.
  public static let socketName = "io.bearing"
  /// Its database's name in the state directory.
  private static let stateName = "state.db"
  /// Its users' and the machine's preferences there.
  private static let preferencesName = "bearingd.preferences"
  private static let socketMode: UInt32 = 0o666
  /// How long devices may take at the end to put their settings back.
  private static let restTime = 2 * Nanoseconds.second
  /// How long systemd may not know of a device's new state.
  private static let announcementInterval = 1 * Nanoseconds.second

  /// Why the daemon cannot start.
  public struct StartFailure: Error, CustomStringConvertible {
    /// One line for people, with what to do.
    public let description: String

    /// A failure in these words.
    public init(description: String) { self.description = description }
  }

  /// The loop that everything of the daemon happens on.
  public let loop: EventLoop
  private let server: Server
  private let devices: [any Device.Type]
  private var attached: [ObjectIdentifier: any Device] = [:]
  private let storage: Storage
  private let stationary = Stationary()
  private var interface: DaemonInterface?
  private var regions: RegionsInterface?
  private var preferences: PreferencesInterface?
  private var warnings: [String]
  private let rulePlace: RulePlace
  /// What is in force.
  var configuration: Configuration
  private let readConfiguration: (() -> (Configuration, [ConfigurationDiagnostic]))?
  private var deadline: LoopTimer?
  private var announced = ""
  private var announcer: LoopTimer?
  private let startedAt = BootTime.now()
  /// The socket that clients connect to, for people; nil when systemd passed it.
  public private(set) var socketPath: String?

  /// A daemon that listens, with no device in use.
  ///
  /// - Parameters:
  ///   - configuration: as read.
  ///   - file: the one file of its configuration; nil for the folder of the directories.
  ///   - directories: where its files are.
  ///   - lock: proves that it is the only one there, and lets it replace a stale socket.
  ///   - registry: its devices.
  ///   - warnings: what clients are to be shown in its status.
  ///   - readConfiguration: reads the configuration again, for SIGHUP; without it SIGHUP, as from
  ///     a terminal that closes, ends the daemon.
  public init(
    configuration: Configuration, file: String? = nil, directories: Directories,
    lock: InstanceLock, registry: Registry = .standard, warnings: [String] = [],
    readConfiguration: (() -> (Configuration, [ConfigurationDiagnostic]))?
  ) throws {
    self.configuration = configuration
    self.readConfiguration = readConfiguration
    var unknownNames: [String] = []
    rulePlace = Self.rulePlace(file: file, directories)
    let rules = AccessDoor.Rules(
      configuration.access, place: rulePlace, unknownNames: &unknownNames)
    self.warnings = warnings + Self.warnings(unknownNames)
    devices = registry.devices
    let loop = try EventLoop()
    self.loop = loop
    storage = try Storage(loop: loop, path: "\(directories.state)/\(Self.stateName)")
    let lookup = HandlerLookup()
    server = try Server(
      loop: loop, limits: configuration.limits, door: AccessDoor(rules),
      interfaces: registry.devices.map { $0.interface } + [
        DaemonInterface.definition,
        PreferencesInterface.definition, RegionsInterface.definition,
      ],
      makeHandler: { lookup.find?($0) })
    lookup.find = { [unowned self] name in handler(of: name) }
    let interface = try DaemonInterface(
      server: server, loop: loop, report: { [unowned self] in report() },
      metrics: { [unowned self] in metrics() })
    self.interface = interface
    storage.onRest = { [unowned self] in exitIfAtRest() }
    regions = try RegionsInterface(
      outlet: server, loop: loop, storage: storage,
      mayKnow: { [unowned self] uid in server.mayKnowPrecisely(uid) },
      demandChanged: { [unowned self] isNeeded in watchRegions(isNeeded) })
    let preferences = try PreferencesInterface(
      server: server, loop: loop, storage: storage,
      path: "\(directories.state)/\(Self.preferencesName)", forced: configuration.preferences)
    self.preferences = preferences
    server.preferences = { [unowned preferences] uid in preferences.streams(of: uid) }
    StorageReport.send { report in
      if case .failure = report {
        PacedLog.storage.warning(report.description)
      } else {
        Journal.warning(report.description, .storage)
      }
    }
    server.onStatusChange = { [unowned interface] in interface.statusChanged() }
    for warning in self.warnings { Journal.warning(warning, .configuration) }
    try listen(configuration, directories, lock)
    for signal in [SIGTERM, SIGINT] {
      try loop.onSignal(signal) { [unowned self] in stop() }
    }
    announcer = try loop.timer { [unowned self] in announce() }
    try loop.onSignal(SIGHUP) { [unowned self] in
      if let readConfiguration { reload(readConfiguration) } else { stop() }
    }
    if configuration.daemon.isEager { try attachAll() }
    try allowStationary()
  }

  private final class HandlerLookup {
    var find: ((String) -> (any InterfaceHandler)?)?
  }

  /// Serves until SIGTERM or SIGINT.
  public func run() throws {
    ServiceManager.notify("READY=1\nSTATUS=\(statusLine)")
    try loop.run()
  }

  /// What it does now, for `systemctl status`.
  var statusLine: String {
    let states = devices.map { type in
      "\(type.kind) \(attached[ObjectIdentifier(type)]?.status.state ?? "off")"
    }
    return states.joined(separator: ", ")
  }

  /// Tells systemd what the devices do, soon: clients come and go faster than it cares, and a full
  /// queue of its must not hold up the loop.
  private func announceSoon() {
    guard let announcer, announcer.deadline == nil else { return }
    announcer.arm(at: .now() + Self.announcementInterval)
  }

  private func announce() {
    guard deadline == nil, statusLine != announced else { return }
    if ServiceManager.offer("STATUS=\(statusLine)") {
      announced = statusLine
    } else {
      announceSoon()
    }
  }

  /// Puts what is in force, and can change while it runs, into effect.
  func apply(_ warnings: [String]) {
    var unknownNames: [String] = []
    let rules = AccessDoor.Rules(
      configuration.access, place: rulePlace, unknownNames: &unknownNames)
    let unknown = Self.warnings(unknownNames)
    for warning in unknown { Journal.warning(warning, .configuration) }
    self.warnings = warnings + unknown
    server.setDoor(AccessDoor(rules))
    regions?.rulesChanged()
    server.setLimits(configuration.limits)
    preferences?.force(configuration.preferences)
    do throws(SystemError) {
      try allowStationary()
    } catch {
      Journal.error("\(error); location does not feel the machine stand still", .source)
    }
    interface?.statusChanged()
  }

  /// Lets location feel the machine stand still as the configuration says. Who could tell must be
  /// there to be asked.
  private func allowStationary() throws(SystemError) {
    stationary.use = configuration.location.useAccelerometer
    if stationary.use == .always { try attachAll() }
  }

  private static func rulePlace(file: String?, _ directories: Directories) -> RulePlace {
    let isService = ServiceManager.isPresent && directories.runtime == "/run/bearingd"
    return RulePlace(
      file: file ?? "\(directories.configuration)/bearingd.conf.d/99-access.conf",
      reload: isService ? "systemctl reload bearingd" : "kill -HUP \(ProcessName.own)")
  }

  private static func warnings(_ unknownNames: [String]) -> [String] {
    unknownNames.map { "[Access] \($0): there is no such name on this system" }
  }

  /// Ends everything: at once when nothing runs, else when the devices are at rest, or in 2 s.
  public func stop() {
    guard deadline == nil else { return }
    ServiceManager.notify("STOPPING=1\nSTATUS=Stopping")
    server.stopListening()
    server.handover?.finish()
    for device in attached.values { device.shutDown() }
    do throws(SystemError) {
      deadline = try loop.timer { [unowned self] in
        Journal.warning(
          "a device or the store did not come to rest in time; what they had to do may be undone",
          .restart)
        loop.exit()
      }
      deadline?.arm(at: .now() + Self.restTime)
    } catch {
      return loop.exit()
    }
    exitIfAtRest()
  }

  private func exitIfAtRest() {
    guard deadline != nil, !storage.isBusy else { return }
    if attached.values.allSatisfy({ !$0.isBusy }) { loop.exit() }
  }

  // MARK: Sockets

  private func listen(
    _ configuration: Configuration, _ directories: Directories, _ lock: InstanceLock
  ) throws {
    let (previous, listeners) = Handover.sort(ServiceManager.takeDescriptors())
    server.takeOver(previous)
    if !listeners.isEmpty {
      for listener in listeners { try server.listen(on: try Socket(adopting: listener)) }
      return
    }
    let path = configuration.daemon.socket ?? "\(directories.runtime)/\(Self.socketName)"
    try lock.removeStaleSocket(path)
    try server.listen(on: try Socket.listen(at: path, mode: Self.socketMode))
    socketPath = path
  }

  // MARK: Devices

  private func attachAll() throws(SystemError) {
    for device in devices { _ = try attach(device) }
  }

  private func attach(_ type: any Device.Type) throws(SystemError) -> any Device {
    if let device = attached[ObjectIdentifier(type)] { return device }
    let device = type.shared
    try device.attach(
      to: DeviceHome(loop: loop, storage: storage, stationary: stationary, outlet: server) {
        [unowned self] in
        interface?.statusChanged()
        announceSoon()
        exitIfAtRest()
      })
    attached[ObjectIdentifier(type)] = device
    return device
  }

  /// While there is a region, the device that knows where the machine is runs for it.
  private func watchRegions(_ isNeeded: Bool) {
    do throws(SystemError) {
      for case let type as any PositionDevice.Type in devices {
        guard let device = try attach(type) as? any PositionDevice else { continue }
        device.observe(
          isNeeded ? { [unowned self] fix, moment in regions?.note(fix, at: moment) } : nil)
      }
    } catch {
      Journal.error("\(error); regions are not watched", .source)
    }
  }

  private func handler(of name: String) -> (any InterfaceHandler)? {
    if name == DaemonInterface.name { return interface }
    if name == RegionsInterface.name { return regions }
    if name == PreferencesInterface.name { return preferences }
    do {
      for type in devices
      where try InterfaceDescription(parsing: type.interface.description).name == name {
        return try attach(type)
      }
    } catch {
      Journal.error("cannot set up \(name): \(error)", .source)
    }
    return nil
  }

  private func report() -> DaemonInterface.Report {
    DaemonInterface.Report(
      devices: devices.map { type in
        attached[ObjectIdentifier(type)]?.status
          ?? DeviceStatus(
            kind: type.kind, state: "off", detail: "not used yet", subscribers: 0, instance: "",
            simulated: false)
      },
      clients: server.clientCount, warnings: warnings)
  }

  // MARK: Metrics

  private func metrics() -> String {
    var metrics = MetricsWriter()
    metrics.metric("build_info", .gauge, "Which version runs.")
    metrics.sample("build_info", labels: [("version", Version.text)], 1)
    metrics.single(
      "uptime_seconds", .gauge, "How long the daemon has run.",
      Double(BootTime.now() - startedAt) / Double(Nanoseconds.second))
    let statuses = report().devices
    metrics.metric("device_state", .gauge, "The state that each device is in.")
    for status in statuses {
      metrics.sample("device_state", labels: [("device", status.kind), ("state", status.state)], 1)
    }
    metrics.metric("device_subscribers", .gauge, "Streams and calls that wait for each device.")
    for status in statuses {
      metrics.sample(
        "device_subscribers", labels: [("device", status.kind)], Double(status.subscribers))
    }
    collectSources(&metrics)
    for device in inOrder { device.collect(into: &metrics) }
    server.collect(into: &metrics)
    return metrics.text
  }

  private var inOrder: [any Device] {
    devices.compactMap { attached[ObjectIdentifier($0)] }
  }

  private func collectSources(_ metrics: inout MetricsWriter) {
    let all = inOrder.map { device in
      (labels: [("device" as StaticString, type(of: device).kind)], counters: device.counters)
    }
    metrics.metric("source_samples_total", .counter, "Samples that each device's sources posted.")
    for one in all {
      metrics.sample("source_samples_total", labels: one.labels, Double(one.counters.samples))
    }
    metrics.metric("source_lost_total", .counter, "Samples lost because the loop was behind.")
    for one in all {
      metrics.sample("source_lost_total", labels: one.labels, Double(one.counters.lost))
    }
    let total = all.reduce(SourceCounters()) { $0 + $1.counters }
    let seconds = Double(Nanoseconds.second)
    metrics.metric(
      "loop_latency_seconds", .summary, "From a source's post to the loop's taking it.")
    metrics.sample("loop_latency_seconds_sum", Double(total.latency) / seconds)
    metrics.sample("loop_latency_seconds_count", Double(total.turns))
    metrics.single(
      "loop_latency_longest_seconds", .gauge, "The longest loop latency since the start.",
      Double(total.longestLatency) / seconds)
  }
}
