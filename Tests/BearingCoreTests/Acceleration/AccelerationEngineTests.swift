import BearingModel
import Testing

@testable import BearingCore

@Suite struct AccelerationEngineTests {
  /// An engine on a clock of its own.
  final class Rig {
    var engine: SensorEngine
    var now = BootTime(nanoseconds: 100 * Nanoseconds.second)

    init(scale: Double = 0.01) {
      var sensor = AccelerationSensorChoiceTests.all[2].sensor
      sensor.scale = [scale, scale, scale]
      engine = SensorEngine(sensor: sensor)
    }

    func pass(milliseconds: Int64) {
      now = now + milliseconds * Nanoseconds.millisecond
    }

    func sample(
      _ x: Double, _ y: Double, _ z: Double, saturated: Bool = false
    ) -> SensorEngine.Outcome {
      engine.handle(.sample(time: now, x: x, y: y, z: z, isSaturated: saturated), now: now)
    }

    func start() -> SensorEngine.Outcome { engine.start(now: now) }
    func stop() -> SensorEngine.Outcome { engine.stop() }
    func expire() -> SensorEngine.Outcome { engine.expire(now: now) }
    func post(_ report: SensorReport) -> SensorEngine.Outcome { engine.handle(report, now: now) }

    /// Started, running at `rate`, with one good sample.
    func begin(rate: Double) {
      _ = engine.start(now: now)
      _ = engine.handle(.running(mode: "polling", rate: rate), now: now)
      _ = sample(0, 9.8, 0.01)
    }
  }

  @Test("It starts with the first listener, is live with the first sample, off after the last")
  func life() {
    let rig = Rig()
    #expect(rig.engine.state == .off && rig.engine.deadline == nil)
    #expect(rig.sample(0, 9.8, 0) == SensorEngine.Outcome())

    #expect(rig.start().stateChanged)
    #expect(rig.engine.state == .starting)
    #expect(!rig.start().stateChanged)
    let running = rig.post(.running(mode: "polling", rate: 10))
    #expect(running.rateChanged && !running.stateChanged)
    #expect(rig.engine.mode == "polling" && rig.engine.rate == 10)

    let first = rig.sample(0, 9.8, 0)
    #expect(first.stateChanged && first.orientationChanged)
    #expect(
      first.sample
        == AccelerationSample(sequence: 1, bootTimestamp: 100_000_000, x: 0, y: 9.8, z: 0))
    #expect(rig.engine.state == .live && rig.engine.orientation == .normal)
    rig.pass(milliseconds: 100)
    let second = rig.sample(0, 9.81, 0)
    #expect(!second.stateChanged && !second.orientationChanged && second.sample?.sequence == 2)

