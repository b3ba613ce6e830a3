import BearingModel
import Foundation
import SQLiteStore
import TestSupport
import Testing
import Varlink

/// The daemon's preferences, as clients of its socket have them.
@Suite struct PreferenceTests {
  private static let interface = "io.bearing.preferences"
  private static let simulation = "[Location]\nSource=simulation\n[Accelerometer]\nSource=none\n"

  private func preference(_ reply: JSON) throws -> Preference {
    try #require(try reply["preference"]?.decode(Preference.self))
  }

  private func preferences(_ reply: JSON) throws -> [String: Preference] {
    let all = try #require(try reply["preferences"]?.decode([Preference].self))
    return Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
  }

  @Test func `all are listed with their type, default and meaning`() throws {
    let daemon = try DaemonProcess(Self.simulation)
    let all = try preferences(daemon.connect().call("\(Self.interface).List"))
    #expect(Set(all.keys) == Set(PreferenceName.allCases.map(\.rawValue)))
    let interval = try #require(all["location.minInterval"])
    #expect(interval.kind == "integer" && interval.unit == "ms")
    #expect(interval.value == "0" && interval.defaultValue == "0")
    #expect(interval.isDefault && !interval.forced && !interval.description.isEmpty)
    #expect(interval.expected == "a whole number of milliseconds from 0 to 86400000")
    #expect(all["acceleration.sensor"]?.value == "null")
    #expect(all["display.units"]?.value == "\"metric\"" && all["display.units"]?.unit == nil)
  }

  @Test func `a value is set, read and taken back`() throws {
    let daemon = try DaemonProcess(Self.simulation)
    let peer = try daemon.connect()
    let key: JSON = ["key": "display.coordinates"]
    let set = try preference(
      peer.call("\(Self.interface).Set", ["key": "display.coordinates", "value": "\"dms\""]))
    #expect(set.value == "\"dms\"" && !set.isDefault && set.defaultValue == "\"decimal\"")
    #expect(try preference(daemon.connect().call("\(Self.interface).Get", key)) == set)
    _ = try peer.call(
      "\(Self.interface).Set",
      ["key": "display.coordinates", "value": "\"utm\"", "scope": "machine"])
    let reset = try preference(peer.call("\(Self.interface).Reset", key))
    #expect(reset.value == "\"utm\"" && reset.isDefault && reset.defaultValue == "\"utm\"")
  }

  /// A method, its parameters, and the error that it is answered with; JSON as text.
  private static let refusals: [(method: String, call: String, error: String, told: String)] = [
    (
      "Get", #"{"key":"display.unit"}"#, "UnknownKey",
      #"{"key":"display.unit","nearest":["display.units"]}"#
    ),
    (
      "Reset", #"{"key":"units"}"#, "UnknownKey", #"{"key":"units","nearest":["display.units"]}"#
    ),
    (
      "Set", #"{"key":"stream.heartbeat","value":"1.5"}"#, "InvalidValue",
      #"{"expected":"a whole number of milliseconds from 0 to 3600000","key":"stream.heartbeat","#
        + #""reason":"1.5 is none"}"#
    ),
    (
      "Set", #"{"key":"display.units","value":"metric"}"#, "InvalidValue",
      #"{"expected":"one of \"metric\", \"imperial\", \"nautical\"","key":"display.units","#
        + #""reason":"metric is not JSON text (JSON, byte 0: unexpected byte 0x6d)"}"#
    ),
    (
      "Set", #"{"key":"location.minInterval","value":"1"}"#, "Forced",
      #"{"key":"location.minInterval"}"#
    ),
    (
      "Reset", #"{"key":"location.minInterval","scope":"machine"}"#, "Forced",
      #"{"key":"location.minInterval"}"#
    ),
    (
      "Set", #"{"key":"acceleration.sensor","value":"\#(String(repeating: "1", count: 1025))"}"#,
      "QuotaExceeded", #"{"limit":1024,"resource":"bytes of a value"}"#
    ),
  ]

