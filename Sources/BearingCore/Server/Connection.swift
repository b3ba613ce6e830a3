internal import Varlink

/// One client's connection: reads its calls in order, and sends what it is owed as it takes it.
final class Connection {
  let id: StreamID
  let caller: Caller
  let since: BootTime
  unowned let server: Server

  /// The method of the running stream; nil when there is none.
  private(set) var streamMethod: String?
  /// The interface of the running stream.
  private(set) var streamInterface: String?
  /// The method whose answer the client holds until its end; nil when there is none.
  var heldMethod: String?
  /// The interface of that method.
  var heldInterface: String?
  /// Stream replies that the socket took.
  var delivered = 0
  /// Stream replies that were lost because the client was slow.
  var dropped = 0
  /// Limit that the user is over: its first call is answered so, then the connection ends.
  let refusedLimit: Int?
  /// The name of the client's program, as of when it was first asked for.
  private(set) lazy var command: String? = ProcessName.of(caller.pid)

  private let socket: Socket
  var calls: ServiceConnection
  private var watch: Watch?
  private var exchange: Exchange?
  /// What counts it; nil for one too many, and after the end.
  private(set) var place: ConnectionPlace?
  var mailbox = Mailbox()
  private var outgoing: [UInt8] = []
  /// Go with the first byte of what is outgoing.
  private var passing: [Descriptor] = []
  private var outgoingStart = 0
  private var countedBytes = 0
  private var isProcessing = false
  private var callsThisTurn = 0
  /// Calls wait here for the loop's next turn, which comes as soon as the socket has room.
  private var isYielding = false
  var isClosed = false
  private var isEnding = false
  private var patience = Patience()
  /// Where the running stream is kept for the next process; nil when it is not.
  var slot: Int?
  /// The stream of the process before that is being taken up.
  var resumption: Resumption?
  var cursor = -1

  /// Reads at one turn before others get theirs.
  private static var readsPerTurn: Int { 8 }
  /// Calls carried out at one turn before others get theirs.
  private static var callsPerTurn: Int { 16 }

  init(
    id: StreamID, socket: consuming Socket, caller: Caller, server: Server, service: Service,
    place: ConnectionPlace?, refusedLimit: Int?, since: BootTime = .now()
  ) {
    self.id = id
    self.socket = socket
    self.caller = caller
    self.server = server
    self.place = place
    self.refusedLimit = refusedLimit
    self.since = since
    calls = ServiceConnection(
      service: service, requestLimit: server.limits.requestSize,
      depthLimit: server.limits.requestDepth)
  }

  /// Begins to listen to the client.
  func start() throws(SystemError) {
    watch = try server.loop.watch(socket.descriptor, for: .readable) { [unowned self] happened in
      handle(happened)
    }
    server.deadlineChanged(of: self)
  }

  /// The socket's number, as long as the connection lives.
  var descriptor: Int32 { socket.descriptor }

  /// Bytes that wait for the client in the daemon.
  var queuedBytes: Int { mailbox.byteCount + outgoing.count - outgoingStart }

  // MARK: What comes

  private func handle(_ happened: EventLoop.Interest) {
    callsThisTurn = 0
    isYielding = false
    if happened.contains(.writable) { flush() }
    if happened.contains(.readable) { read() }
    // What came before the end is carried out first: the end is reported again at the next turn.
    if !happened.isDisjoint(with: [.hungUp, .failed]), !isYielding { close() }
    if !isClosed { update() }
  }

  private func read() {
    // Taken for the turn: a span cannot reach into another object's property.
    var buffer: [UInt8] = []
    swap(&buffer, &server.readBuffer)
    defer { swap(&buffer, &server.readBuffer) }
    var turns = 0
    while !isClosed, wantsInput, turns < Self.readsPerTurn {
      turns += 1
      do throws(SocketError) {
        switch try socket.receive(into: &buffer) {
        case .wouldBlock:
          return
        case .end:
          calls.receiveEnd()
          process()
          return
        case .bytes(let count):
          calls.receive(buffer.span.extracting(first: count))
          process()
        }
      } catch {
        server.log.disconnected(self, why: "\(error)")
        return close()
      }
    }
  }

