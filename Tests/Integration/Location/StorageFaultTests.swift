import Foundation
import SQLiteStore
import TestSupport
import Testing
import Varlink

/// The daemon's store on a disk that is full, one that may only be read, and with a damaged file.
@Suite struct StorageFaultTests {
  private static let add = "io.bearing.regions.Add"
  private static let list = "io.bearing.regions.List"
  private let gpsd: GpsdFake

  init() throws {
    gpsd = try GpsdFake()
  }

  /// Whether the machine lets a process have a mount namespace; containers may not.
  static let canMount: Bool = {
    let run = try? ProgramRun.run(
      "/usr/bin/unshare", ["--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /mnt"])
    return run?.status == 0
  }()

  private func region(_ name: String) -> JSON {
    ["identifier": .string(name), "latitude": 47, "longitude": 8.5, "radius": 50]
  }

  /// A daemon whose state is on a disk of its own, of 400 KB, made ready by a script.
  private func daemonOnDisk(_ script: String) throws -> DaemonProcess {
    let folder = try TemporaryFolder()
    try folder.write("", to: "state/here")
    return try DaemonProcess(
      gpsd.configuration,
      wrapper: [
        "/usr/bin/unshare", "--map-root-user", "--mount", "sh", "-euc",
        "mount -t tmpfs -o size=400k none \"$STATE_DIRECTORY\"; \(script); exec \"$@\"", "sh",
      ], in: folder, environment: ["STATE_DIRECTORY": folder.path + "/state"])
  }

  /// The daemon's disk, seen from outside its namespace.
  private func disk(of daemon: DaemonProcess) -> String {
    "/proc/\(daemon.pid)/root\(daemon.folder.path)/state"
  }

  @Test(
    "On a full disk a region is refused and events wait; then all is there", .enabled(if: canMount))
  func full() throws {
    let daemon = try daemonOnDisk("true")
    let client = try DaemonClient(daemon.socket)
    #expect(try client.call(Self.add, region("kept")).error == nil)
    let receiver = try gpsd.acceptDaemon()
    let reader = try DaemonClient(daemon.socket)
    _ = try reader.open("io.bearing.regions.Subscribe")

    let filling = disk(of: daemon) + "/filling"
    _ = try ProgramRun.run("/bin/sh", ["-c", "cat /dev/zero >'\(filling)' 2>/dev/null || true"])
    // What fits in the room that the store has already is stored; the next page is not.
    var refused: DaemonClient.Message?
    var added = 1
    while refused == nil, added < 100 {
      let reply = try client.call(Self.add, region("region \(added)"))
      if reply.error == nil { added += 1 } else { refused = reply }
    }
    #expect(refused?.error == "io.bearing.regions.StorageFailed")
    #expect(refused?.parameters["reason"]?.string?.contains("free some space") == true)
    #expect(try client.call(Self.list).parameters["regions"]?.array?.count == added)
    for second in 0..<5 { receiver.sendFix(47, 8.5, second: second) }
    #expect(daemon.waitUntil { daemon.log.contains("region events wait in memory") })

    try FileManager.default.removeItem(atPath: filling)
    var told: [JSON] = []
    while told.count < added { told += try reader.next().parameters["events"]?.array ?? [] }
    #expect(told.allSatisfy { $0["kind"] == "enter" })
    #expect(told.compactMap { $0["sequence"]?.integer } == Array(1...Int64(added)))
    #expect(try client.call(Self.add, region("last")).error == nil)
    // SQLite would look for this path outside the namespace: it is given a copy.
    let copy = try TemporaryFolder()
    for name in ["state.db", "state.db-wal"] {
      try FileManager.default.copyItem(
        atPath: disk(of: daemon) + "/" + name, toPath: copy.path + "/" + name)
    }
    let database = try Database(
      path: copy.path + "/state.db", mode: .readWrite, durability: .consistency)
    #expect(try database.damage() == nil)
    let kept = try database.prepare("SELECT count(*) FROM regions").first { $0.integer(0) ?? 0 }
    #expect(kept == Int64(added + 1))
  }

