internal import Glibc
internal import BearingModel
internal import Varlink

/// The whole daemon: devices, server and what systemd is told, on one loop.
public final class Daemon {
  /// Its socket's name in the runtime directory.
  public static let socketName = "io.bearing"
  private static let socketMode: UInt32 = 0o666

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
  private var interface: DaemonInterface?
  private var warnings: [String]
  /// The socket that clients connect to, for people; nil when systemd passed it.
  public private(set) var socketPath: String?

  /// A daemon that listens, with no device in use.
  ///
  /// - Parameters:
  ///   - configuration: as read.
  ///   - directories: where its files are.
  ///   - lock: proves that it is the only one there, and lets it replace a stale socket.
  ///   - registry: its devices.
  ///   - warnings: what clients are to be shown in its status.
  public init(
    configuration: Configuration, directories: Directories, lock: InstanceLock,
    registry: Registry = .standard, warnings: [String] = []
  ) throws {
    var unknownNames: [String] = []
    let rules = AccessDoor.Rules(configuration.access, unknownNames: &unknownNames)
    self.warnings =
      warnings + unknownNames.map { "[Access] \($0): there is no such name on this system" }
    devices = registry.devices
    let loop = try EventLoop()
    self.loop = loop
    let lookup = HandlerLookup()
    server = try Server(
      loop: loop, limits: configuration.limits, door: AccessDoor(rules),
      interfaces: registry.devices.map { $0.interface } + [
        DaemonInterface.definition,
        InterfaceDefinition(description: InterfaceText.preferences, methods: [:]),
        InterfaceDefinition(description: InterfaceText.regions, methods: [:]),
      ],
      makeHandler: { lookup.find?($0) })
    lookup.find = { [unowned self] name in handler(of: name) }
    let interface = try DaemonInterface(server: server, loop: loop) { [unowned self] in report() }
    self.interface = interface
    server.onStatusChange = { [unowned interface] in interface.statusChanged() }
    for warning in self.warnings { Journal.warning(warning) }
    try listen(configuration, directories, lock)
    for signal in [SIGTERM, SIGINT] {
      try loop.onSignal(signal) { [unowned self] in stop() }
    }
    if configuration.daemon.isEager { for device in devices { _ = try attach(device) } }
  }

  private final class HandlerLookup {
    var find: ((String) -> (any InterfaceHandler)?)?
  }

  /// Serves until SIGTERM or SIGINT.
  public func run() throws {
    ServiceManager.notify("READY=1\nSTATUS=Serving")
    try loop.run()
  }

  private func stop() {
    ServiceManager.notify("STOPPING=1")
    server.stopListening()
    for device in attached.values { device.shutDown() }
    loop.exit()
  }

  // MARK: Sockets

  private func listen(
    _ configuration: Configuration, _ directories: Directories, _ lock: InstanceLock
  ) throws {
    let passed = ServiceManager.takeSockets()
    if !passed.isEmpty {
      for descriptor in passed { try server.listen(on: try Socket(adopting: descriptor)) }
      return
    }
    let path = configuration.daemon.socket ?? "\(directories.runtime)/\(Self.socketName)"
    try lock.removeStaleSocket(path)
    try server.listen(on: try Socket.listen(at: path, mode: Self.socketMode))
    socketPath = path
  }

  // MARK: Devices

  private func attach(_ type: any Device.Type) throws(SystemError) -> any Device {
    if let device = attached[ObjectIdentifier(type)] { return device }
    let device = type.shared
    try device.attach(
      to: DeviceHome(loop: loop, outlet: server) { [unowned self] in
        interface?.statusChanged()
      })
    attached[ObjectIdentifier(type)] = device
    return device
  }

  private func handler(of name: String) -> (any InterfaceHandler)? {
    if name == DaemonInterface.name { return interface }
    do {
      for type in devices
      where try InterfaceDescription(parsing: type.interface.description).name == name {
        return try attach(type)
      }
    } catch {
      Journal.error("cannot set up \(name): \(error)")
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
}
