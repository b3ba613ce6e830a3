internal import BearingModel
internal import Varlink

/// `io.bearing.daemon`: what the daemon runs, who uses it, how it does.
final class DaemonInterface: InterfaceHandler {
  static let name = "io.bearing.daemon"
  static let definition = InterfaceDefinition(
    description: InterfaceText.daemon,
    methods: [
      "GetStatus": .everyone, "SubscribeStatus": .everyone, "ListClients": .everyone,
      "Explain": .everyone, "Disconnect": .everyone, "GetMetrics": .administrator,
    ])

  /// The answer to the one call of a client that has more connections than `limit`.
  static func refusal(limit: Int) -> [UInt8] {
    Reply.encode(
      error: "\(name).QuotaExceeded",
      parameters: ["resource": "connections", "limit": .int(Int64(limit))])
  }

  /// What the daemon tells of itself.
  struct Report {
    var devices: [DeviceStatus]
    var clients: Int
    var warnings: [String]
  }

  private struct StatusSubscription: Subscription {
    let stream: StreamID
    var heartbeat: Heartbeat
    var lastSent: BootTime
  }

  private unowned let server: Server
  private let metrics: () -> String
  private let report: () -> Report
  private let startedAt = BootTime.now()
  private let timer: LoopTimer
  private var hub = Hub<StatusSubscription>()
  private var writer = JSONWriter(capacity: 1024)
  private var lastBody: ArraySlice<UInt8> = []
  private var isChanged = false

  /// An interface that tells what `report` and `metrics` give.
  init(
    server: Server, loop: EventLoop, report: @escaping () -> Report,
    metrics: @escaping () -> String
  ) throws(SystemError) {
    self.metrics = metrics
    self.server = server
    self.report = report
    let ticker = Ticker()
    timer = try loop.timer { ticker.tick?() }
    ticker.tick = { [unowned self] in sendDue() }
  }

  private final class Ticker {
    var tick: (() -> Void)?
  }

  func handle(_ exchange: Exchange) {
    switch exchange.call.method {
    case "GetStatus": getStatus(exchange)
    case "Explain": explain(exchange)
    case "Disconnect": disconnect(exchange)
    case "GetMetrics": exchange.reply { $0.member("text", metrics()) }
    case "ListClients":
      let clients = server.clients(for: exchange.caller)
      exchange.reply { writer in
        writer.key("clients")
        writer.array(clients) { $0.value($1) }
      }
    default:
      do throws(ServiceError) {
        try subscribe(exchange)
      } catch {
        exchange.fail(error)
      }
    }
  }

  func streamEnded(_ stream: StreamID) {
    _ = hub.close(stream)
    rearm()
  }

  /// Something in the report may have changed: streams are told at the loop's next turn, once.
  func statusChanged() {
    guard !hub.records.isEmpty else { return }
    isChanged = true
    rearm()
  }

  private func rearm() { timer.arm(at: isChanged ? .now() : hub.deadline) }

  private func getStatus(_ exchange: Exchange) {
    let report = report()
    let uptime = BootTime.now() - startedAt
    exchange.reply { writer in
      writer.member("version", Version.text)
      writer.member("pid", ProcessName.own)
      writer.member("uptime", Int(uptime / Nanoseconds.microsecond))
      writer.write(report)
      writer.key("warnings")
      writer.array(report.warnings) { $0.value($1) }
    }
  }

  private func explain(_ exchange: Exchange) {
    let client = exchange.call.parameters["client"]?.integer.map { StreamID($0) } ?? 0
    guard let decisions = server.decisions(of: client, for: exchange.caller) else {
      return exchange.fail("ClientNotFound") { $0.member("client", client) }
    }
    exchange.reply { writer in
      writer.key("decisions")
      writer.array(decisions) { $0.write($1) }
    }
  }

  private func disconnect(_ exchange: Exchange) {
    let client = exchange.call.parameters["client"]?.integer.map { StreamID($0) } ?? 0
    if client == exchange.stream {  // its own: the answer could not reach it
      return exchange.fail(.invalidParameter("client"))
    }
    guard server.disconnect(client, for: exchange.caller) else {
      return exchange.fail("ClientNotFound") { $0.member("client", client) }
    }
    exchange.reply { _ in }
  }

  private func subscribe(_ exchange: Exchange) throws(ServiceError) {
    let heartbeat = try Parameters(exchange).heartbeat()
    guard exchange.openStream() else { return }
    let message = StreamMessage(.event, tellsLoss: false, writer: &writer) { $0.write(report()) }
    // What is not news for the others would not be sent to this one either: all get to know the same.
    if hub.records.isEmpty { lastBody = message.body } else { sendChange(at: .now()) }
    hub.open(
      StatusSubscription(stream: exchange.stream, heartbeat: heartbeat, lastSent: .now()))
    server.send(message, to: [exchange.stream])
    rearm()
  }

  func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences) {
    hub.prefer(preferences, for: stream)
    rearm()
  }

  private func sendDue() {
    let now = BootTime.now()
    if isChanged { sendChange(at: now) }
    var recipients: [StreamID] = []
    hub.selectSilent(at: now, into: &recipients)
    if !recipients.isEmpty {
      let message = StreamMessage(.latest, tellsLoss: false, writer: &writer) { writer in
        writer.write(report())
        writer.member("repeated", true)
      }
      server.send(message, to: recipients)
    }
    rearm()
  }

  private func sendChange(at now: BootTime) {
    isChanged = false
    let message = StreamMessage(.latest, tellsLoss: false, writer: &writer) { $0.write(report()) }
    if message.body == lastBody { return }
    lastBody = message.body
    var recipients: [StreamID] = []
    hub.select(at: now, into: &recipients) { _ in true }
    server.send(message, to: recipients)
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ decision: DecisionLog.Decision) {
    object { writer in
      writer.member("sequence", decision.sequence)
      writer.member("filter", "\(decision.verdict.filter)")
      writer.member("passed", decision.verdict.passed)
      writer.member("value", decision.verdict.value, decimals: Decimals.metres)
      writer.member("limit", decision.verdict.limit, decimals: Decimals.metres)
    }
  }

  fileprivate mutating func write(_ report: DaemonInterface.Report) {
    key("devices")
    array(report.devices) { $0.value($1) }
    member("clients", report.clients)
  }
}
