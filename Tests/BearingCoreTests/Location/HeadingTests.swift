import BearingModel
import Foundation
import TestSupport
import Testing

@testable import BearingCore

@Suite struct HeadingTests {
  /// Plays lines on an engine and gives the headings that it told.
  private func headings(_ lines: [String], receivers: [String] = ["/dev/a"]) -> [Heading] {
    let drive = LocationDrive()
    drive.connect(receivers)
    for line in lines { drive.line(line) }
    return drive.headings
  }

  @Test(
    "gpsd's attitude is a heading from true or from magnetic north",
    arguments: [
      (#"{"class":"ATT","device":"/dev/a","heading":25.500}"#, 25.5, .trueNorth),
      (
        #"{"class":"ATT","device":"/dev/a","mheading":218.634,"pitch":0.1}"#, 218.634,
        .magneticNorth
      ),
      (#"{"class":"ATT","heading":101.5,"mheading":98.0}"#, 101.5, .trueNorth),
      (#"{"class":"ATT","heading":142.23,"mag_st":"N","pitch":1.69}"#, 142.23, .magneticNorth),
      (#"{"class":"ATT","heading":nan,"mheading":7}"#, 7, .magneticNorth),
      (#"{"class":"ATT","heading":360.0}"#, 0, .trueNorth),
      (#"{"class":"ATT","heading":0}"#, 0, .trueNorth),
    ] as [(String, Double, HeadingReference)])
  func readsAttitude(line: String, degrees: Double, reference: HeadingReference) throws {
    let heading = try #require(headings([line]).first)
    #expect(heading.heading == degrees)
    #expect(heading.reference == reference)
    #expect(!heading.simulated)
  }

  @Test(
    "What is no direction is no heading, and is not made one",
    arguments: [
      #"{"class":"ATT","heading":14223.000,"mag_st":"N","pitch":169.00}"#,
      #"{"class":"ATT","heading":-1}"#, #"{"class":"ATT","heading":nan}"#,
      #"{"class":"ATT","pitch":0.135,"roll":3.861}"#, #"{"class":"ATT","heading":360.1}"#,
      #"{"class":"ATT","heading":"25"#,
    ])
  func refusesOthers(line: String) {
    #expect(headings([line]).isEmpty)
  }

  @Test("Pitch and roll come along when they are angles")
  func pitchAndRoll() throws {
    let told = headings([
      #"{"class":"ATT","heading":10,"pitch":-12.5,"roll":171}"#,
      #"{"class":"ATT","heading":10,"pitch":169,"roll":-190}"#,
      #"{"class":"ATT","heading":10}"#,
    ])
    #expect(told.map(\.pitch) == [-12.5, nil, nil])
    #expect(told.map(\.roll) == [171, nil, nil])
  }

  @Test("One receiver's heading is followed: the one in use, or one that goes on while it has none")
  func oneReceiver() {
    let drive = LocationDrive()
    drive.connect(["/dev/a", "/dev/compass", "/dev/other"])
    let tell = { (name: String, degrees: Int) in
      drive.line(#"{"class":"ATT","device":"\#(name)","heading":\#(degrees)}"#)
    }
    tell("/dev/compass", 1)
    tell("/dev/other", 2)  // another one already tells
    drive.wait(seconds: 4.9)
    tell("/dev/other", 3)
    tell("/dev/compass", 4)
    drive.wait(seconds: 5)
    tell("/dev/other", 5)  // that one fell silent
    tell("/dev/compass", 6)
    tell("/dev/a", 7)  // the receiver in use comes first
    tell("/dev/other", 8)
    #expect(drive.headings.map(\.heading) == [1, 4, 5, 7])
    #expect(drive.headings.last?.receiver == "/dev/a")
  }

  @Test("A heading changes no state, and none comes while nobody listens")
  func changesNoState() {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    drive.line(#"{"class":"ATT","device":"/dev/a","heading":1}"#)
    #expect(drive.engine.state == .searching)
    drive.stop()
    drive.line(#"{"class":"ATT","device":"/dev/a","heading":2}"#)
    #expect(drive.headings.map(\.heading) == [1])
    #expect(drive.engine.heading?.heading == 1)
  }

  @Test("Jitter of a millisecond does not halve a stream's rate")
  func jitter() {
    var stream = PacedSubscription(
      stream: 1, heartbeat: .never, lastSent: BootTime(nanoseconds: 0),
      minInterval: Nanoseconds.second)
    var now = BootTime(nanoseconds: 0)
    var count = 0
    for index in 0..<20 {
      now = now + (index % 2 == 0 ? 999 : 1001) * Nanoseconds.millisecond
      if stream.takes(at: now, medianPeriod: Nanoseconds.second) { count += 1 }
    }
    #expect(count == 20)
  }

  /// Headings by Foundation's parser, of what gpsd told a client of its own.
  private func told(_ lines: [String]) -> [Double] {
    lines.compactMap { line in
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard let object, object["class"] as? String == "ATT" else { return nil }
      return object["heading"] as? Double
    }
  }

  @Test(
    "The headings that a real gpsd tells of a compass come out",
    arguments: [
      (GpsdRecordings.own("compass.log"), [356.5, 357.5, 358.5, 359.5, 0.5, 1.5, 2.5, 3.5]),
      (GpsdRecordings.ofCorpus("rst39.log"), [25.5, 43.31, 61.49, 74.79]),
      // gpsd hands this compass's hundredths on as degrees: 14223 is no direction.
      (GpsdRecordings.ofCorpus("tnt-revolution.log"), []),
    ])
  func realGpsd(file: String?, expected: [Double]) throws {
    guard let file else { return }
    let replay = try GpsdReplay(recording: file)
    let harness = LocationSourceHarness(GpsdSource(port: replay.port))
    harness.wait(for: "receiver") { !$0.engine.receivers.isEmpty }
    replay.go()
    harness.wait(for: "end of the recording", within: 120) { $0.failures.count > 1 }
    let headings = harness.events.compactMap { event in
      if case .heading(let heading) = event { heading } else { nil }
    }
    let all = told(try replay.output())
    #expect(!all.isEmpty)
    #expect(all.filter { $0 <= 360 } == expected)
    #expect(headings.map(\.heading) == expected)
    #expect(headings.allSatisfy { $0.reference == .trueNorth && $0.receiver != nil })
  }
}
