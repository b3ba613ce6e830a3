import BearingModel
import Glibc
import Locking
import TestSupport
import Testing
import Varlink

@testable import BearingCore

/// What a sensor's source posts, as its streams have it, and who has the sensor run.
@Suite struct AccelerometerChannelTests {
  /// The sensors that were read, one after the other.
  private final class Captures: Sendable {
    let sensors = Guarded<[Sensor]>([])
    /// Signalled when all reports of one were posted.
    let posted = Wake()
    /// How many have posted all.
    let count = Guarded(0)
  }

  /// A sensor that gives these reports each time that it is read, then nothing.
  private struct Script: AccelerometerSources, Source {
    static let found = AccelerationSensorChoiceTests.all[2]

    var reports: [SensorReport]
    /// What other sensors give, by their paths.
    var others: [String: [SensorReport]] = [:]
    var captures = Captures()

    var changes: SensorChanges { .seen }
    var summary: String { "script" }
    var isSimulated: Bool { true }

    func discovery() -> any Source<SensorListReport, SensorListDemand> {
      KnownSensors(sensors: [Self.found], summary: summary, isSimulated: true)
    }

    func capture(_ sensor: DiscoveredSensor) -> any Source<SensorReport, SensorDemand> {
      captures.sensors.withValue { $0.append(sensor.sensor) }
      var script = self
      script.reports = others[sensor.sensor.path] ?? reports
      return script
    }

    func run(_ port: SourcePort<SensorReport, SensorDemand>) {
      for report in reports {
        if case .sample = report { port.post(sample: report) } else { port.post(state: report) }
      }
      captures.count.withValue { $0 += 1 }
      captures.posted.signal()
      while !port.isStopping { _ = port.wait() }
    }
  }

  /// Takes the replies of all streams.
  private final class Reader: Outlet {
    private let take: (StreamID, JSON) -> Void
    /// The samples of each message that is no heartbeat, and to whom it went.
    private(set) var sent: [(sequences: [Int64], streams: [StreamID])] = []

    init(_ take: @escaping (StreamID, JSON) -> Void) { self.take = take }

    func send(_ message: StreamMessage, to streams: [StreamID]) {
      guard let reply = try? JSON(parsing: message.whole.dropLast()) else { return }
      if let samples = reply["parameters"]?["samples"]?.array, !samples.isEmpty,
        reply["parameters"]?["repeated"] != true
      {
        sent.append((samples.compactMap { $0["sequence"]?.integer }, streams))
      }
      for stream in streams { take(stream, reply["parameters"] ?? [:]) }
    }
    func hasWaiting(_ stream: StreamID) -> Bool { false }
    func remember(_ filter: LocationFilter, cursor: Int, of stream: StreamID) {}
    func remember(cursor: Int, of stream: StreamID) {}
  }

  private static func desk(
    _ script: Script, on loop: EventLoop, in folder: TemporaryFolder,
    _ stationary: Stationary = Stationary(), to reader: Reader
  ) throws -> AccelerometerDesk {
    let desk = AccelerometerDesk(
      instance: "test",
      setup: Accelerometer.Setup(summary: "test", sources: script, isSimulated: true))
    try desk.attach(
      to: DeviceHome(
        loop: loop, storage: Storage(loop: loop, path: folder.path + "/state.db"),
        stationary: stationary, outlet: reader, statusChanged: {}))
    return desk
  }

  private static func open(
    _ stream: StreamID, of channel: AccelerometerChannel, rate: Double, maxLatency: Int64 = 0
  ) {
    channel.open(
      SampleSubscription(
        stream: stream,
        heartbeat: Heartbeat(100 * Nanoseconds.millisecond, else: StreamPreferences()),
        lastSent: .now(), wantedRate: rate),
      rate: rate, maxLatency: maxLatency)
  }