  /// Nothing is read behind a running stream, or one that is being taken up: what the client sends
  /// waits in its socket, and no request is half read when the process ends.
  private var wantsInput: Bool {
    streamMethod == nil && exchange?.resumption == nil && calls.wantsInput && outgoing.isEmpty
      && !isEnding && !isYielding
  }

  /// Carries out the calls that have come, one after the other, while answers can be sent.
  func process() {
    guard !isProcessing else { return }
    isProcessing = true
    defer { isProcessing = false }
    while !isClosed, exchange == nil, outgoing.isEmpty, !isEnding {
      guard callsThisTurn < Self.callsPerTurn else {
        isYielding = true
        return
      }
      callsThisTurn += 1
      switch calls.next() {
      case .idle:
        return
      case .send(let reply):
        isEnding = refusedLimit != nil
        transmit(refusedLimit.map(DaemonInterface.refusal) ?? reply)
      case .call(let call):
        if let refusedLimit {
          isEnding = true
          if !call.oneway { transmit(DaemonInterface.refusal(limit: refusedLimit)) }
          continue
        }
        let exchange = Exchange(call, on: self)
        exchange.resumption = resumption
        self.exchange = exchange
        server.dispatch(exchange, from: self)
      case .disconnect(.finished):
        isEnding = true
      case .disconnect(let reason):
        server.log.disconnected(self, why: "\(reason)")
        return close()
      }
    }
    closeIfDone()
  }

  // MARK: What goes

  /// The call that is under way has its answer.
  func finish(_ reply: [UInt8], passing descriptors: [Descriptor] = []) {
    exchange = nil
    calls.finishedCall()
    releaseStream()  // One of the process before that could not go on.
    // Nothing else is outgoing: a call begins when all answers are sent.
    passing = reply.isEmpty ? [] : descriptors
    if !reply.isEmpty { transmit(reply) }
    process()
    if !isClosed { update() }
  }

  /// Makes the call a stream; false, and the call is answered, when the user has too many.
  func openStream(for exchange: Exchange) -> Bool {
    let (isGranted, limit) = server.quotas.addStream(
      of: caller.uid, isThere: exchange.resumption != nil)
    guard isGranted else {
      exchange.refuse(quota: "streams", limit: limit)
      return false
    }
    streamMethod = "\(exchange.call.interface).\(exchange.call.method)"
    streamInterface = exchange.call.interface
    keepStream(exchange.call)
    server.statusChanged()
    return true
  }

  /// Changes how exactly the running stream may tell; false when it is no change.
  func changeStreamPrecision(to precision: Precision) -> Bool {
    guard let exchange, exchange.precision != precision else { return false }
    exchange.precision = precision
    return true
  }

  /// The call that waits for its answer and could be taken back; nil when there is none.
  var waitingCall: Exchange? {
    streamMethod == nil && exchange?.onAbandon != nil ? exchange : nil
  }

  /// Changes what the running stream goes by where its call says nothing; false when it is no change.
  func changeStreamPreferences(to preferences: StreamPreferences) -> Bool {
    guard let exchange, exchange.preferences != preferences else { return false }
    exchange.preferences = preferences
    return true
  }

  /// Ends the running stream with an error, such as AccessDenied.
  func endStream(_ refusal: Refusal) {
    guard streamMethod != nil, let exchange else { return }
    mailbox = Mailbox()
    closeStream()
    exchange.refuse(refusal)
  }

  /// Sends a stream's message now, or keeps it by the rules of its kind.
  func deliver(_ message: StreamMessage) {
    guard !isClosed, streamMethod != nil else { return }
    if mailbox.isEmpty, outgoing.isEmpty, sendNow(message, lost: mailbox.lostAtEnd) {
      mailbox.wasSent(message)
      noteProgress()
      if !outgoing.isEmpty { update() }
      return
    }
    guard !isClosed else { return }
    let left = server.quotas.bytesLeft(for: caller.uid) + countedBytes - Self.socketBytes
    let room = min(server.limits.queuePerClient, left)
    guard let lost = mailbox.add(message, limit: room) else {
      server.log.disconnected(
        self, why: "what may not be dropped would go beyond the queue of \(room) bytes")
      return close()
    }
    dropped += lost
    server.dropped += lost
    noteProgress()
    update()
  }

