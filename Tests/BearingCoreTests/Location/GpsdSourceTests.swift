import BearingModel
import TestSupport
import Testing

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
    #expect(harness.stop(within: 60))
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
    let comparison = GpsdComparison(harness.fixes, with: tpvs)
    #expect(comparison.strangers == [])
    #expect(comparison.outdone == [])
    let wasSuspect = harness.states.contains(.suspect)
    #expect(comparison.missing.isEmpty || wasSuspect, "missing: \(comparison.missing)")
  }
}

extension GpsdTPV {
  fileprivate init(_ report: PositionReport) {
    self.init(
      mode: report.mode, milliseconds: report.time.map { Int($0 / Nanoseconds.millisecond) },
      numbers: [
        "lat": report.latitude, "lon": report.longitude, "altMSL": report.altitudeMSL,
        "altHAE": report.altitudeHAE, "speed": report.speed, "track": report.track,
        "climb": report.climb, "eph": report.eph, "epx": report.epx, "epy": report.epy,
        "epv": report.epv, "eps": report.eps, "epd": report.epd,
      ].compactMapValues { $0 })
  }
}
