import BearingModel
import Foundation
import SQLiteStore
import TestSupport
import Testing
import Varlink

/// Regions of the real daemon: whose they are, what they tell, and what is kept of it.
@Suite struct RegionTests {
  private static let add = "io.bearing.regions.Add"
  private static let list = "io.bearing.regions.List"
  private static let subscribe = "io.bearing.regions.Subscribe"
  /// Beside the route's first place.
  private static let home: JSON = [
    "identifier": "home", "latitude": 47, "longitude": 8.5, "radius": 50,
  ]

  private let gpsd: GpsdFake

  init() throws {
    gpsd = try GpsdFake()
  }

  /// A receiver that is moved to and fro between a place inside and one 445 m north of it.
  struct Shuttle {
    let receiver: GpsdFakeConnection
    var second = 0

    /// Five seconds at a place, which is enough for either decision.
    mutating func stay(inside: Bool) {
      for _ in 0..<5 {
        receiver.sendFix(inside ? 47 : 47.004, 8.5, second: second)
        second += 1
      }
    }
  }

  private func kinds(_ reply: JSON) -> [String] {
    reply["events"]?.array?.compactMap { $0["kind"]?.string } ?? []
  }

  /// Events of a stream until there are that many.
  private func events(_ count: Int, of client: DaemonClient) throws -> [JSON] {
    var all: [JSON] = []
    while all.count < count { all += try client.next().parameters["events"]?.array ?? [] }
    return all
  }

  @Test("A region has the receiver run while it is there, and tells enter and exit once each")
  func enterAndExit() throws {
    let daemon = try DaemonProcess(gpsd.configuration)
    let client = try DaemonClient(daemon.socket)
    let added = try client.call(Self.add, Self.home).parameters
    #expect(added["region"]?["state"] == "unknown")
    var shuttle = Shuttle(receiver: try gpsd.acceptDaemon())
    let reader = try DaemonClient(daemon.socket)
    #expect(try reader.open(Self.subscribe).parameters == ["events": [], "last": 0])
    shuttle.stay(inside: true)
    shuttle.stay(inside: false)
    shuttle.stay(inside: true)
    let told = try events(3, of: reader)
    #expect(told.map { $0["kind"] } == ["enter", "exit", "enter"])
    #expect(told.map { $0["sequence"] } == [1, 2, 3])
    #expect(told.allSatisfy { $0["identifier"] == "home" && $0["bootTimestamp"] != nil })
    #expect(told.first?["timestamp"]?.integer.map { $0 > 1_796_040_000_000_000 } == true)
    let regions = try client.call(Self.list).parameters["regions"]?.array
    #expect(regions?.map { $0["state"] } == ["inside"])
    #expect(try client.call("io.bearing.regions.Remove", ["identifier": "home"]).error == nil)
    #expect(shuttle.receiver.isClosedByClient())
    #expect(try client.call(Self.list).parameters == ["regions": []])
  }

  @Test("A region is watched that takes the name of one that is removed twice at once")
  func removedTwice() throws {
    let daemon = try DaemonProcess(gpsd.configuration)
    let (one, two) = (try DaemonClient(daemon.socket), try DaemonClient(daemon.socket))
    let remove = "io.bearing.regions.Remove"
    _ = try one.call(Self.add, Self.home)
    let store = try Database(
      path: daemon.folder.path + "/state.db", mode: .readWrite, durability: .consistency)
    // The daemon waits for the store for ten seconds: where those are over, another try.
    for _ in 0..<10 {
      _ = try one.call(Self.add, Self.home)
      try store.execute("BEGIN IMMEDIATE")
      try one.send(remove, ["identifier": "home"])
      try one.send(Self.add, Self.home)
      try two.send(remove, ["identifier": "home"])
      // It is answered from memory, behind those.
      #expect(try DaemonClient(daemon.socket).call(Self.list).parameters["regions"] != [])
      try store.execute("COMMIT")
      let (removed, added, again) = (try one.next(), try one.next(), try two.next())
      if removed.error ?? added.error ?? again.error == "io.bearing.regions.StorageFailed" {
        continue
      }
      #expect(removed.error == nil && added.error == nil && again.error == nil)
      let regions = try one.call(Self.list).parameters["regions"]?.array
      #expect(regions?.map { $0["identifier"] } == ["home"])
      return
    }
    Issue.record("the store was never let go in time")
  }

