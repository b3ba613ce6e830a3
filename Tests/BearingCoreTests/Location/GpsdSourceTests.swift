import BearingModel
import Foundation
import Testing
import TestSupport

@testable import BearingCore

/// The source and the engine on a real gpsd.
@Suite struct GpsdSourceTests {
  @Test("gpsd that is absent, starts, dies, starts again and freezes is followed")
  func lifeOfGpsd() throws {
    let port = try LoopbackPort.unused()
    let harness = LocationSourceHarness(GpsdSource(port: port))
    harness.wait(for: "failure") { $0.failures.last?.contains("Connection refused") == true }
    #expect(harness.engine.state == .connecting)

    let gpsd = try GpsdProcess(port: port)
    try gpsd.start()
    harness.wait(for: "gpsd without receivers") { $0.engine.state == .noReceiver }
    let failures = harness.failures.count
    gpsd.kill()
    harness.wait(for: "end") { $0.engine.state == .connecting && $0.failures.count > failures }
    try gpsd.start()
    harness.wait(for: "gpsd again") { $0.engine.state == .noReceiver }

    gpsd.freeze()
    #expect(harness.staysQuiet(for: 1))
    #expect(harness.engine.state == .noReceiver)
    gpsd.thaw()
    #expect(harness.stop(within: 2))
  }

  @Test("What gpsd said comes out, and nothing else", arguments: GpsdRecordings.own)
  func ownRecordings(file: String) throws {
    try compare(file)
  }

  @Test(
    "What gpsd said of receivers of all kinds comes out, and nothing else",
    arguments: GpsdRecordings.corpus)
  func corpus(file: String) throws {
    try compare(file)
  }

  /// Plays a recording through gpsd and compares the fixes with what gpsd told a client of its own.
  private func compare(_ file: String) throws {
    let replay = try GpsdReplay(recording: file)
    let harness = LocationSourceHarness(GpsdSource(port: replay.port))
    harness.wait(for: "receiver") { !$0.engine.receivers.isEmpty }
    replay.go()
    harness.wait(for: "end of the recording", within: 120) { $0.failures.count > 1 }
    let tpvs = try replay.output().compactMap(GpsdTPV.init)
    let posted = harness.positions.map(GpsdTPV.init)
    #expect(posted.count == tpvs.count)
    for (index, pair) in zip(posted, tpvs).enumerated() where pair.0 != pair.1 {
      Issue.record("TPV \(index): posted \(pair.0), gpsd said \(pair.1)")
    }

    // A recording of gpsd's own output names receivers that are not there: those come first.
    guard Set(harness.receiverLists.joined()).count == 1 else { return }
    let epochs = GpsdTPV.epochs(tpvs)
    var told = Set<Int>()
    var index = 0
    for (sequence, fix) in latestVersions(harness.fixes) {
      index = try #require(
        epochs.indices[index...].first { candidate in
          // A repeated time makes two fixes of one group; a report without time is one alone.
          let isAlone = epochs[candidate][0].milliseconds == nil
          return epochs[candidate].contains { $0.isTold(by: fix) }
            && !(isAlone && told.contains(candidate))
        },
        "fix \(sequence) is no epoch of gpsd's: \(fix)")
      told.insert(index)
      #expect(fix.dimensions == epochs[index].filter(\.isFix).map(\.mode).max())
    }
    let untold = epochs.indices.filter { epochs[$0].contains(where: \.isFix) && !told.contains($0) }
    let wasSuspect = harness.states.contains(.suspect)
    #expect(untold.isEmpty || wasSuspect, "epochs \(untold) of \(epochs.count) are missing")
  }

  /// Each fix in its last version, by sequence.
  private func latestVersions(_ fixes: [Fix]) -> [(Int, Fix)] {
    Dictionary(fixes.map { ($0.sequence, $0) }) { $1 }.sorted { $0.key < $1.key }
  }
}

/// A TPV as Foundation's parser reads it, which shares no code with the source.
private struct GpsdTPV: Equatable {
  var mode: Int
  var milliseconds: Int?
  var numbers: [String: Double] = [:]

  /// Members that a fix takes over, by gpsd's names.
  private static let names = [
    "lat", "lon", "altMSL", "altHAE", "speed", "track", "climb", "eph", "epx", "epy", "epv", "eps",
    "epd",
  ]

  /// nil for a line of any other class.
  init?(_ line: String) {
    guard let any = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
      let object = any as? [String: Any], object["class"] as? String == "TPV"
    else { return nil }
    mode = object["mode"] as? Int ?? 0
    if let text = object["time"] as? String {
      let formatter = ISO8601DateFormatter()
      formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
      milliseconds = formatter.date(from: text).map {
        Int(($0.timeIntervalSince1970 * 1000).rounded())
      }
    }
    for name in Self.names { numbers[name] = object[name] as? Double }
  }

  init(_ report: PositionReport) {
    mode = report.mode
    milliseconds = report.time.map { Int($0 / Nanoseconds.millisecond) }
    numbers = [
      "lat": report.latitude, "lon": report.longitude, "altMSL": report.altitudeMSL,
      "altHAE": report.altitudeHAE, "speed": report.speed, "track": report.track,
      "climb": report.climb, "eph": report.eph, "epx": report.epx, "epy": report.epy,
      "epv": report.epv, "eps": report.eps, "epd": report.epd,
    ].compactMapValues { $0 }
  }

  var isFix: Bool { mode >= 2 && numbers["lat"] != nil && numbers["lon"] != nil }

  func isTold(by fix: Fix) -> Bool {
    isFix && fix.dimensions == mode && fix.timestamp.map { $0 / 1000 } == milliseconds
      && abs(fix.latitude - (numbers["lat"] ?? .nan)) <= 1e-9
      && abs(fix.longitude - (numbers["lon"] ?? .nan)) <= 1e-9
      && fix.altitude == numbers["altMSL"] && fix.speed == numbers["speed"]
  }

  static func == (lhs: GpsdTPV, rhs: GpsdTPV) -> Bool {
    lhs.mode == rhs.mode && lhs.milliseconds == rhs.milliseconds
      && Set(lhs.numbers.keys) == Set(rhs.numbers.keys)
      && lhs.numbers.allSatisfy { abs($1 - (rhs.numbers[$0] ?? .nan)) <= 1e-9 }
  }

  /// TPVs in a row that have one time; those without are each alone.
  static func epochs(_ tpvs: [GpsdTPV]) -> [[GpsdTPV]] {
    tpvs.reduce(into: []) { epochs, tpv in
      if let last = epochs.last?.last, last.milliseconds != nil,
        last.milliseconds == tpv.milliseconds
      {
        epochs[epochs.count - 1].append(tpv)
      } else {
        epochs.append([tpv])
      }
    }
  }
}