  /// Runs the loop until it is told to end, or for too long; from when all was posted, so that it
  /// comes without a pause in which the sensor would be taken for silent.
  private static func run(_ loop: EventLoop, _ script: Script, sensors: Int = 1) throws {
    var poll = pollfd(fd: script.captures.posted.descriptor, events: Int16(POLLIN), revents: 0)
    while script.captures.count.withValue({ $0 }) < sensors {
      try #require(Glibc.poll(&poll, 1, 60_000) == 1)
      script.captures.posted.clear()
    }
    let tooLate = try loop.timer { loop.exit() }
    tooLate.arm(at: .now() + 60 * Nanoseconds.second)
    try loop.run()
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
    var repeated: [StreamID: JSON] = [:]
    let reader = Reader { stream, reply in
      if reply["repeated"] == true {
        if reply["state"] == "failed" { repeated[stream] = reply["samples"] }
        if repeated.count == 2 { loop.exit() }
      } else if let samples = reply["samples"]?.array, let last = samples.last {
        replies[stream, default: []].append(
          Reply(
            state: reply["state"]?.string ?? "",
            sequences: samples.compactMap { $0["sequence"]?.integer },
            y: last["y"]?.number ?? .nan))
      }
    }
    let script = Script(reports: reports)
    let desk = try Self.desk(script, on: loop, in: folder, to: reader)
    let channel = try #require(desk.channel(of: Script.found))
    Self.open(1, of: channel, rate: 10)
    Self.open(2, of: channel, rate: 1000, maxLatency: 600 * Nanoseconds.second)
    try Self.run(loop, script)
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
    // The last reply had none.
    #expect(repeated == [1: [], 2: []])
  }

