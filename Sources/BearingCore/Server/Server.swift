internal import BearingModel
internal import Varlink

/// The Unix socket's server: accepts clients, passes their calls through the one access door to the
/// interfaces, and hands stream messages to their mailboxes.
public final class Server: Outlet {
  /// Bytes that may wait in the kernel for one client: a larger buffer only hides stale samples.
  static var sendBufferBytes: Int { 32 * 1024 }
  private static var readBufferBytes: Int { 16 * 1024 }

  let loop: EventLoop
  private(set) var limits: Limits
  let log = ServerLog()
  var quotas: Quotas
  var readBuffer = [UInt8](repeating: 0, count: Server.readBufferBytes)
  var writer = JSONWriter()
  /// Keeps streams for the next process; nil where nobody would take them.
  private(set) var handover: Handover?
  /// Called when the number of clients or what they do has changed.
  var onStatusChange: (() -> Void)?
  /// Gives what a user's streams go by where their calls say nothing.
  var preferences: ((_ uid: UInt32) -> StreamPreferences)?

  private let service: Service
  private let definitions: [String: InterfaceDefinition]
  private let makeHandler: (String) -> (any InterfaceHandler)?
  private(set) var handlers: [String: any InterfaceHandler] = [:]
  private(set) var door: AccessDoor
  private var listeners: [Listener] = []
  private(set) var connections: [StreamID: Connection] = [:]
  private(set) var refusedCount = 0
  private var refusals = 0
  /// Stream replies since the start that sockets took.
  var delivered = 0
  /// Stream replies since the start that were lost.
  var dropped = 0
  private var withDeadline: Set<StreamID> = []
  private var timer: LoopTimer?
  private var lastID: StreamID = 0

  /// A server without sockets yet.
  ///
  /// - Parameters:
  ///   - interfaces: each interface's definition.
  ///   - makeHandler: gives what carries out an interface's calls, at its first call.
  /// - Throws: when a description cannot be read.
  init(
    loop: EventLoop, limits: Limits, door: AccessDoor, interfaces: [InterfaceDefinition],
    makeHandler: @escaping (String) -> (any InterfaceHandler)?
  ) throws {
    self.loop = loop
    self.limits = limits
    self.door = door
    self.makeHandler = makeHandler
    quotas = Quotas(limits, descriptorLimit: DescriptorLimit.raise())
    var definitions: [String: InterfaceDefinition] = [:]
    var offered: [ServiceInterface] = []
    for interface in interfaces {
      let description = try InterfaceDescription(parsing: interface.description)
      definitions[description.name] = interface
      offered.append(ServiceInterface(description, implementing: Set(interface.methods.keys)))
    }
    self.definitions = definitions
    service = Service(
      vendor: "bearingd", product: "bearingd", version: Version.text,
      url: "man:bearingd(8)", interfaces: offered)
    timer = try loop.timer { [unowned self] in expire() }
    loop.onResume { [unowned self] slept in
      for connection in connections.values { connection.forgive(slept) }
    }
  }

  // MARK: Clients come and go

  /// Accepts clients on a listening socket.
  func listen(on socket: consuming Socket) throws(SystemError) {
    let listener = Listener(socket: socket)
    listener.watch = try loop.watch(listener.descriptor, for: .readable) {
      [unowned self, unowned listener] _ in accept(from: listener)
    }
    listeners.append(listener)
  }

  /// Accepts no more clients; those that are there stay.
  func stopListening() {
    listeners = []
  }

  private func accept(from listener: Listener) {
    for _ in 0..<Listener.acceptsPerTurn {
      do {
        guard let socket = try listener.accept() else { return }
        try welcome(socket)
      } catch {
        log.failed(error)
        listener.pause(on: loop)
        return
      }
    }
  }

  private func welcome(_ socket: consuming Socket) throws {
    let credentials = try socket.peerCredentials()
    let groups = try socket.peerGroups()
    let caller = Caller(
      uid: credentials.userID, pid: credentials.processID, groups: [credentials.groupID] + groups)
    try socket.setSendBuffer(bytes: Int32(Self.sendBufferBytes))
    socket.refuseDescriptors()
    let (isGranted, limit) = quotas.addConnection(of: caller.uid)
    if !isGranted {
      refusals += 1
      log.refused(uid: caller.uid, pid: caller.pid, resource: "connections", limit: limit)
      guard refusedCount < limits.refusalsWaiting else { return }
      refusedCount += 1
    }
    lastID += 1
    let connection = Connection(
      id: lastID, socket: socket, caller: caller, server: self, service: service,
      place: isGranted ? ConnectionPlace(of: caller.uid, in: self) : nil,
      refusedLimit: isGranted ? nil : limit)
    try start(connection)
    statusChanged()
  }

