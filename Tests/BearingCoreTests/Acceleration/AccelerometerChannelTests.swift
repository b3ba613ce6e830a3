import BearingModel
import TestSupport
import Testing
import Varlink

@testable import BearingCore

/// What a sensor's source posts, as its streams have it, and who has the sensor run.
@Suite struct AccelerometerChannelTests {
  /// A sensor that gives these reports, then nothing.
  private struct Script: AccelerometerSources, Source {
    static let found = AccelerationSensorChoiceTests.all[2]

    let reports: [SensorReport]

    var changes: SensorChanges { .seen }
    var summary: String { "script" }
    var isSimulated: Bool { true }

    func discovery() -> any Source<SensorListReport, SensorListDemand> {
      KnownSensors(sensors: [Self.found], summary: summary, isSimulated: true)
    }

    func capture(_ sensor: DiscoveredSensor) -> any Source<SensorReport, SensorDemand> { self }

    func run(_ port: SourcePort<SensorReport, SensorDemand>) {
      for report in reports {
        if case .sample = report { port.post(sample: report) } else { port.post(state: report) }
      }
      while !port.isStopping { _ = port.wait() }
    }
  }

  /// Takes the replies of all streams.
  private final class Reader: Outlet {
    private let take: (StreamID, JSON) -> Void

    init(_ take: @escaping (StreamID, JSON) -> Void) { self.take = take }

    func send(_ message: StreamMessage, to streams: [StreamID]) {
      guard let reply = try? JSON(parsing: message.whole.dropLast()) else { return }
      for stream in streams { take(stream, reply["parameters"] ?? [:]) }
    }
    func hasWaiting(_ stream: StreamID) -> Bool { false }
    func remember(_ filter: LocationFilter, cursor: Int, of stream: StreamID) {}
    func remember(cursor: Int, of stream: StreamID) {}
  }

  private static func desk(
    _ reports: [SensorReport], on loop: EventLoop, in folder: TemporaryFolder,
    _ stationary: Stationary = Stationary(), to reader: Reader
  ) throws -> AccelerometerDesk {
    let desk = AccelerometerDesk(
      instance: "test",
      setup: Accelerometer.Setup(
        summary: "test", sources: Script(reports: reports), isSimulated: true))
    try desk.attach(
      to: DeviceHome(
        loop: loop, storage: Storage(loop: loop, path: folder.path + "/state.db"),
        stationary: stationary, outlet: reader, statusChanged: {}))
    return desk
  }

  /// Samples that came together.
  private struct Reply: Equatable {
    let state: String
    let sequences: [Int64]
    let y: Double
  }

  @Test("A mean and a batch have samples of one state, and that state")
  func states() throws {
    // At 100 Hz, each in the middle of its period: some good ones, some without anything, good ones.
    let samples = (0..<40).map { number in
      SensorReport.sample(
        time: BootTime(
          nanoseconds: 1_000 * Nanoseconds.second
            + (Int64(number) * 10 + 5) * Nanoseconds.millisecond),
        x: 0, y: (15..<25).contains(number) ? 0 : 9.8, z: 0)
    }
    let reports =
      [.running(mode: "test", rate: 100)] + samples + [SensorReport.failing(reason: "the end")]
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    var replies: [StreamID: [Reply]] = [:]
    var ended = 0
    let reader = Reader { stream, reply in
      let samples = reply["samples"]?.array ?? []
      if let last = samples.last {
        replies[stream, default: []].append(
          Reply(
            state: reply["state"]?.string ?? "",
            sequences: samples.compactMap { $0["sequence"]?.integer },
            y: last["y"]?.number ?? .nan))
      }
      if reply["state"] == "failed" { ended += 1 }
      if ended == 2 { loop.exit() }
    }
    let desk = try Self.desk(reports, on: loop, in: folder, to: reader)
    let channel = try #require(desk.channel(of: Script.found))
    func open(_ stream: StreamID, rate: Double, maxLatency: Int64) {
      channel.open(
        SampleSubscription(stream: stream, heartbeat: .never, lastSent: .now(), wantedRate: rate),
        rate: rate, maxLatency: maxLatency)
    }
    open(1, rate: 10, maxLatency: 0)
    open(2, rate: 1000, maxLatency: 600 * Nanoseconds.second)
    let tooLate = try loop.timer { loop.exit() }
    tooLate.arm(at: .now() + 60 * Nanoseconds.second)
    try loop.run()
    desk.shutDown()
    // The periods end behind the samples 10, 20, 30 and 40; the states behind 15, 25 and 40.
    #expect(
      replies[1] == [
        Reply(state: "live", sequences: [10], y: 9.8),
        Reply(state: "live", sequences: [15], y: 9.8),
        Reply(state: "stale", sequences: [20], y: 0), Reply(state: "stale", sequences: [25], y: 0),
        Reply(state: "live", sequences: [30], y: 9.8),
        Reply(state: "live", sequences: [40], y: 9.8),
      ])
    #expect(
      replies[2] == [
        Reply(state: "live", sequences: Array(1...15), y: 9.8),
        Reply(state: "stale", sequences: Array(16...25), y: 0),
        Reply(state: "live", sequences: Array(26...40), y: 9.8),
      ])
  }

  @Test("A sensor that went while location wanted it is waited for only as long as location does")
  func stationary() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let stationary = Stationary()
    let reader = Reader { _, _ in }
    let desk = try Self.desk([], on: loop, in: folder, stationary, to: reader)
    desk.sensors = [Script.found]
    stationary.isWanted = true
    #expect(desk.status.subscribers == 1 && desk.state == .starting)
    desk.sensors = []
    desk.channel(of: Script.found)?.lose()
    #expect(desk.status.subscribers == 1 && desk.state == .noSensor)
    stationary.isWanted = false
    #expect(desk.status.subscribers == 0)
    desk.shutDown()
  }
}
