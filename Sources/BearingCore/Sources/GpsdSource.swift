internal import Glibc

/// The receivers that a gpsd manages, by gpsd's own protocol.
///
/// It connects, watches, and posts what comes; when the connection fails or ends it tries again for
/// as long as it runs, at most once in the time that `GpsdBackoff` says. gpsd that says nothing stays
/// connected: the age of the last fix is what tells.
public struct GpsdSource: Source {
  private let host: String
  private let portNumber: Int

  /// What a connection has to do before another address is tried.
  private static let connectDeadline = 5 * Nanoseconds.second
  /// How often a connection that is being made is looked at.
  private static let connectLook = 250 * Nanoseconds.millisecond
  private static let watchCommand = "?WATCH={\"enable\":true,\"json\":true};\n"
  private static let readSize = 8192

  /// A gpsd by host (name or number) and TCP port.
  public init(host: String = "localhost", port: Int = 2947) {
    self.host = host
    portNumber = port
  }

  /// gpsd and where it is.
  public var summary: String { "gpsd at \(host):\(portNumber)" }
  /// It is the real thing.
  public var isSimulated: Bool { false }

  /// Runs until the port says stop; every failure is posted as a state and tried again.
  public func run(_ port: SourcePort<GnssReport, GnssDemand>) {
    var backoff = GpsdBackoff()
    port.post(state: .connecting(detail: "connecting to \(summary)"))
    while !port.isStopping {
      let start = BootTime.now()
      let reason = connectAndRead(port)
      if port.isStopping { return }
      let pause = backoff.pause(after: BootTime.now() - start)
      let detail = "no connection to \(summary): \(reason); is gpsd running?"
      port.post(state: .connecting(detail: detail))
      wait(until: BootTime.now() + pause, port)
    }
  }

  private func wait(until moment: BootTime, _ port: SourcePort<GnssReport, GnssDemand>) {
    while !port.isStopping, port.wait(until: moment) == .control {}
  }

  /// Serves one connection until it ends; says why it did.
  private func connectAndRead(_ port: SourcePort<GnssReport, GnssDemand>) -> String {
    guard let parser = GpsdParser() else { return "out of memory" }
    let addresses = GpsdSocket.Address.all(host: host, port: portNumber)
    var reason = "no address is known for \(host)"
    for address in addresses where !port.isStopping {
      do throws(SystemError) {
        let socket = try GpsdSocket(address)
        if let failure = connect(socket, port) {
          reason = failure
        } else {
          return read(socket, parser, port)
        }
      } catch {
        reason = error.description
      }
    }
    return reason
  }

  /// Waits until the other end takes the connection and asks it for reports; says why it could not.
  private func connect(
    _ socket: borrowing GpsdSocket, _ port: SourcePort<GnssReport, GnssDemand>
  ) -> String? {
    let deadline = BootTime.now() + Self.connectDeadline
    while !socket.isConnected {
      if let failure = socket.failure { return failure }
      if port.isStopping || BootTime.now() >= deadline { return "it did not answer in time" }
      // gpsd speaks first, and a failed connection reads as ended: both end this wait.
      let look = min(deadline, BootTime.now() + Self.connectLook)
      _ = port.wait(readable: socket.descriptor, until: look)
    }
    return socket.send(Self.watchCommand) ? nil : "it takes no command"
  }

  private func read(
    _ socket: borrowing GpsdSocket, _ parser: borrowing GpsdParser,
    _ port: SourcePort<GnssReport, GnssDemand>
  ) -> String {
    var reports = GpsdReports()
    var lines = GpsdLineBuffer()
    var buffer = [UInt8](repeating: 0, count: Self.readSize)
    var hasAnswered = false
    var silence: BootTime? = BootTime.now() + Self.connectDeadline
    while !port.isStopping {
      switch port.wait(readable: socket.descriptor, until: silence) {
      case .control: continue
      case .deadline:
        silence = nil
        let detail = "\(summary) took the connection and says nothing"
        port.post(state: .connecting(detail: detail))
        continue
      case .readable: break
      }
      switch socket.receive(into: &buffer) {
      case .nothing: continue
      case .end(let reason): return hasAnswered ? reason : reason + " without a word"
      case .bytes(let count): lines.append(buffer[..<count])
      }
      let receipt = BootTime.now()
      while let line = lines.next() {
        guard let message = parser.message(line, receipt: receipt) else { continue }
        if !hasAnswered { port.post(state: .connected) }
        hasAnswered = true
        silence = nil
        for report in reports.reports(of: message) { port.post(report) }
      }
    }
    return "stopped"
  }
}

extension SourcePort where Raw == GnssReport {
  /// Posts positions and skies as samples, which may be lost, and the rest as states.
  func post(_ report: GnssReport) {
    switch report {
    case .position, .sky, .attitude: post(sample: report)
    case .connecting, .connected, .receivers: post(state: report)
    }
  }
}

/// How long to wait before the next try: at most 10 tries in 5 s, and never a burst of them.
struct GpsdBackoff {
  static let first = 250 * Nanoseconds.millisecond
  static let longest = 5 * Nanoseconds.second
  /// A connection that lasted so long was a good one, and the count starts again.
  static let goodConnection = 5 * Nanoseconds.second

  private var next = first

  /// The pause in nanoseconds after a try that lasted so long.
  mutating func pause(after lived: Int64) -> Int64 {
    if lived >= Self.goodConnection { next = Self.first }
    defer { next = min(2 * next, Self.longest) }
    return next
  }
}
