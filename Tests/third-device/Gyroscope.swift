import BearingCore
import BearingModel
import Varlink

/// A third device, to show what one takes: this file, and one line where the registry is made.
final class Gyroscope: Device {
  static let shared = Gyroscope()
  static let kind = "rotation"
  static let interface = InterfaceDefinition(
    description: """
      # How fast the device turns.
      interface io.bearing.gyroscope

      type State (off, live)

      # [Requires 'more' flag]
      method Subscribe(rate: ?float) -> (state: State, z: ?float, dropped: ?int)

      """,
    methods: ["Subscribe": .samples])

  private let desk: LoopConfined<Desk>

  private init() {
    desk = LoopConfined(Desk(instance: InstanceName.next(of: Gyroscope.self)))
  }

  func attach(to home: DeviceHome) throws(SystemError) { try desk.value.attach(to: home) }
  func handle(_ exchange: Exchange) { desk.value.handle(exchange) }
  func streamEnded(_ stream: StreamID) { desk.value.streamEnded(stream) }
  func shutDown() { desk.value.runner?.stop() }
  var status: DeviceStatus { desk.value.status }
  var counters: SourceCounters { desk.value.runner?.counters ?? SourceCounters() }
  var isBusy: Bool { desk.value.runner?.hasThread ?? false }
}

/// Turns at one degree per second more with each reading.
private struct TurningSource: Source {
  let summary = "a turntable that is not there"
  let isSimulated = true

  func run(_ port: SourcePort<Double, Double>) {
    var z = 0.0
    var next = BootTime.now()
    while !port.isStopping {
      guard port.wait(until: next) == .deadline else { continue }
      z += 1
      port.post(sample: z)
      next = next + Int64(Double(Nanoseconds.second) / port.demand)
    }
  }
}

private struct TurnSubscription: Subscription {
  let stream: StreamID
  let rate: Double
  var heartbeat = Heartbeat.never
  var lastSent: BootTime
}

private final class Desk {
  let instance: String
  private(set) var runner: SourceRunner<Double, Double>?
  private var home: DeviceHome?
  private var hub = Hub<TurnSubscription>()
  private var writer = JSONWriter()

  init(instance: String) {
    self.instance = instance
  }

  func attach(to home: DeviceHome) throws(SystemError) {
    self.home = home
    runner = try SourceRunner(
      loop: home.loop, name: "gyroscope", make: { TurningSource() },
      receive: { [unowned self] readings in for z in readings { publish(z) } },
      ended: home.statusChanged)
  }

  var status: DeviceStatus {
    DeviceStatus(
      kind: Gyroscope.kind, state: hub.records.isEmpty ? "off" : "live",
      detail: TurningSource().summary, subscribers: hub.records.count, instance: instance,
      simulated: true)
  }

  func handle(_ exchange: Exchange) {
    do throws(ServiceError) {
      let rate = try Parameters(exchange).nonnegative("rate") ?? 10
      guard exchange.openStream() else { return }
      hub.open(TurnSubscription(stream: exchange.stream, rate: rate, lastSent: .now()))
      let first = StreamMessage(.event, tellsLoss: true, writer: &writer) {
        $0.member("state", "live")
      }
      home?.outlet.send(first, to: [exchange.stream])
      demand()
    } catch {
      exchange.fail(error)
    }
  }

  func streamEnded(_ stream: StreamID) {
    _ = hub.close(stream)
    demand()
    home?.statusChanged()
  }

  private func demand() {
    guard let rate = hub.records.map(\.rate).max() else { return runner?.stop() ?? () }
    runner?.want(rate)
  }

  private func publish(_ z: Double) {
    var recipients: [StreamID] = []
    hub.select(at: .now(), into: &recipients) { _ in true }
    let message = StreamMessage(.latest, tellsLoss: true, writer: &writer) {
      $0.member("state", "live")
      $0.member("z", z, decimals: Decimals.acceleration)
    }
    home?.outlet.send(message, to: recipients)
  }
}