    #expect(rig.stop().stateChanged)
    #expect(rig.engine.state == .off && rig.engine.rate == nil && rig.engine.deadline == nil)
    #expect(rig.sample(0, 9.8, 0).sample == nil)
    // Sequences go on, so that a reader never sees one twice; the pose of an hour ago is forgotten.
    _ = rig.start()
    #expect(rig.engine.orientation == .undefined && rig.engine.last == nil)
    #expect(rig.sample(0, 9.8, 0).sample?.sequence == 3)
  }

  @Test(
    "It is stale after 2 s without a sample, or three periods if that is longer",
    arguments: [(100.0, 2_000), (2.0, 2_000), (0.5, 6_000)])
  func silence(rate: Double, milliseconds: Int64) {
    let rig = Rig()
    rig.begin(rate: rate)
    #expect(rig.engine.deadline == rig.now + milliseconds * Nanoseconds.millisecond)
    rig.pass(milliseconds: milliseconds - 1)
    #expect(!rig.expire().stateChanged)
    rig.pass(milliseconds: 1)
    #expect(rig.expire().stateChanged)
    #expect(rig.engine.state == .stale && rig.engine.deadline == nil)
    #expect(rig.engine.detail == "the sensor gave nothing for \(milliseconds / 1000) s")
    #expect(rig.sample(0, 9.8, 0).stateChanged)
    #expect(rig.engine.state == .live && rig.engine.detail.isEmpty)
  }

  @Test("What is wrong is told with the files that it shows in")
  func files() {
    let rig = Rig()
    rig.begin(rate: 100)
    _ = rig.post(.running(mode: "polling", rate: 100, files: "/sys/x_raw"))
    _ = rig.sample(0, 0, 0)
    #expect(rig.engine.detail == "the sensor gives zero on every axis: /sys/x_raw")
    _ = rig.sample(0, 9.8, 0)
    rig.pass(milliseconds: 2000)
    _ = rig.expire()
    #expect(rig.engine.detail == "the sensor gave nothing for 2 s: /sys/x_raw")
    _ = rig.stop()
    rig.begin(rate: 100)
    _ = rig.sample(0, 0, 0)
    #expect(rig.engine.detail == "the sensor gives zero on every axis")
  }

  @Test("A sensor that never gives its first sample is stale too")
  func neverStarts() {
    let rig = Rig()
    _ = rig.start()
    rig.pass(milliseconds: 2_000)
    #expect(rig.engine.deadline == rig.now)
    #expect(rig.expire().stateChanged && rig.engine.state == .stale)
  }

  @Test(
    "What cannot be a measurement is handed on as stale and sets no pose",
    arguments: [(0.0, 0.0, 0.0, false), (9.7, 1.0, 1.0, true)])
  func implausible(x: Double, y: Double, z: Double, saturated: Bool) {
    let rig = Rig()
    rig.begin(rate: 10)
    for _ in 0..<20 {
      rig.pass(milliseconds: 100)
      let outcome = rig.sample(x, y, z, saturated: saturated)
      #expect(rig.engine.state == .stale && outcome.sample != nil && !outcome.orientationChanged)
    }
    #expect(rig.engine.orientation == .normal)
    rig.pass(milliseconds: 100)
    #expect(rig.sample(0, 9.79, 0).stateChanged && rig.engine.state == .live)
  }

  @Test(
    "What no sensor measures is no sample, and leaves what is known as it was",
    arguments: [
      (Double.infinity, 9.8, 0.0), (0, .nan, 0), (0, 9.8, -1.1e6), (.infinity, -.infinity, 0),
    ])
  func impossible(x: Double, y: Double, z: Double) {
    let rig = Rig()
    rig.begin(rate: 10)
    for _ in 0..<30 {
      rig.pass(milliseconds: 100)
      let outcome = rig.sample(x, y, z)
      #expect(outcome.sample == nil && !outcome.orientationChanged)
      #expect(rig.engine.state == .stale)
      #expect(rig.engine.detail == "the sensor gives what no acceleration can be")
    }
    #expect(rig.engine.orientation == .normal && rig.engine.last?.sequence == 1)
    #expect(rig.sample(0, 9.79, 0).sample?.sequence == 2 && rig.engine.state == .live)
  }

  @Test(
    "The same vector for 5 s is stale only above 5 Hz and where noise would show",
    arguments: [
      (10.0, 0.01, true), (5.0, 0.01, false), (6.0, 0.01, true), (100.0, 0.152983, false),
    ]
  )
  func frozen(rate: Double, scale: Double, isStale: Bool) {
    let rig = Rig(scale: scale)
    _ = rig.start()
    let begin = rig.now
    var staleAfter: Int64?
    for number in 0...Int64(rate * 8) {
      rig.now = begin + Int64(Double(number) * 1e9 / rate)
      _ = rig.sample(0.1, 9.8, 0.2)
      if rig.engine.state == .stale, staleAfter == nil { staleAfter = rig.now - begin }
    }
    #expect(staleAfter == (isStale ? 5 * Nanoseconds.second : nil))
    _ = rig.sample(0.1, 9.81, 0.2)
    #expect(rig.engine.state == .live)
  }

  @Test("A read error is a failure with its reason until the sensor runs again; unplugged is gone")
  func failures() {
    let rig = Rig()
    rig.begin(rate: 10)
    let reason = "reading /sys/x: Input/output error"
    #expect(rig.post(.failing(reason: reason)).stateChanged)
    #expect(rig.engine.state == .failed && rig.engine.detail == reason)
    #expect(!rig.post(.failing(reason: reason)).stateChanged)
    rig.pass(milliseconds: 5_000)
    #expect(rig.post(.running(mode: "polling", rate: 10)).stateChanged)
    #expect(rig.engine.state == .starting)
    #expect(rig.engine.deadline == rig.now + 2 * Nanoseconds.second)
    let gone = rig.post(.gone)
    #expect(gone.isGone && gone.stateChanged && rig.engine.state == .noSensor)
    #expect(rig.engine.rate == nil && rig.engine.mode == "")
    #expect(rig.sample(0, 9.8, 0).sample == nil)
  }
}
