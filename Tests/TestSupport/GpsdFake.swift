internal import Glibc

/// A gpsd that does on a loopback port, byte for byte, what the test says.
public final class GpsdFake {
  /// What it listens on.
  public let port: Int
  private var listener: Int32
  private var crowd: [Int32] = []

  /// Listens on a port that the system chooses.
  public init() throws {
    listener = try LoopbackPort.listen(0)
    port = LoopbackPort.number(of: listener)
  }

  deinit {
    refuse()
    for descriptor in crowd { close(descriptor) }
  }

  /// Lets as many wait to be accepted as may, so that another connection is neither taken nor
  /// refused; whether that could be done.
  public func fill() -> Bool {
    guard listen(listener, 0) == 0 else { return false }
    for _ in 0..<16 {
      guard let waiting = LoopbackPort.beginToConnect(port) else { return false }
      crowd.append(waiting)
      // On the loopback a connection that can be made is made at once.
      var one = pollfd(fd: waiting, events: Int16(POLLOUT), revents: 0)
      if poll(&one, 1, 0) == 0 { return true }
    }
    return false
  }

  /// Refuses connections from now on, whoever else has the listener open.
  public func refuse() {
    if listener >= 0 {
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }
    listener = -1
  }

  /// Listens again on the same port.
  public func listenAgain() throws {
    refuse()
    listener = try LoopbackPort.listen(port)
  }

  /// The next client.
  public func accept(within seconds: Double = DaemonProcess.patience) throws -> GpsdFakeConnection {
    guard awaitInput(listener, seconds) else { throw LoopbackError.nobodyCame }
    let descriptor = Glibc.accept(listener, nil, nil)
    guard descriptor >= 0 else { throw LoopbackError.nobodyCame }
    return GpsdFakeConnection(descriptor)
  }

  /// A client that was greeted and has asked for reports.
  public func acceptWatcher() throws -> GpsdFakeConnection {
    let connection = try accept()
    connection.send(
      #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#)
    _ = try connection.line()
    return connection
  }
}

/// One client of a fake gpsd.
public final class GpsdFakeConnection {
  private var descriptor: Int32
  private var received: [UInt8] = []

  fileprivate init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    end()
  }

  /// Sends a line.
  public func send(_ line: String) {
    send(bytes: Array(line.utf8) + [UInt8(ascii: "\n")])
  }

  /// Sends bytes as they are.
  public func send(bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// The next line that the client sends, without its end.
  public func line(within seconds: Double = DaemonProcess.patience) throws -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      guard awaitInput(descriptor, seconds) else { throw LoopbackError.nobodyCame }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw LoopbackError.closed }
      received += buffer[..<count]
    }
  }

  /// Whether the client closes its end in time.
  public func isClosedByClient(within seconds: Double = DaemonProcess.patience) -> Bool {
    var byte: UInt8 = 0
    return awaitInput(descriptor, seconds) && recv(descriptor, &byte, 1, 0) <= 0
  }

  /// Closes in order, whoever else has the connection open.
  public func end() {
    if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
    close()
  }

  /// Closes with a reset.
  public func reset() {
    var hard = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  private func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}

private func awaitInput(_ descriptor: Int32, _ seconds: Double) -> Bool {
  var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&one, 1, Int32(seconds * 1000)) > 0
}