  @Test("A sample is written once, whatever the number of its streams")
  func once() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let streams = Array(1...60)
    let reader = Reader { stream, reply in
      if stream == streams.last, reply["samples"]?.array?.last?["sequence"] == 5 { loop.exit() }
    }
    // In the middle of each period of 100 Hz.
    let samples = (0...5).map { number in
      SensorReport.sample(
        time: BootTime(
          nanoseconds: 1_000 * Nanoseconds.second
            + (Int64(number) * 10 + 5) * Nanoseconds.millisecond), x: 0, y: 9.8, z: 0)
    }
    let script = Script(reports: [.running(mode: "test", rate: 100)] + samples)
    let desk = try Self.desk(script, on: loop, in: folder, to: reader)
    let channel = try #require(desk.channel(of: Script.found))
    for stream in streams { Self.open(stream, of: channel, rate: 100) }
    try Self.run(loop, script)
    desk.shutDown()
    let sequences = reader.sent.flatMap(\.sequences)
    #expect(Array(sequences.prefix(5)) == [1, 2, 3, 4, 5])
    #expect(Set(sequences).count == sequences.count)
    #expect(reader.sent.allSatisfy { $0.streams == streams })
  }

  @Test("A sensor that went while location wanted it is waited for only as long as location does")
  func stationary() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let stationary = Stationary()
    let reader = Reader { _, _ in }
    let desk = try Self.desk(Script(reports: []), on: loop, in: folder, stationary, to: reader)
    desk.sensors = [Script.found]
    stationary.use = .always
    stationary.isWanted = true
    #expect(desk.status.subscribers == 1 && desk.state == .starting)
    desk.sensors = []
    desk.channel(of: Script.found)?.lose()
    #expect(desk.status.subscribers == 1 && desk.state == .noSensor)
    stationary.isWanted = false
    #expect(desk.status.subscribers == 0)
    desk.shutDown()
  }

  @Test(
    "What is learnt of a sensor's mount while it runs counts at once; what else is, does not disturb",
    arguments: [true, false])
  func learnt(isMount: Bool) throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    var desk: AccelerometerDesk?
    var found = Script.found
    if isMount { found.sensor.mountMatrix = [0, 1, 0, 1, 0, 0, 0, 0, 1] }
    found.sensor.rate += 90
    let reader = Reader { _, reply in
      switch reply["samples"]?.array?.last?["sequence"]?.integer {
      case 1 where reply["repeated"] != true: desk?.channel(of: found)?.update(found)
      case 1: if !isMount { loop.exit() }
      case 2: loop.exit()
      default: break
      }
    }
    let script = Script(reports: [
      .running(mode: "test", rate: 10), .sample(time: .now(), x: 0, y: 9.8, z: 0),
    ])
    desk = try Self.desk(script, on: loop, in: folder, to: reader)
    let channel = try #require(desk?.channel(of: Script.found))
    Self.open(1, of: channel, rate: 10)
    try Self.run(loop, script)
    desk?.shutDown()
    let read = script.captures.sensors.withValue { $0 }
    #expect(
      read.map(\.mountMatrix)
        == (isMount ? [Script.found, found] : [found]).map(\.sensor.mountMatrix))
  }

  @Test(
    "A sensor that is read in a lesser way is tried again when udev has dealt with it, no other",
    arguments: [nil, "cannot open /dev/iio:device2"])
  func triedAgain(reason: String?) throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    var desk: AccelerometerDesk?
    let reader = Reader { _, reply in
      switch reply["samples"]?.array?.last?["sequence"]?.integer {
      case 1 where reply["repeated"] != true:
        desk?.hear(.present("another"))
        desk?.hear(.present(Script.found.sensor.identifier))
      case 1: if reason == nil { loop.exit() }
      case 2: loop.exit()
      default: break
      }
    }
    let script = Script(reports: [
      .running(mode: "polling", rate: 10, reason: reason),
      .sample(time: .now(), x: 0, y: 9.8, z: 0),
    ])
    desk = try Self.desk(script, on: loop, in: folder, to: reader)
    let channel = try #require(desk?.channel(of: Script.found))
    Self.open(1, of: channel, rate: 10)
    try Self.run(loop, script)
    desk?.shutDown()
    #expect(script.captures.sensors.withValue { $0.count } == (reason == nil ? 1 : 2))
  }

  @Test(
    "Location feels by a sensor of the machine how that moves, not by a game pad",
    arguments: [false, true])
  func pad(isRemovable: Bool) throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let stationary = Stationary()
    let reports = Self.motion(isStill: true) + [.running(mode: "end", rate: 50)]
    let reader = Reader { _, reply in
      if reply["actualRate"]?.number == 50 { loop.exit() }
    }
    let script = Script(reports: reports)
    let desk = try Self.desk(script, on: loop, in: folder, stationary, to: reader)
    var found = Script.found
    found.isRemovable = isRemovable
    Self.open(1, of: try #require(desk.channel(of: found)), rate: 100)
    try Self.run(loop, script)
    #expect(stationary.isStill == (isRemovable ? nil : true))
    desk.shutDown()
    #expect(stationary.isStill == nil)
  }

  /// What a sensor gives for three seconds while the machine lies still, or is carried about.
  private static func motion(isStill: Bool) -> [SensorReport] {
    [.running(mode: "test", rate: 100)]
      + (0..<300).map { number in
        SensorReport.sample(
          time: BootTime(nanoseconds: Int64(number) * 10 * Nanoseconds.millisecond),
          x: 0, y: 9.8 + Double(number % 2) * (isStill ? 0.01 : 5), z: 0)
      }
  }

  @Test(
    "Location feels by the sensor that answers by default where that runs, else by another",
    arguments: [["display", "base"], ["base", "display"], ["base"]])
  func several(order: [String]) throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let stationary = Stationary()
    let base = AccelerationSensorChoiceTests.all[1]
    let end = SensorReport.running(mode: "end", rate: 50)
    let script = Script(
      reports: Self.motion(isStill: true) + [end],
      others: [base.sensor.path: Self.motion(isStill: false) + [end]])
    var ended = 0
    var felt: Bool?
    let reader = Reader { _, reply in
      guard reply["actualRate"]?.number == 50 else { return }
      ended += 1
      felt = stationary.isStill
      if ended == order.count { loop.exit() }
    }
    let desk = try Self.desk(script, on: loop, in: folder, stationary, to: reader)
    desk.sensors = [base, Script.found]
    for (stream, location) in order.enumerated() {
      let found = location == "base" ? base : Script.found
      Self.open(stream, of: try #require(desk.channel(of: found)), rate: 100)
    }
    try Self.run(loop, script, sensors: order.count)
    #expect(felt == order.contains("display"))
    desk.shutDown()
    #expect(stationary.isStill == nil)
  }

  @Test("Of a sensor that gives nothing any more location does not believe how it was felt last")
  func failing() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let stationary = Stationary()
    var felt: Bool?
    let reader = Reader { _, reply in
      if reply["actualRate"]?.number == 50, reply["state"] == "live" { felt = stationary.isStill }
      if reply["state"] == "failed" { loop.exit() }
    }
    let script = Script(
      reports: Self.motion(isStill: true) + [
        .running(mode: "end", rate: 50), .failing(reason: "the end"),
      ])
    let desk = try Self.desk(script, on: loop, in: folder, stationary, to: reader)
    Self.open(1, of: try #require(desk.channel(of: Script.found)), rate: 100)
    try Self.run(loop, script)
    #expect(felt == true && stationary.isStill == nil)
    desk.shutDown()
  }
}