  private func sendNow(_ message: StreamMessage, lost: Int) -> Bool {
    let bytes = message.bytes(telling: lost)
    do throws(SocketError) {
      switch try socket.send(bytes.span) {
      case .wouldBlock:
        patience.blocked()
        return false
      case .closed:
        close()
        return false
      case .bytes(let count):
        delivered += 1
        server.delivered += 1
        patience.unblocked()
        if count < bytes.count {
          // Longer than the socket takes at once: the rest goes first.
          outgoing = Array(bytes.dropFirst(count))
          outgoingStart = 0
        }
        return true
      }
    } catch {
      close()
      return false
    }
  }

  private func transmit(_ reply: [UInt8]) {
    if outgoing.isEmpty {
      outgoing = reply
      outgoingStart = 0
    } else {
      outgoing.append(contentsOf: reply)
    }
    flush()
  }

  private func flush() {
    guard !isClosed else { return }
    do throws(SocketError) {
      while outgoingStart < outgoing.count {
        let pending = outgoing
        let rest = pending.span.extracting(outgoingStart..<pending.count)
        switch try socket.send(rest, descriptors: passing.map(\.number)) {
        case .wouldBlock:
          patience.blocked()
          return
        case .closed:
          return close()
        case .bytes(let count):
          outgoingStart += count
          passing = []
          patience.unblocked()
        }
      }
    } catch {
      return close()
    }
    outgoing = []
    outgoingStart = 0
    let hadWaiting = !mailbox.isEmpty
    while let (message, lost) = mailbox.first, sendNow(message, lost: lost) {
      mailbox.removeFirst()
      noteProgress()
      if !outgoing.isEmpty { return }
    }
    if hadWaiting, mailbox.isEmpty, let interface = streamInterface {
      server.streamDrained(id, of: interface)
    }
    if !isClosed {
      closeIfDone()
      process()
    }
  }

  // MARK: What is left

  /// What of the kernel's socket buffer counts as the user's.
  static var socketBytes: Int { Server.sendBufferBytes }

  private func closeIfDone() {
    if isEnding, exchange == nil, queuedBytes == 0 { close() }
  }

  func update() {
    var interest: EventLoop.Interest = []
    if wantsInput { interest.insert(.readable) }
    if queuedBytes > 0 || isYielding { interest.insert(.writable) }
    watch?.change(interest)
    let bytes = queuedBytes + Self.socketBytes
    if bytes != countedBytes {
      server.quotas.addBytes(bytes - countedBytes, of: caller.uid)
      countedBytes = bytes
      if server.quotas.bytesLeft(for: caller.uid) < 0, !outgoing.isEmpty {
        server.log.disconnected(self, why: "the user's queues are full")
        return close()
      }
    }
    if queuedBytes == 0 { patience.unblocked() }
    // While the client does not take its answers nothing is read, and it cannot be blamed for that.
    patience.begun(wantsInput ? calls.incompleteMessage : nil)
    server.deadlineChanged(of: self)
  }

  /// When the client's time is up; nil while it owes nothing.
  var deadline: BootTime? {
    patience.end(server.limits, refusedSince: refusedLimit == nil ? nil : since)
  }

  /// The machine was suspended that many nanoseconds, which are not the client's fault.
  func forgive(_ slept: Int64) {
    patience.forgive(slept)
    server.deadlineChanged(of: self)
  }

  /// Ends the connection because its deadline has passed.
  func expire() {
    if refusedLimit == nil {
      server.log.disconnected(
        self,
        why: patience.isBlocked ? "it took no byte in time" : "a request was not complete in time")
    }
    close()
  }

  /// Ends the connection now.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    place = nil
    watch?.cancel()
    watch = nil
    let abandoned = exchange
    exchange = nil
    closeStream()
    endHold()
    releaseStream()
    abandoned?.abandon()
    server.quotas.addBytes(-countedBytes, of: caller.uid)
    socket.end()
    server.remove(self)
  }

  private func closeStream() {
    guard let interface = streamInterface else { return }
    streamMethod = nil
    streamInterface = nil
    releaseStream()
    server.quotas.removeStream(of: caller.uid)
    server.streamEnded(id, of: interface)
  }
}