  @Test("A region crosses the 180th meridian with a real gpsd")
  func realGpsd() throws {
    let replay = try GpsdReplay(recording: GpsdRecordings.own("antimeridian.log"))
    let daemon = try DaemonProcess(
      "[Location]\nGpsdHost=127.0.0.1\nGpsdPort=\(replay.port)\n[Accelerometer]\nSource=none\n")
    let client = try DaemonClient(daemon.socket)
    let line: JSON = ["identifier": "line", "latitude": -17, "longitude": 180, "radius": 60]
    #expect(try client.call(Self.add, line).error == nil)
    let reader = try DaemonClient(daemon.socket)
    _ = try reader.open(Self.subscribe, ["since": 0])
    let states = try DaemonClient(daemon.socket)
    _ = try states.open("io.bearing.location.Subscribe") { $0["state"] == "searching" }
    replay.go()
    let told = try events(1, of: reader)
    #expect(told.map { $0["kind"] } == ["enter"])
    // 85 m to each side of the line at most, in steps of 21 m.
    #expect(told.first?["longitude"]?.number.map { abs($0) > 179.999 } == true)
  }

  @Test(
    "What happens while the owner is away is kept, over a stop and kill -9",
    arguments: [true, false])
  func ownerIsAway(isKilled: Bool) throws {
    let first = try DaemonProcess(gpsd.configuration)
    let client = try DaemonClient(first.socket)
    #expect(try client.call(Self.add, Self.home).error == nil)
    client.close()
    var shuttle = Shuttle(receiver: try gpsd.acceptDaemon())
    shuttle.stay(inside: true)
    let watcher = try DaemonClient(first.socket)
    _ = try watcher.open(Self.subscribe, ["since": 0]) { $0["events"] != [] }
    watcher.close()
    first.end(with: isKilled ? SIGKILL : SIGTERM)

    // Nobody asks for anything: the region alone has the receiver run again.
    let second = try DaemonProcess(gpsd.configuration, in: first.folder)
    shuttle = Shuttle(receiver: try gpsd.acceptDaemon(), second: 100)
    shuttle.stay(inside: true)
    shuttle.stay(inside: false)
    let reader = try DaemonClient(second.socket)
    var told = try reader.open(Self.subscribe, ["since": 0]).parameters["events"]?.array ?? []
    while told.count < 2 { told += try reader.next().parameters["events"]?.array ?? [] }
    #expect(told.map { $0["kind"] } == ["enter", "exit"])
    #expect(told.map { $0["sequence"] } == [1, 2])
    let later = try DaemonClient(second.socket).open(Self.subscribe, ["since": 1]).parameters
    #expect(later["events"]?.array?.map { $0["sequence"] } == [2])
    let now = try DaemonClient(second.socket).open(Self.subscribe).parameters
    #expect(now == ["events": [], "last": 2])
    // As after a store was lost: nothing of this one is known to such a reader.
    let beyond = try DaemonClient(second.socket).open(Self.subscribe, ["since": 99]).parameters
    #expect(beyond["events"]?.array?.map { $0["sequence"] } == [1, 2])
  }

