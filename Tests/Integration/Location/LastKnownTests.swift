import Foundation
import SQLiteStore
import TestSupport
import Testing
import Varlink

/// The last fix outlives the daemon, and is never taken for one of now.
@Suite struct LastKnownTests {
  private static let lastKnown = "io.bearing.location.GetLastKnown"
  private static let subscribe = "io.bearing.location.Subscribe"
  private let gpsd: GpsdFake

  init() throws {
    gpsd = try GpsdFake()
  }

  /// A daemon that has had a fix and has written it down.
  private func daemonWithFix() throws -> DaemonProcess {
    let daemon = try DaemonProcess(gpsd.configuration)
    let client = try DaemonClient(daemon.socket)
    _ = try client.open(Self.subscribe)
    let receiver = try gpsd.acceptDaemon()
    receiver.sendFix(47.5, 8.5, second: 10, accuracy: 4)
    _ = try client.next { $0.parameters["fix"] != nil }
    #expect(
      try daemon.waitUntil {
        let database = try Database(
          path: daemon.folder.path + "/state.db", mode: .readWrite, durability: .consistency)
        return try database.prepare("SELECT fix FROM last_fix").first { $0.text(0) } != nil
      })
    return daemon
  }

  @Test(
    "It is there after a stop and after kill -9, with an age that goes on",
    arguments: [true, false])
  func restart(isKilled: Bool) throws {
    let first = try daemonWithFix()
    let before = try DaemonClient(first.socket).call(Self.lastKnown).parameters
    first.end(with: isKilled ? SIGKILL : SIGTERM)
    gpsd.refuse()
    let second = try DaemonProcess(gpsd.configuration, in: first.folder)
    let client = try DaemonClient(second.socket)
    let after = try client.call(Self.lastKnown).parameters
    #expect(after["fix"]?["latitude"] == 47.5)
    #expect(after["fix"]?["bootTimestamp"] == before["fix"]?["bootTimestamp"])
    #expect(after["fix"]?["timestamp"] == 1_796_040_010_000_000)
    #expect(after["state"] == "off")
    let ages = [before, after].compactMap { $0["age"]?.integer }
    #expect(ages.count == 2 && ages[1] >= ages[0])
    let stream = try client.open(Self.subscribe).parameters
    #expect(stream["state"] == "connecting")
    #expect(stream["fix"]?["latitude"] == 47.5)
    #expect(stream["age"]?.integer.map { $0 >= ages[1] } == true)
  }

  @Test("It is written down when it is lost, and at the end", arguments: [true, false])
  func laterFix(isLost: Bool) throws {
    let daemon = try DaemonProcess(gpsd.configuration)
    let client = try DaemonClient(daemon.socket)
    _ = try client.open(Self.subscribe)
    let receiver = try gpsd.acceptDaemon()
    // The first is written at once, those of the minute after it are not.
    for latitude in [47.5, 47.5003, 47.5006] {
      receiver.sendFix(latitude, 8.5)
      _ = try client.next { $0.parameters["fix"]?["latitude"]?.number == latitude }
    }
    func stored() throws -> Double? {
      let database = try Database(
        path: daemon.folder.path + "/state.db", mode: .readWrite, durability: .consistency)
      let text = try database.prepare("SELECT fix FROM last_fix").first { $0.text(0) ?? "" }
      return try JSON(parsing: Array((text ?? "null").utf8))["latitude"]?.number
    }
    if isLost {
      receiver.send(#"{"class":"TPV","device":"/dev/fake0","mode":1}"#)
      #expect(try daemon.waitUntil { try stored() == 47.5006 })
    } else {
      daemon.stop()
      #expect(try stored() == 47.5006)
    }
  }

  @Test("With gpsd there and no new fix yet, the old one is not live, however young it is")
  func notLive() throws {
    let first = try daemonWithFix()
    first.kill()
    let second = try DaemonProcess(gpsd.configuration, in: first.folder)
    let client = try DaemonClient(second.socket)
    #expect(try client.open(Self.subscribe).parameters["state"] == "connecting")
    let receiver = try gpsd.acceptDaemon()
    #expect(
      try client.next { $0.parameters["state"] != "connecting" }.parameters["state"] == "searching")
    let known = try DaemonClient(second.socket).call(Self.lastKnown).parameters
    #expect(known["state"] == "searching" && known["fix"]?["latitude"] == 47.5)
    receiver.sendFix(47.5001, 8.5)
    let live = try client.next { $0.parameters["fix"] != nil }.parameters
    #expect(live["state"] == "live")
    #expect(live["fix"]?["latitude"] == 47.5001)
    // Sequences go on, so that a fix of before is not taken for one of after.
    let sequences = [known, live].compactMap { $0["fix"]?["sequence"]?.integer }
    #expect(sequences.count == 2 && sequences[1] > sequences[0])
  }

  @Test("From another boot it has its UTC, and neither an age nor a time on this boot's clock")
  func reboot() throws {
    let first = try daemonWithFix()
    first.stop()
    // Another boot is another name in /proc, which the store has beside the fix.
    try Database(path: first.folder.path + "/state.db", mode: .readWrite, durability: .consistency)
      .execute("UPDATE last_fix SET boot = '00000000-0000-0000-0000-000000000000'")
    let second = try DaemonProcess(gpsd.configuration, in: first.folder)
    let client = try DaemonClient(second.socket)
    let known = try client.call(Self.lastKnown).parameters
    #expect(known["fix"]?["latitude"] == 47.5)
    #expect(known["fix"]?["timestamp"] == 1_796_040_010_000_000)
    #expect(known["fix"]?["bootTimestamp"] == nil)
    #expect(known["age"] == nil)
    let stream = try client.open(Self.subscribe).parameters
    #expect(stream["fix"]?["latitude"] == 47.5 && stream["age"] == nil)
    #expect(stream["state"] == "connecting")
    let oneShot = try DaemonClient(second.socket).call(
      "io.bearing.location.GetFix", ["maxAge": 1_000_000_000, "timeout": 0])
    #expect(oneShot.error == "io.bearing.location.Timeout")
  }

  @Test("One of a simulation says nothing of a receiver's place, nor the other way round")
  func simulated() throws {
    let first = try daemonWithFix()
    first.stop()
    let second = try DaemonProcess(in: first.folder)
    let known = try DaemonClient(second.socket).call(Self.lastKnown).parameters
    #expect(known["fix"] == nil)
  }
}
