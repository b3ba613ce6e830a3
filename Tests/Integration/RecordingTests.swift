import BearingModel
import Foundation
import TestSupport
import Testing
import Varlink

/// Recordings of receivers through a real gpsd and the real daemon, to a client of its socket.
@Suite struct RecordingTests {
  /// Seconds between a recording's packets: reports of one epoch come well within the 250 ms that
  /// an epoch waits for them.
  private static let cycle = 0.01
  /// Farther from the last fix, something may be too far to be true, whatever time has passed.
  private static let suspectDistance = 200.0

  @Test(
    "A subscriber without filters has gpsd's own last report of each epoch, and nothing else",
    arguments: GpsdRecordings.own + GpsdRecordings.corpus)
  func subscriberHasWhatGpsdSays(recording: String) throws {
    let replay = try GpsdReplay(recording: recording, cycle: Self.cycle)
    let daemon = try DaemonProcess(
      """
      [Location]
      GpsdPort=\(replay.port)
      [Accelerometer]
      Source=none
      """)
    let peer = try daemon.connect()
    try peer.stream(
      "io.bearing.location.Subscribe", ["minInterval": 0, "distanceFilter": 0.0])
    _ = try peer.next { $0["state"]?.string == "searching" }
    replay.go()
    var replies: [JSON] = []
    while replies.last?["state"]?.string != "connecting" { replies.append(try peer.next()) }

    let said = try replay.output()
    let fixes = try replies.compactMap { try $0["fix"]?.decode(Fix.self) }
    let comparison = GpsdComparison(fixes, with: said.compactMap(GpsdTPV.init))
    #expect(comparison.strangers == [])
    #expect(comparison.outdone == [])
    // Once delivered, an epoch is sent again for a better report alone. Reports of one time that
    // differ and are as good come in a receiver's first cycle, or later than 250 ms.
    #expect(comparison.followed.count <= 1 + comparison.epochCount / 10)

    // gpsd's second receiver is used when the first had no fix for 5 s: where a recording is of
    // gpsd's own output, it names one that is not there.
    if Self.receivers(in: said).count > 1 { return }
    let dropped = replies.reduce(0) { $0 + Int($1["dropped"]?.number ?? 0) }
    let isSuspect = replies.contains { $0["state"]?.string == "suspect" }
    let unexplained = comparison.missing.filter { epoch, last in
      guard isSuspect, let last else { return true }
      let fixes = epoch.filter(\.isFix)
      return !fixes.contains { $0.distance(to: last) ?? 0 > Self.suspectDistance }
    }
    #expect(unexplained.count <= dropped, "missing: \(unexplained)")
  }

  @Test(
    "Magnetic variation is positive to the east, whatever gpsd's manual says",
    arguments: [("15.8,E", 15.8), ("15.8,W", -15.8)])
  func magneticVariation(said: String, degrees: Double) throws {
    let folder = try TemporaryFolder()
    let recording = try folder.write(
      NMEATrack(rate: 1, variation: said).recording(fixes: 5), to: "variation.log")
    let replay = try GpsdReplay(recording: recording, cycle: Self.cycle)
    let daemon = try DaemonProcess(
      "[Location]\nGpsdPort=\(replay.port)\n[Accelerometer]\nSource=none\n")
    let peer = try daemon.connect()
    try peer.stream("io.bearing.location.Subscribe")
    _ = try peer.next { $0["state"] == "searching" }
    replay.go()
    let fix = try peer.next { $0["fix"] != nil }["fix"]
    #expect(fix?["magneticVariation"]?.number == degrees)
  }

  /// The receivers that gpsd tells of.
  private static func receivers(in lines: [String]) -> Set<String> {
    Set(
      lines.compactMap { try? JSON(parsing: Array($0.utf8), depthLimit: 16) }
        .flatMap { $0["devices"]?.array ?? ($0["class"]?.string == "DEVICE" ? [$0] : []) }
        .compactMap { $0["path"]?.string })
  }
}
