import BearingModel
import Foundation
import Locking
import TestSupport
import Testing

@testable import BearingCore

/// A suspend of the machine, as the clocks show it afterwards.
@Suite struct SuspendTests {
  /// How long the machine has been suspended, by the test's word.
  private final class Sleep {
    var nanoseconds: Int64 = 0
  }

  @Test(
    "A suspend of a second or more is told once, before the timers that fell due in it",
    arguments: [(999, []), (1000, [1000]), (3_600_000, [3_600_000])] as [(Int64, [Int64])])
  func told(milliseconds: Int64, expected: [Int64]) throws {
    let sleep = Sleep()
    let loop = try EventLoop { sleep.nanoseconds }
    var order: [Int64] = []
    loop.onResume { order.append($0 / Nanoseconds.millisecond) }
    let second = try loop.timer { loop.exit() }
    let first = try loop.timer {
      order.append(0)
      second.arm(at: .now())
    }
    sleep.nanoseconds = milliseconds * Nanoseconds.millisecond
    first.arm(at: .now())
    try loop.run()
    #expect(order == expected + [0])
  }

  @Test("The clocks themselves tell no suspend while there is none")
  func clocks() {
    let before = BootTime.asleep()
    #expect(abs(BootTime.asleep() - before) < SuspendWatch.least)
  }

  @Test(
    "A process that is stopped while it looks at the clocks takes that for no suspend",
    arguments: 1...3)
  func stopped(before look: Int) {
    var (looks, passed) = (0, Int64(0))
    let asleep = BootTime.asleep { clock in
      looks += 1
      passed += looks == look ? 5 * Nanoseconds.second : 1
      return passed + (clock == CLOCK_BOOTTIME ? 60 * Nanoseconds.second : 0)
    }
    #expect(abs(asleep - 60 * Nanoseconds.second) < Nanoseconds.millisecond)
  }

  @Test("A client's time to take bytes or to finish a request does not run in a suspend")
  func patience() throws {
    var patience = Patience()
    patience.blocked()
    let stalled = try #require(patience.end(Limits(), refusedSince: nil))
    patience.forgive(3600 * Nanoseconds.second)
    #expect(
      patience.end(Limits(), refusedSince: nil) == stalled + 3600 * Nanoseconds.second)
    patience.unblocked()
    patience.begun(7)
    let incomplete = try #require(patience.end(Limits(), refusedSince: nil))
    patience.forgive(60 * Nanoseconds.second)
    patience.begun(7)
    #expect(
      patience.end(Limits(), refusedSince: nil) == incomplete + 60 * Nanoseconds.second)
  }

  @Test("A sensor that was suspended has as long to answer as after a start")
  func engine() {
    let rig = AccelerationEngineTests.Rig()
    rig.begin(rate: 100)
    rig.pass(milliseconds: 3_600_000)
    rig.engine.resume(now: rig.now)
    #expect(rig.expire() == SensorEngine.Outcome() && rig.engine.state == .live)
    rig.pass(milliseconds: 2_000)
    #expect(rig.expire().stateChanged && rig.engine.state == .stale)
  }

  @Test("A fix that was suspended has its whole age, and the next one may be anywhere")
  func location() throws {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    for second in 0..<5 {
      drive.position(50 + Double(second) / 10_000, 8) {
        $0.time = Int64(second) * Nanoseconds.second
      }
      drive.wait(Nanoseconds.second)
    }
    let receipt = try #require(drive.engine.lastFixReceipt)
    drive.suspend(seconds: 3600)
    #expect(drive.engine.state == .lost)
    #expect(drive.states.suffix(2) == [.live, .lost])
    #expect(drive.now - receipt == 3601 * Nanoseconds.second)
    drive.position(51, 9) { $0.time = 3_606 * Nanoseconds.second }
    drive.wait(Nanoseconds.second)
    #expect(drive.engine.state == .live && drive.fixes.last?.latitude == 51)
  }

  // MARK: A running sensor

  private final class Runs: Sendable {
    let count = Guarded(0)
  }

  /// A sensor that gives one sample each time that it is set up.
  private struct OneSample: AccelerometerSources, Source {
    let runs: Runs
    static let found = AccelerationSensorChoiceTests.all[2]

    var changes: SensorChanges { .never }
    var summary: String { "one sample" }
    var isSimulated: Bool { true }

    func discovery() -> any Source<SensorListReport, SensorListDemand> {
      KnownSensors(sensors: [Self.found], summary: summary, isSimulated: true)
    }

    func capture(_ sensor: DiscoveredSensor) -> any Source<SensorReport, SensorDemand> { self }

    func run(_ port: SourcePort<SensorReport, SensorDemand>) {
      let run = runs.count.withValue { count in
        count += 1
        return count
      }
      port.post(state: .running(mode: "test", rate: port.demand.rate))
      port.post(sample: .sample(time: .now(), x: Double(run), y: 9.8, z: 0))
      while !port.isStopping { _ = port.wait() }
    }
  }

  /// Takes the replies of one stream.
  private final class Reader: Outlet {
    let take: (String) -> Void

    init(_ take: @escaping (String) -> Void) { self.take = take }

    func send(_ message: StreamMessage, to streams: [StreamID]) {
      take(String(decoding: message.whole, as: UTF8.self))
    }
    func hasWaiting(_ stream: StreamID) -> Bool { false }
    func remember(_ filter: LocationFilter, cursor: Int, of stream: StreamID) {}
    func remember(cursor: Int, of stream: StreamID) {}
  }

  @Test(
    "After a suspend a running sensor is set up anew, and not without one",
    arguments: [0, 3600] as [Int64])
  func running(seconds: Int64) throws {
    let folder = try TemporaryFolder()
    let sleep = Sleep()
    let loop = try EventLoop { sleep.nanoseconds }
    let runs = Runs()
    var repeats = 0
    let reader = Reader { reply in
      if reply.contains("\"repeated\":true") {
        repeats += 1
        sleep.nanoseconds = seconds * Nanoseconds.second
      }
      if reply.contains("\"x\":2") || (seconds == 0 && repeats == 3) { loop.exit() }
    }
    let desk = AccelerometerDesk(
      instance: "test",
      setup: Accelerometer.Setup(
        summary: "test", sources: OneSample(runs: runs), isSimulated: true))
    try desk.attach(
      to: DeviceHome(
        loop: loop, storage: Storage(loop: loop, path: folder.path + "/state.db"),
        stationary: Stationary(), outlet: reader, statusChanged: {}))
    let channel = try #require(desk.channel(of: OneSample.found))
    channel.open(
      SampleSubscription(
        stream: 1,
        heartbeat: Heartbeat(100 * Nanoseconds.millisecond, else: StreamPreferences()),
        lastSent: .now(), wantedRate: 10),
      rate: 10, maxLatency: 0)
    let tooLate = try loop.timer { loop.exit() }
    tooLate.arm(at: .now() + 60 * Nanoseconds.second)
    try loop.run()
    #expect(runs.count.withValue { $0 } == (seconds == 0 ? 1 : 2))
    desk.shutDown()
  }
}