  private func start(_ connection: Connection) throws {
    connections[connection.id] = connection
    do {
      try connection.start()
    } catch {
      connection.close()
      throw error
    }
  }

  func remove(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    withDeadline.remove(connection.id)
    if connection.refusedLimit != nil { refusedCount -= 1 }
    for listener in listeners { listener.resume() }
    statusChanged()
  }

  /// Takes up the streams of the process before, and keeps all streams for the next.
  func takeOver(_ previous: Handover.Previous) {
    handover = Handover(after: previous, loop: loop)
    for stream in previous.streams {
      lastID = max(lastID, stream.id)
      do {
        try resume(stream)
      } catch {
        log.failed(error)
      }
    }
    handover?.publish(inPlaceOf: previous)
  }

  private func resume(_ stream: Handover.Stream) throws {
    var socket = try Socket(adopting: stream.socket)
    socket.refuseDescriptors()
    let credentials = try socket.peerCredentials()
    let caller = Caller(
      uid: credentials.userID, pid: credentials.processID,
      groups: [credentials.groupID] + (try socket.peerGroups()))
    _ = quotas.addConnection(of: caller.uid, isThere: true)
    let connection = Connection(
      id: stream.id, socket: socket, caller: caller, server: self, service: service,
      place: ConnectionPlace(of: caller.uid, in: self), refusedLimit: nil, since: stream.since)
    try start(connection)
    connection.resume(stream)
  }

  // MARK: Calls

  func dispatch(_ exchange: Exchange, from connection: Connection) {
    let interface = exchange.call.interface
    guard let requirement = definitions[interface]?.methods[exchange.call.method],
      let handler = handler(of: interface)
    else {
      return exchange.fail(.methodNotImplemented("\(interface).\(exchange.call.method)"))
    }
    do throws(Refusal) {
      exchange.precision = try door.check(exchange.caller, for: requirement)
    } catch {
      return exchange.refuse(error)
    }
    if let preferences { exchange.preferences = preferences(exchange.caller.uid) }
    handler.handle(exchange)
  }

  private func handler(of interface: String) -> (any InterfaceHandler)? {
    if let handler = handlers[interface] { return handler }
    let handler = makeHandler(interface)
    handlers[interface] = handler
    return handler
  }

  // MARK: Streams

  /// Sends one message, encoded once, to each of `streams`.
  public func send(_ message: StreamMessage, to streams: [StreamID]) {
    for stream in streams { connections[stream]?.deliver(message) }
  }

  /// Whether messages wait for the stream's reader to take earlier ones.
  public func hasWaiting(_ stream: StreamID) -> Bool {
    connections[stream].map { $0.queuedBytes > 0 } ?? false
  }

  /// Keeps what a stream of fixes remembers for a process that takes it up.
  public func remember(_ filter: LocationFilter, cursor: Int, of stream: StreamID) {
    connections[stream]?.remember(filter, cursor: cursor)
  }

  /// Keeps the sequence that a stream is at for a process that takes it up.
  public func remember(cursor: Int, of stream: StreamID) {
    connections[stream]?.remember(cursor, cursor: cursor)
  }

  func streamDrained(_ stream: StreamID, of interface: String) {
    handlers[interface]?.streamDrained(stream)
  }

  func streamEnded(_ stream: StreamID, of interface: String) {
    handlers[interface]?.streamEnded(stream)
    statusChanged()
  }

  func holdEnded(_ stream: StreamID, of interface: String) {
    handlers[interface]?.holdEnded(stream)
    statusChanged()
  }

