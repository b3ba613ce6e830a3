import BearingModel
import Testing

@testable import BearingCore

@Suite struct SimulatedAccelerometerTests {
  @Test(
    "A sample is due in the next middle of a period, whenever the last one was taken",
    arguments: [
      (0, 10, 5), (4, 10, 5), (5, 10, 15), (14, 10, 15), (15, 10, 25), (1_000_003, 10, 1_000_005),
      (7, 333_333_333, 166_666_666),
    ])
  func deadline(now: Int64, period: Int64, next: Int64) {
    let clock = SamplingClock(period: period)
    #expect(clock.next(after: BootTime(nanoseconds: now)) == BootTime(nanoseconds: next))
  }

  static func found() throws -> DiscoveredSensor {
    let rig = try SourceRig(SimulatedAccelerometer().discovery(), SensorListDemand())
    let list = try #require(
      rig.first { report in if case .sensors(let list, _) = report { list } else { nil } })
    #expect(rig.stop())
    return try #require(list.first)
  }

  @Test("It shows itself as simulated, and is the one that is chosen")
  func shown() throws {
    let found = try Self.found()
    #expect(found.sensor.simulated && found.unusable == nil && found.sensor.warnings == [])
    #expect(SensorChooser.choose(from: [found], named: nil, configured: nil) == .sensor(found))
    #expect(SimulatedAccelerometer().capture(found).isSimulated)
  }

  @Test(
    "It gives the rate that is asked for, up to 1 kHz",
    arguments: [(25.0, 25.0), (1000, 1000), (5000, 1000)])
  func rates(wanted: Double, granted: Double) throws {
    let capture = SimulatedAccelerometer().capture(try Self.found())
    let rig = try SourceRig(capture, SensorDemand(rate: wanted))
    #expect(rig.next() == .running(mode: "simulation", rate: granted))
    var times: [Int64] = []
    for _ in 0..<50 { times.append(try #require(rig.first(IIOVectors.vector)).time.nanoseconds) }
    let period = Int64(1e9 / granted)
    // Where this test is held up for seconds, there is a gap of periods that were lost.
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(steps.allSatisfy { $0 > 0 && $0 % period == 0 } && steps.contains(period))
    rig.want(SensorDemand(rate: 10))
    let change = rig.first { report in
      if case .running(_, let rate, _, _) = report { rate } else { nil }
    }
    #expect(change == 10)
    #expect(rig.stop())
  }

  @Test("It goes through every orientation and tilt, always as heavy as gravity and never frozen")
  func poses() {
    var engine = SensorEngine(sensor: AccelerationSensorChoiceTests.all[2].sensor)
    _ = engine.start(now: BootTime(nanoseconds: 0))
    var orientations: Set<Orientation> = []
    var tilts: Set<Tilt> = []
    var changes = 0
    let step: Int64 = 20_000_000
    for number in 1...Int64(2500) {
      let time = BootTime(nanoseconds: number * step)
      let vector = SimulatedMotion.vector(after: number * step)
      let length = (vector * vector).sum().squareRoot()
      #expect(abs(length - 9.80665) < 0.2)
      let outcome = engine.handle(
        .sample(time: time, x: vector.x, y: vector.y, z: vector.z), now: time)
      if outcome.orientationChanged { changes += 1 }
      #expect(engine.state == .live)
      orientations.insert(engine.orientation)
      tilts.insert(engine.tilt)
    }
    #expect(orientations == [.normal, .rightUp, .bottomUp, .leftUp])
    #expect(tilts == [.vertical, .tiltedUp, .tiltedDown, .faceUp, .faceDown])
    #expect(changes > 9 && changes < 40)
  }

  @Test("Its noise is that of a chip: no mean, and the deviation it says")
  func noise() {
    let deviations = (0..<2000).flatMap { number -> [Double] in
      let vector = SimulatedMotion.vector(after: Int64(number) * 1_000_000)
      return [vector.x, vector.y - 9.80665, vector.z]
    }
    let mean = deviations.reduce(0, +) / Double(deviations.count)
    let variance = deviations.reduce(0) { $0 + $1 * $1 } / Double(deviations.count)
    #expect(abs(mean) < 0.001)
    #expect(abs(variance.squareRoot() - 0.02) < 0.001)
  }
}
