import Foundation
import Glibc
import SQLiteStore
import TestSupport
import Testing
import Varlink

/// Kills the daemon at random moments while regions fire: what a client was told is in the store, and
/// no reader that uses `since` is told anything twice.
@Suite struct RegionKillTests {
  /// `BEARING_KILLS` asks for more.
  private static let kills =
    ProcessInfo.processInfo.environment["BEARING_KILLS"].flatMap(Int.init) ?? 10
  private static let subscribe = "io.bearing.regions.Subscribe"
  /// Regions at each of the two places, so that each crossing is 40 events.
  private static let regions = 20
  /// The events that are kept of a user.
  private static let kept: Int64 = 1000
  /// The longest time from a reader's first events to a kill, in milliseconds.
  private static let longestLife = 150

  /// How long a crossing's events are waited for before the next crossing, in milliseconds.
  private static let longestTurn: Int32 = 20

  private let gpsd: GpsdFake
  private let folder: TemporaryFolder

  init() throws {
    gpsd = try GpsdFake()
    folder = try TemporaryFolder()
  }

  private func latitude(_ index: Int) -> Double { index % 2 == 0 ? 47 : 47.004 }

  private func addRegions() throws {
    let daemon = try DaemonProcess(gpsd.configuration, in: folder)
    let client = try DaemonClient(daemon.socket)
    for index in 0..<(2 * Self.regions) {
      let reply = try client.call(
        "io.bearing.regions.Add",
        [
          "identifier": .string("r\(index)"), "latitude": .double(latitude(index)),
          "longitude": 8.5, "radius": .double(50 + Double(index)),
        ])
      try #require(reply.error == nil)
    }
    // It has asked for the receiver since the first one was added.
    let receiver = try gpsd.acceptDaemon()
    daemon.stop()
    #expect(receiver.isClosedByClient())
  }

  /// The store's events by sequence, after it was found whole.
  private func stored() throws -> [Int64: String] {
    let database = try Database(
      path: folder.path + "/state.db", mode: .readWrite, durability: .consistency)
    #expect(try database.damage() == nil)
    let rows = try database.prepare("SELECT sequence, event FROM events").all { row in
      (row.integer(0) ?? 0, row.text(1) ?? "")
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  @Test("After each kill -9 all that was told is stored, and nothing is told twice or left out")
  func kills() throws {
    try addRegions()
    var last: Int64 = 0
    var told = 0
    var second = 0
    for _ in 0..<Self.kills {
      let daemon = try DaemonProcess(gpsd.configuration, in: folder)
      let receiver = try gpsd.acceptDaemon()
      let reader = try DaemonClient(daemon.socket)
      var replies = [try reader.open(Self.subscribe, ["since": .int(last)])]
      var isDoomed = false
      var place = 0
      let deadline = Date() + DaemonProcess.patience
      while Date() < deadline {
        for _ in 0..<5 {
          receiver.sendFix(latitude(place), 8.5, second: second)
          second += 1
        }
        place += 1
        // No faster than it is told, or there would be more than is kept.
        var entry = pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, Self.longestTurn)
        while let reply = try reader.nextIfThere() { replies.append(reply) }
        if isDoomed, daemon.hasEnded(within: 0) { break }
        if !isDoomed, replies.contains(where: { $0.parameters["events"]?.array != [] }) {
          isDoomed = true
          DispatchQueue.global().asyncAfter(
            deadline: .now() + .milliseconds(.random(in: 0...Self.longestLife))
          ) { daemon.send(SIGKILL) }
        }
      }
      daemon.kill()
      replies += try reader.rest()
      let events = replies.flatMap { $0.parameters["events"]?.array ?? [] }
      let sequences = events.compactMap { $0["sequence"]?.integer }
      let missed = replies.compactMap { $0.parameters["missed"]?.integer }.reduce(0, +)
      #expect(!sequences.isEmpty)
      #expect(missed == 0)
      #expect(sequences == Array((last + 1)..<(last + 1 + Int64(sequences.count))))
      let store = try stored()
      let oldest = (store.keys.max() ?? 0) - Self.kept
      for event in events {
        let sequence = event["sequence"]?.integer ?? 0
        // Of a long life the first events had to go.
        if sequence <= oldest { continue }
        let text = store[sequence] ?? "{}"
        let kept = try JSON(parsing: Array(text.utf8))
        #expect(kept == event, "told \(event), stored \(text)")
      }
      last = sequences.last ?? last
      told += events.count
    }
    print("region kill test: \(Self.kills) kills, \(told) events told, all stored, none twice")
  }
}