  /// Applies new rules at once, also to the streams that are open.
  func setDoor(_ door: AccessDoor) {
    self.door = door
    for handler in handlers.values { handler.rulesChanged(door) }
    for connection in connections.values {
      if let call = connection.waitingCall { review(call) }
      guard let interface = connection.streamInterface, let method = connection.streamMethod,
        let requirement = definitions[interface]?.methods[
          String(method.dropFirst(interface.utf8.count + 1))]
      else { continue }
      do throws(Refusal) {
        let precision = try door.check(connection.caller, for: requirement)
        if connection.changeStreamPrecision(to: precision) {
          if requirement == .position { connection.begin(precision) }
          handlers[interface]?.precisionChanged(of: connection.id, to: precision)
        }
      } catch {
        connection.endStream(error)
      }
    }
  }

  /// Asks the door again about a call that waits for its answer.
  private func review(_ call: Exchange) {
    let (interface, method) = (call.call.interface, call.call.method)
    guard let requirement = definitions[interface]?.methods[method] else { return }
    do throws(Refusal) {
      let precision = try door.check(call.caller, for: requirement)
      guard precision != call.precision else { return }
      // What it waits for is told otherwise now: it begins anew.
      call.withdraw()
      call.precision = precision
      handlers[interface]?.handle(call)
    } catch {
      call.withdraw()
      call.refuse(error)
    }
  }

  /// Whether a user may know where the machine is: by the groups that one of its connections has, or
  /// by those that the system knows of.
  func mayKnowPrecisely(_ uid: UInt32) -> Bool {
    let known = Caller(uid: uid, pid: 0, groups: UserDatabase.groups(of: uid))
    return door.precision(of: known) == .precise
      || connections.values.contains {
        $0.caller.uid == uid && door.precision(of: $0.caller) == .precise
      }
  }

  /// Lets the open streams of a user, or with nil of all, go by what is preferred now.
  func preferencesChanged(of uid: UInt32?) {
    guard let preferences else { return }
    for connection in connections.values where uid == nil || connection.caller.uid == uid {
      guard let interface = connection.streamInterface else { continue }
      let new = preferences(connection.caller.uid)
      if connection.changeStreamPreferences(to: new) {
        handlers[interface]?.preferencesChanged(of: connection.id, to: new)
      }
    }
  }

  /// Lets a caller through, or says why not.
  func check(_ caller: Caller, for requirement: AccessRequirement) throws(Refusal) {
    _ = try door.check(caller, for: requirement)
  }

  /// Applies new limits to what comes from now on; what is there already stays.
  func setLimits(_ limits: Limits) {
    self.limits = limits
    quotas.limits = limits
  }

  func statusChanged() { onStatusChange?() }

  /// Writes the metrics of clients and their streams.
  func collect(into metrics: inout MetricsWriter) {
    metrics.single("clients", .gauge, "Clients that are connected.", Double(clientCount))
    metrics.metric("streams", .gauge, "Streams that are open, by method.")
    let methods = connections.values.flatMap { [$0.streamMethod, $0.heldMethod] }
    let streams = Dictionary(grouping: methods.compactMap(\.self)) { $0 }
    for (method, open) in streams.sorted(by: { $0.key < $1.key }) {
      metrics.sample("streams", labels: [("method", method)], Double(open.count))
    }
    metrics.single(
      "queue_bytes", .gauge, "Bytes that wait for clients in the daemon.",
      Double(connections.values.reduce(0) { $0 + $1.queuedBytes }))
    metrics.single(
      "replies_total", .counter, "Stream replies that clients' sockets took.", Double(delivered))
    metrics.single(
      "dropped_total", .counter, "Stream replies lost because their reader was slow.",
      Double(dropped))
    metrics.single(
      "refused_total", .counter, "Connections refused for a quota.", Double(refusals))
  }

  // MARK: Deadlines

  func deadlineChanged(of connection: Connection) {
    guard let deadline = connection.deadline else {
      withDeadline.remove(connection.id)
      return
    }
    withDeadline.insert(connection.id)
    guard let timer else { return }
    timer.arm(at: min(timer.deadline ?? deadline, deadline))
  }

  private func expire() {
    let now = BootTime.now()
    for id in withDeadline {
      guard let connection = connections[id], let deadline = connection.deadline else { continue }
      if deadline <= now { connection.expire() }
    }
    // Such an end may have given others a deadline.
    timer?.arm(at: withDeadline.compactMap { connections[$0]?.deadline }.min())
  }
}
