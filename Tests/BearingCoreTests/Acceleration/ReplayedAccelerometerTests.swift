import BearingModel
import TestSupport
import Testing

@testable import BearingCore

@Suite struct ReplayedAccelerometerTests {
  /// What gpsctl writes of a stream at 100 Hz, with the times of a boot long ago.
  private static let recording = """
    {"actualRate":100.0,"samples":[],"sensor":"iio:device0","state":"live"}
    {"samples":[{"bootTimestamp":5000000,"sequence":1,"x":0.5,"y":9.75,"z":-0.25}],"state":"live"}
    {"samples":[{"bootTimestamp":5010000,"sequence":2,"x":1,"y":9.5,"z":0},\
    {"bootTimestamp":5020000,"sequence":3,"x":1.5,"y":9.25,"z":0.25}],"state":"live"}
    {"state":"stale"}
    {"samples":[{"bootTimestamp":5170000,"sequence":4,"x":2,"y":9,"z":0.5}],"state":"live"}
    {"samples":[{"bootTimestamp":518
    """

  private static func capture(_ file: String) throws -> SourceRig<SensorReport, SensorDemand> {
    let sources = ReplayedAccelerometer(file: file)
    let rig = try SourceRig(sources.discovery(), SensorListDemand())
    let found = rig.first { if case .sensors(let list, _) = $0 { list } else { nil } }
    #expect(rig.stop())
    let sensor = try #require(found?.first)
    #expect(found?.count == 1 && sensor.sensor.simulated && sensor.unusable == nil)
    #expect(SensorChooser.choose(from: [sensor], named: nil, configured: nil) == .sensor(sensor))
    let source = sources.capture(sensor)
    #expect(source.isSimulated)
    return try SourceRig(source, SensorDemand(rate: 10))
  }

  @Test("A recording is played by the times in it, whole, then falls silent")
  func playsByTime() throws {
    let folder = try TemporaryFolder()
    let rig = try Self.capture(try folder.write(Self.recording, to: "recording"))
    #expect(rig.next() == .running(mode: "replay", rate: 100))
    let vectors = try (0..<4).map { _ in try #require(rig.first(IIOVectors.vector)) }
    #expect(
      vectors.map { [$0.x, $0.y, $0.z] }
        == [[0.5, 9.75, -0.25], [1, 9.5, 0], [1.5, 9.25, 0.25], [2, 9, 0.5]])
    #expect(
      zip(vectors, vectors.dropFirst()).map { $1.time - $0.time }
        == [10_000_000, 10_000_000, 150_000_000])
    #expect(BootTime.now() >= vectors[3].time)
    #expect(rig.stop())
    #expect(rig.next() == nil)
  }

  @Test(
    "What is no such recording is a failure that says so, and stopping is heeded",
    arguments: [
      (nil, "No such file"), ("", "is no recording of accelerations"),
      ("{\"class\":\"TPV\",\"mode\":3}\n", "is no recording of accelerations"),
      ("{\"samples\":[{\"bootTimestamp\":1,\"x\":\"1\",\"y\":2,\"z\":3},7]}", "is no recording"),
      ("\u{0}\u{1}[[[", "is no recording of accelerations"),
    ])
  func noRecording(text: String?, reason: String) throws {
    let folder = try TemporaryFolder()
    let file = try text.map { try folder.write($0, to: "recording") } ?? folder.path + "/none"
    let rig = try Self.capture(file)
    guard case .failing(let said) = try #require(rig.next()) else {
      Issue.record("no failure")
      return
    }
    #expect(said.contains(file) && said.contains(reason))
    #expect(rig.stop())
  }

  @Test("Times as far apart as numbers go are a clock that was set")
  func leaps() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      [-9_000_000_000_000_000, 9_000_000_000_000_000, 0, 20_000].map {
        "{\"samples\":[{\"bootTimestamp\":\($0),\"x\":1,\"y\":2,\"z\":3}]}\n"
      }.joined(), to: "recording")
    let rig = try Self.capture(file)
    #expect(rig.next() == .running(mode: "replay", rate: 50))
    #expect(rig.first(IIOVectors.vector)?.x == 1)
    #expect(rig.stop())
  }

  @Test("A recording is left in the middle when it is to stop")
  func stopsInTheMiddle() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      [0, 100_000_000].map { "{\"samples\":[{\"bootTimestamp\":\($0),\"x\":1,\"y\":2,\"z\":3}]}\n" }
        .joined(), to: "recording")
    let rig = try Self.capture(file)
    #expect(rig.next() == .running(mode: "replay", rate: 0.01))
    #expect(rig.first(IIOVectors.vector)?.x == 1)
    #expect(rig.stop())
  }
}