  @Test("A stay of the dwell's length is told once, though nothing moves, and over a restart")
  func dwell() throws {
    let first = try DaemonProcess(gpsd.configuration)
    var home = Self.home.object ?? [:]
    home["dwell"] = 300
    #expect(try DaemonClient(first.socket).call(Self.add, .object(home)).error == nil)
    var shuttle = Shuttle(receiver: try gpsd.acceptDaemon())
    let reader = try DaemonClient(first.socket)
    _ = try reader.open(Self.subscribe)
    shuttle.stay(inside: true)
    let told = try events(2, of: reader)
    #expect(told.map { $0["kind"] } == ["enter", "dwell"])
    let times = told.compactMap { $0["bootTimestamp"]?.integer }
    #expect(times.count == 2 && times[1] - times[0] >= 290_000)
    #expect(told[1]["timestamp"]?.integer.map { $0 > 1_796_040_000_000_000 } == true)
    first.kill()
    let second = try DaemonProcess(gpsd.configuration, in: first.folder)
    shuttle = Shuttle(receiver: try gpsd.acceptDaemon(), second: 100)
    let again = try DaemonClient(second.socket)
    _ = try again.open(Self.subscribe)
    shuttle.stay(inside: true)
    shuttle.stay(inside: false)
    #expect(try events(1, of: again).map { $0["kind"] } == ["exit"])
  }

