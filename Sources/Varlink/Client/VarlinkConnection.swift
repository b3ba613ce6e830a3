/// A client's connection to a Varlink service.
///
/// Any number of tasks may call at once: calls are sent without waiting for the replies to earlier
/// ones, and answered in that order. While a stream runs, calls that come after it wait for its
/// end; a connection of its own for each stream is the rule.
///
/// The socket is read only when somebody waits for a reply. Who does not ask a stream for its next
/// element leaves the replies in the socket, and the service sees a slow reader.
public actor VarlinkConnection {
  /// Bytes of calls that may wait for the service to take them.
  private static let outgoingLimit = 1024 * 1024
  /// A year: a sleep for as long as a `Duration` can say traps (Swift 6.3).
  private static let longestWait: Duration = .seconds(365 * 86_400)

  /// A call whose last reply has not come.
  private struct Exchange {
    let id: UInt64
    /// Nobody wants the reply any more; it is still to be read past.
    var isAbandoned = false
    /// Those who wait for its next reply; several when tasks share a stream. The first reads.
    var waits: [Wait] = []
  }

  /// A task's wait for one reply.
  private struct Wait {
    let number: UInt64
    var interruption: VarlinkError?
    /// Resumed when it may be this one's turn to read, or when it is interrupted.
    var turn: CheckedContinuation<Void, Never>?
  }

  private let socket: Socket
  private var reader = ReplyReader()
  private var failure: VarlinkError?
  private var lastID: UInt64 = 0
  private var lastWait: UInt64 = 0
  /// In the order of the calls, which is that of the replies. The first that is not abandoned
  /// reads.
  private var exchanges: [Exchange] = []
  private var reading: SocketReadiness?
  private var outgoing: [UInt8] = []
  private var writing: SocketReadiness?

  private init(_ socket: consuming Socket) {
    self.socket = socket
  }

  /// Connects to `unix:/path`, `unix:@name` or a path. While the service's queue is full, tries
  /// again for as long as the time-out.
  public static func connect(
    to address: String, timeout: Duration = .seconds(5)
  ) async throws(VarlinkError) -> VarlinkConnection {
    let path = try Address.path(of: address)
    let deadline = ContinuousClock.now + min(timeout, longestWait)
    let retryInterval = Duration.milliseconds(5)
    while true {
      do {
        return VarlinkConnection(try Socket.connect(to: path))
      } catch {
        guard error.isBusy, ContinuousClock.now < deadline else { throw .socket(error) }
      }
      do {
        try await Task.sleep(for: retryInterval)
      } catch {
        throw .cancelled
      }
    }
  }

  /// Calls a method by its full name and waits for its only reply.
  ///
  /// A call that timed out or was cancelled may have been carried out; the connection can be used
  /// further.
  public func call(
    _ method: String, _ parameters: JSON = [:], timeout: Duration? = nil
  ) async throws(VarlinkError) -> Reply {
    let id = try begin(CallEnvelope.encode(method: method, parameters: parameters))
    do throws(VarlinkError) {
      guard let reply = try await reply(to: id, within: timeout) else {
        throw .closedHere
      }
      if !reply.continues { return reply }
    } catch {
      abandon(id)
      throw error
    }
    throw fail(.invalidReply("more replies than one, which nobody asked for"))
  }

  /// Calls a method with `more`. The replies come as they are asked for.
  ///
  /// Nothing on the wire ends a stream but its service. Dropping one that still runs closes the
  /// connection, and so does cancelling the task that waits for its next reply and dropping it.
  ///
  /// - Parameters:
  ///   - method: by its full name.
  ///   - parameters: an object.
  ///   - silenceLimit: a wait for a reply that lasts longer throws `timedOut`; the stream itself
  ///     goes on, and may be asked again. Nil: no limit.
  /// - Returns: the replies, each to be had once.
  /// - Throws: when the call could not be sent.
  public func stream(
    _ method: String, _ parameters: JSON = [:], silenceLimit: Duration? = nil
  ) throws(VarlinkError) -> ReplyStream {
    let message = CallEnvelope.encode(method: method, parameters: parameters, more: true)
    let id = try begin(message)
    return ReplyStream(connection: self, id: id, silenceLimit: silenceLimit)
  }

  /// Calls a method whose reply nobody wants; none comes, not even an error.
  public func oneway(_ method: String, _ parameters: JSON = [:]) throws(VarlinkError) {
    try enqueue(CallEnvelope.encode(method: method, parameters: parameters, oneway: true))
  }

  /// Closes the connection; whoever waits for a reply gets `closedHere`.
  public func close() {
    fail(.closedHere)
  }

  // MARK: For streams

  /// The next reply of a stream; nil after the last one.
  func nextReply(
    of id: UInt64, within limit: Duration?
  ) async throws(VarlinkError) -> Reply? {
    if let failure { throw failure }
    return try await reply(to: id, within: limit)
  }

  /// Nobody holds the stream any more.
  func dropStream(_ id: UInt64) {
    if exchanges.contains(where: { $0.id == id }) { fail(.closedHere) }
  }

  // MARK: Exchanges

  private func begin(_ message: [UInt8]) throws(VarlinkError) -> UInt64 {
    try enqueue(message)
    lastID += 1
    exchanges.append(Exchange(id: lastID))
    return lastID
  }

  private func abandon(_ id: UInt64) {
    guard let index = exchanges.firstIndex(where: { $0.id == id }) else { return }
    exchanges[index].isAbandoned = true
    wakeNextReader()
  }

  /// The next reply, nil after the last one, or why none comes; a time-out and cancellation end the
  /// wait, not the call.
  private func reply(
    to id: UInt64, within limit: Duration?
  ) async throws(VarlinkError) -> Reply? {
    guard let index = exchanges.firstIndex(where: { $0.id == id }) else { return nil }
    lastWait += 1
    let wait = lastWait
    exchanges[index].waits.append(Wait(number: wait))
    defer { endWait(wait, for: id) }

    let timer = limit.map { limit in
      Task {
        try await Task.sleep(for: max(.zero, min(limit, Self.longestWait)))
        interrupt(wait, for: id, with: .timedOut)
      }
    }
    defer { timer?.cancel() }
    let message = await withTaskCancellationHandler {
      await readReply(to: id, wait)
    } onCancel: {
      Task { await self.interrupt(wait, for: id, with: .cancelled) }
    }
    return try message.get()?.get()
  }

  private func place(of wait: UInt64, for id: UInt64) -> (exchange: Int, wait: Int)? {
    guard let exchange = exchanges.firstIndex(where: { $0.id == id }),
      let place = exchanges[exchange].waits.firstIndex(where: { $0.number == wait })
    else { return nil }
    return (exchange, place)
  }

  private func endWait(_ wait: UInt64, for id: UInt64) {
    guard let place = place(of: wait, for: id) else { return }
    exchanges[place.exchange].waits.remove(at: place.wait)
    wakeNextReader()
  }

  private func interrupt(_ wait: UInt64, for id: UInt64, with error: VarlinkError) {
    guard let place = place(of: wait, for: id) else { return }
    exchanges[place.exchange].waits[place.wait].interruption = error
    if exchanges[place.exchange].waits[place.wait].turn == nil {
      reading?.giveUp()
    } else {
      takeTurn(at: place.exchange, place.wait)
    }
  }

  private func readReply(
    to id: UInt64, _ wait: UInt64
  ) async -> Result<ReplyReader.Message?, VarlinkError> {
    while true {
      if let failure { return .failure(failure) }
      // Another task may have had the last one.
      guard let (index, place) = place(of: wait, for: id) else { return .success(nil) }
      if let interruption = exchanges[index].waits[place].interruption {
        return .failure(interruption)
      }
      guard place == 0, exchanges.first(where: { !$0.isAbandoned })?.id == id, reading == nil else {
        await withCheckedContinuation { exchanges[index].waits[place].turn = $0 }
        continue
      }
      do {
        if let message = try reader.next() {
          let exchange = exchanges[0]
          if message.isFinal {
            exchanges.removeFirst()
            for wait in exchange.waits { wait.turn?.resume() }
            wakeNextReader()
          }
          if !exchange.isAbandoned { return .success(message) }
        } else if try !reader.read(from: socket) {
          reading = SocketReadiness(of: socket, to: .readable)
          await reading?.wait()
          reading = nil
          wakeNextReader()
        }
      } catch {
        return .failure(fail(error))
      }
    }
  }

  private func wakeNextReader() {
    guard let next = exchanges.firstIndex(where: { !$0.isAbandoned }) else { return }
    if !exchanges[next].waits.isEmpty { takeTurn(at: next, 0) }
  }

  private func takeTurn(at exchange: Int, _ wait: Int) {
    exchanges[exchange].waits[wait].turn?.resume()
    exchanges[exchange].waits[wait].turn = nil
  }

  // MARK: Output and end

  private func enqueue(_ message: [UInt8]) throws(VarlinkError) {
    if let failure { throw failure }
    guard outgoing.count + message.count <= Self.outgoingLimit else {
      throw .tooManyCalls(waitingBytes: outgoing.count)
    }
    outgoing += message
    if writing == nil { try flush() }
  }

  private func flush() throws(VarlinkError) {
    while !outgoing.isEmpty {
      let sent: Socket.Sent
      do {
        sent = try socket.send(outgoing.span)
      } catch {
        throw fail(.socket(error))
      }
      switch sent {
      case .bytes(let count): outgoing.removeFirst(count)
      case .wouldBlock: return flushWhenWritable()
      // The service's last words may still be there to be read: why it closed.
      case .closed: outgoing = []
      }
    }
  }

  private func flushWhenWritable() {
    let readiness = SocketReadiness(of: socket, to: .writable)
    writing = readiness
    Task {
      await readiness.wait()
      writing = nil
      // A failure is remembered for whoever waits for a reply.
      if failure == nil { try? flush() }
    }
  }

  /// Ends everything with this error, unless it has ended already; gives the error that counts.
  @discardableResult
  private func fail(_ error: VarlinkError) -> VarlinkError {
    if let failure { return failure }
    failure = error
    socket.end()
    reading?.giveUp()
    writing?.giveUp()
    let waiting = exchanges.flatMap(\.waits)
    exchanges = []
    for wait in waiting { wait.turn?.resume() }
    return error
  }
}
