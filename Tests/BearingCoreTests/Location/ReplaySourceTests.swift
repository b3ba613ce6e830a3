import BearingModel
import Testing
import TestSupport

@testable import BearingCore

@Suite struct ReplaySourceTests {
  @Test("A recording is played by the times in it, then falls silent")
  func playsByTime() {
    let file = Fixtures.folder + "/cases/13-teleport-100km-tight-eph.jsonl"
    let source = ReplaySource(file: file, speed: 10)
    #expect(source.isSimulated)
    let start = BootTime.now()
    let harness = LocationSourceHarness(source)
    harness.wait(for: "end") { $0.engine.state == .noReceiver }
    // Ten seconds at ten times the speed.
    #expect(Double(BootTime.now() - start) / 1e9 >= 0.9)
    #expect(harness.positions.count == 12)
    #expect(harness.fixes.count == 9)
    #expect(harness.staysQuiet(for: 0.5))
    #expect(harness.stop(within: 60))
  }

  @Test("A recording without DEVICES gets its receiver from the first TPV")
  func withoutDevices() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      """
      {"class":"TPV","device":"/dev/x","mode":3,"lat":46.5,"lon":8.5}
      {"class":"TPV","device":"/dev/x","mode":3,"lat":46.5,"l
      """, to: "recording.jsonl")
    let harness = LocationSourceHarness(ReplaySource(file: file))
    harness.wait(for: "fix") { $0.fixes.count == 1 }
    #expect(harness.engine.receivers == ["/dev/x"])
  }

  @Test("A recording that is not there is told of, and stopping is heeded")
  func missing() {
    let harness = LocationSourceHarness(ReplaySource(file: "/nonexistent/recording"))
    harness.wait(for: "reason") {
      $0.failures.last?.contains("/nonexistent/recording: No such file") == true
    }
    #expect(harness.stop(within: 60))
  }

  @Test("A recording is left in the middle when it is to stop")
  func stopsInTheMiddle() {
    let file = Fixtures.folder + "/cases/13-teleport-100km-tight-eph.jsonl"
    let harness = LocationSourceHarness(ReplaySource(file: file, speed: 0.001))
    harness.wait(for: "first TPV") { !$0.positions.isEmpty }
    #expect(harness.stop(within: 60))
  }

  @Test("Where times do not tell, a second passes")
  func pace() {
    var pace = ReplayPace()
    let second = Nanoseconds.second
    let times: [Int64?] = [
      nil, nil, 5 * second, 5 * second, 7 * second, 2 * second, 9_000 * second,
    ]
    #expect(
      times.map { pace.step(to: $0) } == [0, second, second, 0, 2 * second, second, second])
  }
}