  @Test(
    "On a full disk a preference is refused, and the old value holds", .enabled(if: canMount))
  func fullForPreferences() throws {
    let daemon = try daemonOnDisk("true")
    let client = try DaemonClient(daemon.socket)
    func set(_ value: String) throws -> DaemonClient.Message {
      try client.call(
        "io.bearing.preferences.Set", ["key": "display.units", "value": .string("\"\(value)\"")])
    }
    func value() throws -> JSON? {
      try client.call("io.bearing.preferences.Get", ["key": "display.units"])
        .parameters["preference"]?["value"]
    }
    #expect(try set("nautical").error == nil)
    let filling = disk(of: daemon) + "/filling"
    _ = try ProgramRun.run("/bin/sh", ["-c", "cat /dev/zero >'\(filling)' 2>/dev/null || true"])
    let refused = try set("imperial")
    #expect(refused.error == "io.bearing.preferences.StorageFailed")
    #expect(refused.parameters["reason"]?.string?.contains("free some space") == true)
    #expect(try value() == "\"nautical\"")
    try FileManager.default.removeItem(atPath: filling)
    #expect(try set("imperial").error == nil)
    #expect(try value() == "\"imperial\"")
  }

  @Test(
    "On a disk that may only be read nothing is stored, and positions come", .enabled(if: canMount))
  func readOnly() throws {
    let daemon = try daemonOnDisk("mount -o remount,bind,ro \"$STATE_DIRECTORY\"")
    let client = try DaemonClient(daemon.socket)
    let reply = try client.call(Self.add, region("home"))
    #expect(reply.error == "io.bearing.regions.StorageFailed")
    #expect(reply.parameters["reason"]?.string?.contains(daemon.folder.path) == true)
    #expect(try client.call(Self.list).error == "io.bearing.regions.StorageFailed")
    let stream = try DaemonClient(daemon.socket)
    _ = try stream.open("io.bearing.location.Subscribe")
    let receiver = try gpsd.acceptDaemon()
    receiver.sendFix(47, 8.5)
    #expect(try stream.next { $0.parameters["fix"] != nil }.parameters["state"] == "live")
    #expect(daemon.waitUntil { daemon.log.contains("the last fix is kept in memory only") })
    let known = try client.call("io.bearing.location.GetLastKnown").parameters
    #expect(known["fix"]?["latitude"] == 47.0)
  }

  @Test("A damaged file is set aside with a line in the log, and a fresh one serves")
  func damaged() throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: "no database\n", count: 1000), to: "state.db")
    let daemon = try DaemonProcess(gpsd.configuration, in: folder)
    let client = try DaemonClient(daemon.socket)
    #expect(try client.call(Self.add, region("home")).error == nil)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let kept = try #require(names.first { $0.hasPrefix("state.db.damaged-") })
    #expect(daemon.log.contains("\(folder.path)/state.db is damaged ("))
    #expect(daemon.log.contains("the damaged file is kept as \(folder.path)/\(kept)"))
    #expect(try client.call(Self.list).parameters["regions"]?.array?.count == 1)
  }

  @Test("A store of a newer version is refused in the log and in errors, and positions come")
  func newer() throws {
    let first = try DaemonProcess(gpsd.configuration)
    #expect(try DaemonClient(first.socket).call(Self.add, region("home")).error == nil)
    first.stop()
    let path = first.folder.path + "/state.db"
    try Database(path: path, mode: .readWrite, durability: .consistency).execute(
      "PRAGMA user_version = 99")
    let second = try DaemonProcess(gpsd.configuration, in: first.folder)
    let reply = try DaemonClient(second.socket).call(Self.add, region("other"))
    #expect(reply.error == "io.bearing.regions.StorageFailed")
    #expect(reply.parameters["reason"]?.string?.contains("written by a newer bearingd") == true)
    #expect(second.log.contains("no region is watched until it can be read"))
    // Once it is there again in the version that is known, it is taken up: by a call at once.
    try Database(path: path, mode: .readWrite, durability: .consistency).execute(
      "PRAGMA user_version = 2")
    let regions = try DaemonClient(second.socket).call(Self.list).parameters["regions"]?.array
    #expect(regions?.map { $0["identifier"] } == ["home"])
  }

  @Test("Calls that cannot be stored fill no journal", .enabled(if: canMount))
  func quiet() throws {
    let daemon = try daemonOnDisk("mount -o remount,bind,ro \"$STATE_DIRECTORY\"")
    let start = Date()
    let client = try DaemonClient(daemon.socket)
    for number in 0..<100 {
      let reply = try client.call(Self.add, region("region \(number)"))
      #expect(reply.error == "io.bearing.regions.StorageFailed")
      let setting: JSON = ["key": "location.minInterval", "value": .string("\(number)")]
      #expect(try client.call("io.bearing.preferences.Set", setting).error != nil)
    }
    let seconds = Int(Date().timeIntervalSince(start))
    let lines = daemon.log.split(separator: "\n").count
    #expect(daemon.log.contains(daemon.folder.path))
    #expect(lines <= seconds + 5, "\(daemon.log)")
    #expect(daemon.stop() == 0)
  }
}