  @Test("A user's regions and events are that user's alone", .enabled(if: OtherUser.isPossible))
  func users() throws {
    let daemon = try DaemonProcess(
      gpsd.configuration + "[Access]\nUser.nobody=precise\nUser.daemon=precise\n")
    let nobody = try OtherUser.connect(to: daemon.socket, uid: 65534, count: 2)
    let other = try OtherUser.connect(to: daemon.socket, uid: 1, count: 2)
    #expect(try nobody[0].call(Self.add, Self.home).error == nil)
    #expect(
      try nobody[0].call(Self.add, Self.home).error == "io.bearing.regions.RegionExists")
    #expect(try other[0].call(Self.list).parameters == ["regions": []])
    #expect(
      try other[0].call("io.bearing.regions.Remove", ["identifier": "home"]).error
        == "io.bearing.regions.RegionNotFound")
    var elsewhere = Self.home.object ?? [:]
    elsewhere["latitude"] = 47.004
    #expect(try other[0].call(Self.add, .object(elsewhere)).error == nil)
    _ = try nobody[1].open(Self.subscribe)
    _ = try other[1].open(Self.subscribe)
    var shuttle = Shuttle(receiver: try gpsd.acceptDaemon())
    shuttle.stay(inside: true)
    shuttle.stay(inside: false)
    let told = [try events(2, of: nobody[1]), try events(1, of: other[1])]
    #expect(told[0].map { $0["kind"] } == ["enter", "exit"])
    #expect(told[1].map { $0["kind"] } == ["enter"])
    #expect(told.allSatisfy { $0.first?["sequence"] == 1 })
    #expect(try DaemonClient(daemon.socket).call(Self.list).parameters == ["regions": []])
  }

  @Test("When more happened than is kept, the reader is told how many are gone")
  func missed() throws {
    let first = try DaemonProcess(gpsd.configuration)
    #expect(try DaemonClient(first.socket).call(Self.add, Self.home).error == nil)
    first.stop()
    // 1203 events, as the daemon would have written them.
    try Database(path: first.folder.path + "/state.db", mode: .readWrite, durability: .consistency)
      .execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 204 UNION ALL SELECT i + 1 FROM n WHERE i < 1203)
        INSERT INTO events SELECT \(getuid()), i, 'x', '{"sequence":' || i || ',"identifier":"home",\
        "kind":"enter","latitude":47,"longitude":8.5,"bootTimestamp":1}' FROM n;
        INSERT INTO event_counters VALUES (\(getuid()), 1203);
        """)
    let second = try DaemonProcess(gpsd.configuration, in: first.folder)
    let reader = try DaemonClient(second.socket)
    let head = try reader.open(Self.subscribe, ["since": 3]).parameters
    #expect(head["missed"] == 200)
    var told = head["events"]?.array ?? []
    while told.count < 1000 {
      let reply = try reader.next().parameters
      #expect(reply["missed"] == nil)
      told += reply["events"]?.array ?? []
    }
    #expect(told.compactMap { $0["sequence"]?.integer } == Array(204...1203))
    // They are of another boot.
    #expect(told.allSatisfy { $0["bootTimestamp"] == nil })
  }

  @Test("A heartbeat says how far the stream is")
  func heartbeat() throws {
    let daemon = try DaemonProcess(gpsd.configuration)
    #expect(try DaemonClient(daemon.socket).call(Self.add, Self.home).error == nil)
    var shuttle = Shuttle(receiver: try gpsd.acceptDaemon())
    let reader = try DaemonClient(daemon.socket)
    #expect(try reader.open(Self.subscribe, ["heartbeat": 100]).parameters["last"] == 0)
    shuttle.stay(inside: true)
    #expect(try events(1, of: reader).map { $0["sequence"] } == [1])
    #expect(try reader.next().parameters == ["events": [], "last": 1, "repeated": true])
  }

  @Test("The 101st region is refused, and what is no region by its name")
  func limits() throws {
    let daemon = try DaemonProcess(gpsd.configuration)
    let client = try DaemonClient(daemon.socket)
    for (name, value): (String, JSON) in [
      ("identifier", ""), ("identifier", "a\nb"), ("latitude", 90.1), ("longitude", -180.1),
      ("radius", 0), ("radius", -1), ("radius", 30_000_000), ("dwell", -1),
      ("identifier", .string(String(repeating: "x", count: 65))),
      ("identifier", .string("x" + String(repeating: "\u{301}", count: 64))),
    ] {
      var region = Self.home.object ?? [:]
      region[name] = value
      let reply = try client.call(Self.add, .object(region))
      #expect(reply.error == "org.varlink.service.InvalidParameter", "\(name) \(value)")
      #expect(reply.parameters["parameter"]?.string == name)
    }
    for number in 0..<101 {
      var region = Self.home.object ?? [:]
      region["identifier"] = .string("region \(number)")
      let reply = try client.call(Self.add, .object(region))
      #expect(reply.error == (number < 100 ? nil : "io.bearing.regions.QuotaExceeded"))
    }
    #expect(try client.call(Self.list).parameters["regions"]?.array?.count == 100)
  }

  @Test("gpsctl adds, lists, watches and removes")
  func tools() throws {
    let daemon = try DaemonProcess(gpsd.configuration)
    func gpsctl(_ arguments: String...) throws -> ProgramRun {
      try ProgramRun.run(
        ProgramRun.path(of: "gpsctl"), ["region"] + arguments,
        environment: ["BEARING_SOCKET": daemon.socket, "NO_COLOR": "1"])
    }
    let added = try gpsctl("add", "home", "47", "8.5", "50m", "--dwell", "1h")
    #expect(added.status == 0, "\(added.errors)")
    #expect(added.lines.count == 2)
    let twice = try gpsctl("add", "home", "47", "8.5", "50m")
    #expect(twice.status == 1 && twice.errors.contains("there is a region home already"))
    let south = try gpsctl("add", "south", "-47", "-8.5", "0.5nmi", "--json")
    let region = try JSON(parsing: Array(south.output.utf8))["region"]
    #expect(region?["latitude"] == -47.0 && region?["radius"] == 926.0)
    #expect(try gpsctl("add", "north", "x", "0", "5").status == 2)
    #expect(try gpsctl("add", "north", "91", "0", "5").status == 2)
    let list = try gpsctl("list")
    #expect(list.lines.map { $0.split(separator: " ").first } == ["NAME", "home", "south"])
    let none = try gpsctl("remove", "nowhere")
    #expect(none.status == 1 && none.errors.contains("there is no region nowhere"))

    var shuttle = Shuttle(receiver: try gpsd.acceptDaemon())
    for inside in [true, false, true] { shuttle.stay(inside: inside) }
    let watched = try gpsctl("watch", "--since", "1", "--count", "2")
    #expect(watched.status == 0)
    #expect(watched.lines.count == 2)
    #expect(watched.lines.first?.hasPrefix("2  2026-11-30 12:0") == true, "\(watched.output)")
    #expect(watched.lines.first?.contains("UTC  exit   home  47.0040") == true)
    #expect(try gpsctl("watch", "--timeout", "200ms").status == 3)
    #expect(try gpsctl("watch", "--since", "x").status == 2)
    #expect(try gpsctl("remove", "home").status == 0)
    #expect(try gpsctl("list").lines.map { $0.split(separator: " ").first } == ["NAME", "south"])
  }
}