  @Test(arguments: refusals)
  func `what cannot be is refused, and says why`(
    method: String, call: String, error: String, told: String
  ) throws {
    let daemon = try DaemonProcess(
      Self.simulation + "[Preferences]\nlocation.minInterval=1000\n")
    let peer = try daemon.connect()
    let before = try peer.call("\(Self.interface).List")
    let answer = try #require(
      try peer.error(of: "\(Self.interface).\(method)", JSON(parsing: Array(call.utf8))))
    #expect(answer.name == "\(Self.interface).\(error)")
    #expect("\(answer.parameters)" == told)
    #expect(try peer.call("\(Self.interface).List") == before)
    let forced = try #require(try preferences(before)["location.minInterval"])
    #expect(forced.forced && forced.value == "1000" && forced.defaultValue == "0")
  }

  @Test func `a change is told to who listens, with what it changes elsewhere`() throws {
    let daemon = try DaemonProcess(Self.simulation)
    let (mine, machine, setter) = try (daemon.connect(), daemon.connect(), daemon.connect())
    try mine.stream("\(Self.interface).Subscribe")
    try machine.stream("\(Self.interface).Subscribe", ["scope": "machine"])
    for peer in [mine, machine] { #expect(try preferences(peer.next()).count == 6) }
    _ = try setter.call(
      "\(Self.interface).Set",
      ["key": "display.units", "value": "\"nautical\"", "scope": "machine"]
    )
    for peer in [mine, machine] {
      let news = try preferences(peer.next())
      #expect(news.keys.sorted() == ["display.units"])
      #expect(news["display.units"]?.value == "\"nautical\"")
    }
    // The same again is no news: what comes next is of the call after.
    for value in ["\"nautical\"", "\"imperial\""] {
      _ = try setter.call(
        "\(Self.interface).Set", ["key": "display.units", "value": .string(value)])
    }
    let first = try #require(try preferences(mine.next())["display.units"])
    #expect(!first.isDefault && first.value == "\"nautical\"")
    #expect(try preferences(mine.next())["display.units"]?.value == "\"imperial\"")
  }

  @Test func `filters that a stream leaves out are the preference, and follow it at once`() throws {
    let daemon = try DaemonProcess(Self.simulation)
    let (follower, all, setter) = try (daemon.connect(), daemon.connect(), daemon.connect())
    _ = try setter.call(
      "\(Self.interface).Set", ["key": "location.minInterval", "value": "86400000"])
    try follower.stream("io.bearing.location.Subscribe")
    try all.stream("io.bearing.location.Subscribe", ["minInterval": 0, "distanceFilter": 0])
    func sequence(_ peer: DaemonProcess.Peer) throws -> Int64 {
      try peer.next { $0["fix"] != nil && $0["state"] == "live" }["fix"]?["sequence"]?.integer ?? 0
    }
    let first = try sequence(follower)
    var seen: Int64 = 0
    while seen < first + 2 { seen = try sequence(all) }
    _ = try setter.call("\(Self.interface).Reset", ["key": "location.minInterval"])
    #expect(try sequence(follower) > seen)
    _ = try setter.call(
      "\(Self.interface).Set", ["key": "location.distanceFilter", "value": "1000000"])
    let last = try sequence(all)
    while try sequence(all) < last + 2 {}
    _ = try setter.call("\(Self.interface).Reset", ["key": "location.distanceFilter"])
    var next = try sequence(follower)
    while next <= last + 1 {
      // One may have been under way while the preference changed.
      #expect(next <= last)
      next = try sequence(follower)
    }
  }

  @Test(arguments: [
    "location.Subscribe", "location.SubscribeSky", "location.SubscribeHeading",
    "accelerometer.Subscribe", "accelerometer.SubscribeOrientation",
    "accelerometer.SubscribeMotion", "regions.Subscribe", "preferences.Subscribe",
    "daemon.SubscribeStatus",
  ])
  func `a heartbeat that a stream leaves out is the preference, and follows it at once`(
    method: String
  ) throws {
    let daemon = try DaemonProcess("[Location]\nSource=none\n[Accelerometer]\nSource=none\n")
    let (peer, setter) = try (daemon.connect(), daemon.connect())
    try peer.stream("io.bearing.\(method)")
    #expect(try peer.next()["repeated"] == nil)
    _ = try setter.call("\(Self.interface).Set", ["key": "stream.heartbeat", "value": "100"])
    for _ in 0..<2 { _ = try peer.next { $0["repeated"] == true } }
  }

  @Test func `the preferred sensor is asked while it is there`() throws {
    let tree = try SysfsTree(machine: "03-")
    let daemon = try DaemonProcess(
      "[Location]\nSource=none\n[Accelerometer]\nSysfsRoot=\(tree.root)\nUdevRoot=\(tree.udev)\n",
      keeping: tree)
    let peer = try daemon.connect()
    for (preferred, sensor) in [
      ("accel-base", "iio:device1"), ("gone", "iio:device0"), ("iio:device0", "iio:device0"),
    ] {
      _ = try peer.call(
        "\(Self.interface).Set",
        ["key": "acceleration.sensor", "value": .string("\"\(preferred)\"")])
      let sample = try peer.call("io.bearing.accelerometer.GetSample")
      #expect(sample["sensor"] == .string(sensor))
    }
  }

  @Test func `open streams that name no sensor go over to the one that is preferred now`() throws {
    let tree = try SysfsTree(machine: "03-")
    let daemon = try DaemonProcess(
      "[Location]\nSource=none\n[Accelerometer]\nSysfsRoot=\(tree.root)\nUdevRoot=\(tree.udev)\n",
      keeping: tree)
    let setter = try daemon.connect()
    let peers = try ["Subscribe", "SubscribeOrientation", "SubscribeMotion"].map { method in
      let peer = try daemon.connect()
      try peer.stream("io.bearing.accelerometer.\(method)")
      return peer
    }
    let firm = try daemon.connect()
    try firm.stream("io.bearing.accelerometer.SubscribeOrientation", ["sensor": "accel-display"])
    for (preferred, sensor) in [("null", 0), ("\"accel-base\"", 1), ("\"gone\"", 0)] {
      _ = try setter.call(
        "\(Self.interface).Set", ["key": "acceleration.sensor", "value": .string(preferred)])
      for peer in peers { _ = try peer.next { $0["sensor"] == .string("iio:device\(sensor)") } }
    }
    // Who names one keeps it.
    #expect(try firm.next()["sensor"] == "iio:device0")
  }

  @Test(.enabled(if: OtherUser.isPossible, "needs root"))
  func `each user has its own, the machine's are root's to set, and all outlive the daemon`() throws
  {
    var daemon = try DaemonProcess(Self.simulation)
    let key = "location.minInterval"
    func set(_ value: String, _ scope: String, by client: DaemonClient) throws -> String? {
      try client.call(
        "\(Self.interface).Set",
        ["key": .string(key), "value": .string(value), "scope": .string(scope)]
      ).error
    }
    func value(for uid: UInt32) throws -> String? {
      let client = try OtherUser.connect(to: daemon.socket, uid: uid)[0]
      let reply = try client.call("\(Self.interface).Get", ["key": .string(key)])
      return reply.parameters["preference"]?["value"]?.string
    }
    let (one, another): (UInt32, UInt32) = (54_321, 54_322)
    let client = try OtherUser.connect(to: daemon.socket, uid: one)[0]
    #expect(try set("1000", "user", by: client) == nil)
    #expect(try value(for: another) == "0")
    #expect(try set("3000", "machine", by: client) == "\(Self.interface).AccessDenied")
    #expect(try value(for: another) == "0")
    #expect(try set("2000", "machine", by: DaemonClient(daemon.socket)) == nil)
    for _ in 0..<2 {
      #expect(try value(for: one) == "1000")
      #expect(try value(for: another) == "2000")
      let folder = daemon.folder
      #expect(daemon.stop() == 0)
      daemon = try DaemonProcess(Self.simulation, in: folder)
    }
  }

  @Test func `a damaged file is set aside and told of, and everything has its default`() throws {
    let folder = try TemporaryFolder()
    let damaged = String(repeating: "no database\n", count: 500)
    try folder.write(damaged, to: "bearingd.preferences")
    let daemon = try DaemonProcess(Self.simulation, in: folder)
    let peer = try daemon.connect()
    #expect(try preferences(peer.call("\(Self.interface).List")).values.allSatisfy(\.isDefault))
    let set = try preference(
      peer.call("\(Self.interface).Set", ["key": "display.units", "value": "\"nautical\""]))
    #expect(set.value == "\"nautical\"")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let aside = try #require(names.first { $0.hasPrefix("bearingd.preferences.damaged-") })
    #expect(daemon.log.contains("the damaged file is now \(folder.path)/\(aside)"))
    #expect(try String(contentsOfFile: "\(folder.path)/\(aside)", encoding: .utf8) == damaged)
  }

  @Test(.enabled(if: OtherUser.isPossible))
  func `one user's many changes hold up another's by no more than two`() throws {
    let daemon = try DaemonProcess(Self.simulation)
    let many = try OtherUser.connect(to: daemon.socket, uid: 65534, count: 32)
    let one = try DaemonClient(daemon.socket)
    let others = try (0..<2).map { _ in try DaemonClient(daemon.socket) }
    func value(_ number: Int) -> JSON {
      ["key": "location.minInterval", "value": .string("\(number)")]
    }
    _ = try one.call("\(Self.interface).Set", value(0))
    // The file itself says in which order it was written.
    let file = try Database(path: daemon.folder.path + "/bearingd.preferences", mode: .readWrite)
    try file.execute(
      """
      CREATE TABLE written (key TEXT);
      CREATE TRIGGER one AFTER INSERT ON preferences BEGIN INSERT INTO written VALUES (new.key); END;
      CREATE TRIGGER two AFTER UPDATE ON preferences BEGIN INSERT INTO written VALUES (new.key); END;
      """)
    // The daemon waits for the file for ten seconds: where those are over, another try.
    for _ in 0..<10 {
      try file.execute("DELETE FROM written; BEGIN IMMEDIATE")
      for (number, client) in many.enumerated() {
        try client.send("\(Self.interface).Set", value(number))
      }
      // When the first is answered the loop has noted all that came before; when the second is, which
      // is asked only then, all of that had its turn. On one connection both could have one turn.
      for other in others { _ = try other.call("\(Self.interface).List") }
      try one.send("\(Self.interface).Set", value(1))
      for other in others { _ = try other.call("\(Self.interface).List") }
      try file.execute("COMMIT")
      let answers = try (many + [one]).map { try $0.next() }
      if answers.contains(where: { $0.error == "\(Self.interface).StorageFailed" }) { continue }
      #expect(answers.allSatisfy { $0.error == nil })
      let order = try file.prepare("SELECT key FROM written ORDER BY rowid").all { row in
        row.text(0) ?? ""
      }
      #expect(order.count == 33)
      // Behind the one that was under way, and one whose turn came first.
      #expect(order.prefix(3).contains("\(getuid())/location.minInterval"), "\(order)")
      return
    }
    Issue.record("the file was never let go in time")
  }

  @Test func `what a reload fixes and frees is told at once`() throws {
    let daemon = try DaemonProcess(Self.simulation)
    let peer = try daemon.connect()
    try peer.stream("\(Self.interface).Subscribe")
    #expect(try preferences(peer.next()).count == 6)
    for (line, isForced, value) in [
      ("display.units=nautical", true, "nautical"), ("", false, "metric"),
    ] {
      try daemon.folder.write("\(Self.simulation)[Preferences]\n\(line)\n", to: "bearingd.conf")
      daemon.send(SIGHUP)
      let news = try preferences(peer.next())
      #expect(news.keys.sorted() == ["display.units"])
      #expect(news["display.units"]?.forced == isForced)
      #expect(news["display.units"]?.value == "\"\(value)\"")
    }
  }

  @Test func `what gpsctl watches is written as is preferred now`() throws {
    let daemon = try DaemonProcess(Self.simulation)
    let setter = try daemon.connect()
    let child = try ChildProcess(
      ProgramRun.path(of: "gpsctl"), ["watch"], environment: ["BEARING_SOCKET": daemon.socket])
    let wanted = child.kill(after: 60)
    var text = ""
    for (format, place) in [
      ("decimal", #/\d, 7\.\d/#), ("maidenhead", #/ JN36rw/#), ("dms", #/″E /#),
    ] {
      _ = try setter.call(
        "\(Self.interface).Set", ["key": "display.coordinates", "value": .string("\"\(format)\"")])
      while !text.contains(place) {
        let data = child.output.availableData
        try #require(!data.isEmpty, "\(text)")
        text += String(decoding: data, as: UTF8.self)
      }
      text = ""
    }
    child.send(SIGTERM)
    child.wait()
    wanted()
  }

  @Test func `gpsctl sets, shows, exports and imports them, and writes as they say`() throws {
    let daemon = try DaemonProcess(Self.simulation)
    func gpsctl(_ arguments: String...) throws -> ProgramRun {
      try ProgramRun.run(
        ProgramRun.path(of: "gpsctl"), arguments, environment: ["BEARING_SOCKET": daemon.socket])
    }
    let set = try gpsctl("prefs", "set", "location.minInterval", "5s")
    #expect(set.output == "location.minInterval = 5000 ms  (set)\n" && set.status == 0)
    _ = try gpsctl("prefs", "set", "display.coordinates", "utm")
    let list = try gpsctl("prefs", "list")
    #expect(list.status == 0)
    for name in PreferenceName.allCases { #expect(list.output.contains(name.rawValue)) }
    #expect(list.lines.contains { $0.contains("location.minInterval") && $0.contains("5000") })
    #expect(try gpsctl("prefs", "get", "display.coordinates").output == "utm\n")
    #expect(try gpsctl("fix").lines.first?.contains(#/^\d+[C-X] /#) == true)
    #expect(try gpsctl("fix", "--coordinates", "decimal").lines.first?.contains(", ") == true)
    let exported = try gpsctl("prefs", "export").output
    #expect(
      try JSON(parsing: Array(exported.utf8))
        == ["location.minInterval": 5000, "display.coordinates": "utm"])
    let wrong = try gpsctl("prefs", "set", "display.unit", "metric")
    #expect(wrong.status == 2 && wrong.errors.contains("display.units"))
    _ = try gpsctl("prefs", "reset", "location.minInterval")
    _ = try gpsctl("prefs", "set", "display.coordinates", "dms")
    let folder = try TemporaryFolder()
    let file = try folder.write(exported, to: "prefs.json")
    #expect(try gpsctl("prefs", "import", file).lines.count == 2)
    #expect(try gpsctl("prefs", "export").output == exported)
    let damaged = try folder.write("[1]", to: "damaged.json")
    #expect(try gpsctl("prefs", "import", damaged).status == 1)
    let lines = try ProgramRun.firstLines(
      6, of: ProgramRun.path(of: "gpsctl"), ["prefs", "watch"],
      environment: ["BEARING_SOCKET": daemon.socket])
    #expect(lines.contains("location.minInterval = 5000 ms  (set)"))
  }
}
