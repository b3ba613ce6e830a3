import Foundation
import TestSupport
import Testing
import Varlink

/// Three users at one daemon: one may know all, one roughly, one nothing; and the rules change.
@Suite(.enabled(if: OtherUser.isPossible, "needs root"))
struct PrecisionTests {
  private static let (precise, approximate, denied): (UInt32, UInt32, UInt32) = (
    54_331, 54_332, 54_333
  )
  private static let location = "io.bearing.location"

  private static func configuration(
    _ rules: String = "User.54331=precise\nUser.54332=approximate\nUser.54333=denied\n"
  ) -> String {
    "[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n"
      + "[Access]\nApproximateInterval=1s\n" + rules
  }

  private static func reload(_ daemon: DaemonProcess, _ rules: String) throws {
    try daemon.folder.write(configuration(rules), to: "bearingd.conf")
    daemon.send(SIGHUP)
  }

  private static func isLive(_ message: DaemonClient.Message) -> Bool {
    message.parameters["state"] == "live" && message.parameters["fix"] != nil
  }

  private static let withheld = [
    "altitude", "ellipsoidalAltitude", "speed", "course", "climb", "timestamp", "receiver",
    "dimensions", "quality", "verticalAccuracy", "speedAccuracy", "courseAccuracy",
  ]

  @Test func `each of three users gets what its rule says`() throws {
    let daemon = try DaemonProcess(Self.configuration())
    let one = try OtherUser.connect(to: daemon.socket, uid: Self.precise)[0]
    _ = try one.open("\(Self.location).Subscribe")
    let exact = try #require(try one.next(where: Self.isLive).parameters["fix"])
    #expect(exact["altitude"] != nil && exact["accuracyBasis"] == "receiver")

    let two = try OtherUser.connect(to: daemon.socket, uid: Self.approximate)[0]
    _ = try two.open("\(Self.location).Subscribe")
    let first = try #require(try two.next(where: Self.isLive).parameters["fix"])
    for name in Self.withheld { #expect(first[name] == nil, "\(name)") }
    #expect(first["accuracyBasis"] == "grid" && first["sequence"] == 1)
    #expect(first["timestampTrusted"] == false)
    let radius = try #require(first["horizontalAccuracy"]?.number)
    #expect((1414...1700).contains(radius), "half the diagonal of a cell of about 2 km")
    // A vehicle that drives 600 m is in one cell, or at most passes into the next: the place is
    // the cell's, whatever the true one is.
    let second = try #require(try two.next(where: Self.isLive).parameters["fix"])
    #expect(second["sequence"] == 2)

    let three = try OtherUser.connect(to: daemon.socket, uid: Self.denied)[0]
    for method in ["Subscribe", "GetFix", "GetLastKnown", "GetSky"] {
      let answer =
        method == "Subscribe"
        ? try three.open("\(Self.location).\(method)")
        : try three.call("\(Self.location).\(method)")
      #expect(answer.error == "\(Self.location).AccessDenied")
      #expect(answer.parameters["remedy"]?.string?.contains("User.54333=precise") == true)
    }
    #expect(try three.call("io.bearing.regions.List").error == "io.bearing.regions.AccessDenied")
    #expect(
      try three.call("io.bearing.accelerometer.GetSample").error
        == "io.bearing.accelerometer.AccessDenied")
    #expect(try three.open("io.bearing.accelerometer.SubscribeOrientation").error == nil)
  }

  @Test func `who may know roughly has one place in streams and calls, of one tick`() throws {
    let daemon = try DaemonProcess(Self.configuration())
    let clients = try OtherUser.connect(to: daemon.socket, uid: Self.approximate, count: 3)
    _ = try clients[0].open("\(Self.location).Subscribe")
    _ = try clients[0].next(where: Self.isLive)
    // 1500 m: the cell's radius is told, never the receiver's 2.5 m.
    let tooExact = try clients[1].call(
      "\(Self.location).GetFix", ["accuracy": 100, "timeout": 1500, "maxAge": 60_000])
    #expect(tooExact.error == "\(Self.location).Timeout")
    let rough = try clients[1].call(
      "\(Self.location).GetFix", ["accuracy": 2000, "maxAge": 60_000])
    let known = try clients[2].call("\(Self.location).GetLastKnown")
    for reply in [rough, known] {
      let fix = try #require(reply.parameters["fix"])
      #expect(fix["accuracyBasis"] == "grid" && fix["sequence"] == 1 && fix["altitude"] == nil)
    }
    // However often it is asked: never two places, or two times, between ticks.
    var ticks: [Int64: JSON] = [:]
    for _ in 0..<200 {
      let fix = try #require(
        try clients[2].call("\(Self.location).GetLastKnown").parameters["fix"])
      let tick = try #require(fix["bootTimestamp"]?.integer)
      #expect(ticks[tick] == nil || ticks[tick] == fix)
      ticks[tick] = fix
    }
    while ticks.count < 3 {
      let fix = try #require(try clients[0].next(where: Self.isLive).parameters["fix"])
      let same = Self.replacing("sequence", with: 1, in: fix)
      let tick = try #require(fix["bootTimestamp"]?.integer)
      #expect(ticks[tick] == nil || ticks[tick] == same)
      ticks[tick] = same
    }
    let steps = ticks.keys.sorted()
    #expect(zip(steps, steps.dropFirst()).allSatisfy { ($1 - $0) % 1_000_000 == 0 })
  }

  @Test func `what waits for a slow reader is taken back when it may know only roughly`() throws {
    let gpsd = try GpsdFake()
    func configuration(_ precision: String) -> String {
      gpsd.configuration + "[Access]\nUser.54331=\(precision)\n"
    }
    let daemon = try DaemonProcess(configuration("precise"))
    let reader = try OtherUser.connect(to: daemon.socket, uid: Self.precise)[0]
    let watcher = try DaemonClient(daemon.socket)
    let asker = try DaemonClient(daemon.socket)
    _ = try reader.open("\(Self.location).Subscribe")
    _ = try watcher.open("\(Self.location).Subscribe")
    func status() throws -> JSON? {
      try asker.call("io.bearing.daemon.ListClients").parameters["clients"]?.array?.first {
        $0["uid"] == .int(Int64(Self.precise))
      }
    }
    let receiver = try gpsd.acceptDaemon()
    var step = 0
    while try status()?["queuedBytes"] == 0 {
      try #require(step < 3000)
      step += 1
      receiver.sendFix(step: step)
      _ = try watcher.next { $0.parameters["fix"] != nil }
    }
    try daemon.folder.write(configuration("approximate"), to: "bearingd.conf")
    daemon.send(SIGHUP)
    #expect(try daemon.waitUntil { try status()?["precision"] == "approximate" })
    var latitudes: [Double] = []
    let told = try reader.next { reply in
      let fix = reply.parameters["fix"]
      latitudes += [fix?["latitude"]?.number].compactMap(\.self)
      return reply.parameters["state"] == "lost" || fix?["accuracyBasis"] == "grid"
    }
    #expect(told.parameters["dropped"]?.integer ?? 0 > 0)
    #expect(latitudes.count > 10)
    #expect(!latitudes.contains { abs($0 - fakeLatitude(step: step)) < 1e-7 })
  }

  private static func replacing(_ name: String, with value: JSON, in object: JSON) -> JSON {
    var members = object.object ?? [:]
    members[name] = value
    return .object(members)
  }

  /// A filter, what it asks for, and what an explanation says that the rough place has.
  @Test(
    arguments: [
      ("distanceFilter", 1, 0...0), ("maximumAccuracy", 100, 1414...1700),
      ("minInterval", 3_600_000, 900...3_600_000),
    ] as [(String, JSON, ClosedRange<Double>)])
  func `filters work on the rough place, and are explained to its own user alone`(
    filter: String, asked: JSON, values: ClosedRange<Double>
  ) throws {
    let daemon = try DaemonProcess(Self.configuration())
    let clients = try OtherUser.connect(to: daemon.socket, uid: Self.approximate, count: 2)
    _ = try clients[0].open(
      "\(Self.location).Subscribe", [filter: asked, "heartbeat": 300])
    let own = try #require(
      try clients[1].call("io.bearing.daemon.ListClients").parameters["clients"]?.array)
    #expect(own.count == 2 && own.allSatisfy { $0["precision"] == "approximate" })
    let number = try #require(own.first { $0["stream"] != nil }?["identifier"])
    var held: [JSON] = []
    while held.isEmpty {
      _ = try clients[0].next()
      let answer = try clients[1].call("io.bearing.daemon.Explain", ["client": number])
      held = (answer.parameters["decisions"]?.array ?? []).filter { $0["passed"] == false }
    }
    // The vehicle has moved by more than a metre, and its cell has not; the receiver's accuracy is
    // 2.5 m, and a cell's is not.
    #expect(held.allSatisfy { $0["filter"]?.string == filter })
    #expect(held.allSatisfy { $0["value"]?.number.map { values.contains($0) } == true }, "\(held)")
    let members: Set<String> = ["sequence", "filter", "passed", "value", "limit"]
    #expect(held.allSatisfy { members.isSuperset(of: ($0.object ?? [:]).keys) })
    let other = try OtherUser.connect(to: daemon.socket, uid: Self.precise)[0]
    for method in ["Explain", "Disconnect"] {
      #expect(
        try other.call("io.bearing.daemon.\(method)", ["client": number]).error
          == "io.bearing.daemon.ClientNotFound")
    }
    #expect(
      try other.call("io.bearing.daemon.ListClients").parameters["clients"]?.array?.count == 1)
  }

  @Test func `a change of rule acts on open streams and on calls that wait`() throws {
    let daemon = try DaemonProcess(Self.configuration("User.54331=precise\n"))
    let clients = try OtherUser.connect(to: daemon.socket, uid: Self.precise, count: 5)
    let (fixes, samples, call, regions, sky) = (
      clients[0], clients[1], clients[2], clients[3], clients[4]
    )
    _ = try fixes.open("\(Self.location).Subscribe")
    _ = try fixes.next(where: Self.isLive)
    _ = try samples.open("io.bearing.accelerometer.Subscribe", ["rate": 100])
    _ = try samples.next { $0.parameters["actualRate"]?.number == 100 }
    _ = try regions.open("io.bearing.regions.Subscribe")
    _ = try sky.open("\(Self.location).SubscribeSky")
    try call.send("\(Self.location).GetFix", ["accuracy": 0.001, "timeout": 600_000])

    try Self.reload(daemon, "User.54331=approximate\n")
    let rough = try fixes.next {
      $0.parameters["fix"] != nil && $0.parameters["fix"]?["accuracyBasis"] == "grid"
    }
    #expect(rough.parameters["fix"]?["altitude"] == nil)
    _ = try samples.next { $0.parameters["actualRate"]?.number == 50 }
    let ends = [(regions, "io.bearing.regions"), (sky, Self.location)]
    for (client, interface) in ends {
      #expect(try client.next { $0.error != nil }.error == "\(interface).AccessDenied")
    }

    try Self.reload(daemon, "User.54331=denied\n")
    for (client, interface) in [
      (fixes, Self.location), (samples, "io.bearing.accelerometer"), (call, Self.location),
    ] {
      #expect(try client.next { $0.error != nil }.error == "\(interface).AccessDenied")
      #expect(try client.call("org.varlink.service.GetInfo").error == nil, "it is still connected")
    }

    try Self.reload(daemon, "User.54331=precise\n")
    #expect(
      try daemon.waitUntil {
        try fixes.call("\(Self.location).GetFix").parameters["fix"]?["altitude"] != nil
      })
  }

  @Test func `regions of a user who may not know the place sleep, and wake up again`() throws {
    let daemon = try DaemonProcess(Self.configuration("User.54331=precise\n"))
    func owner() throws -> DaemonClient {
      try OtherUser.connect(to: daemon.socket, uid: Self.precise)[0]
    }
    let status = try DaemonClient(daemon.socket)
    func listeners() throws -> JSON? {
      let devices = try status.call("io.bearing.daemon.GetStatus").parameters["devices"]?.array
      return devices?.first { $0["kind"] == "location" }?["subscribers"]
    }
    let here: JSON = [
      "identifier": "here", "latitude": 46.948, "longitude": 7.4474, "radius": 5000,
    ]
    #expect(try owner().call("io.bearing.regions.Add", here).error == nil)
    let reader = try owner()
    _ = try reader.open("io.bearing.regions.Subscribe", ["since": 0])
    let entered = try reader.next { $0.parameters["events"]?.array?.isEmpty == false }
    #expect(entered.parameters["events"]?.array?[0]["kind"] == "enter")
    #expect(try listeners() == 1, "the region")

    try Self.reload(daemon, "User.54331=denied\n")
    #expect(try reader.next { $0.error != nil }.error == "io.bearing.regions.AccessDenied")
    #expect(try daemon.waitUntil { try listeners() == 0 }, "nobody watches")
    #expect(
      try owner().open("io.bearing.regions.Subscribe", ["since": 0]).error
        == "io.bearing.regions.AccessDenied")

    try Self.reload(daemon, "User.54331=precise\n")
    #expect(try daemon.waitUntil { try listeners() == 1 }, "it is watched again")
    let again = try owner()
    _ = try again.open("io.bearing.regions.Subscribe", ["since": 1])
    let second = try again.next { $0.parameters["events"]?.array?.isEmpty == false }
    // What was in between is not known: it is found inside anew.
    #expect(second.parameters["events"]?.array?[0]["kind"] == "enter")
    #expect(second.parameters["events"]?.array?[0]["sequence"] == 2)
  }

  @Test func `one user's full quota is no other's`() throws {
    let daemon = try DaemonProcess(
      Self.configuration() + "[Limits]\nStreamsPerUser=2\nConnectionsPerUser=4\nRefusalTime=1min\n")
    let greedy = try OtherUser.connect(to: daemon.socket, uid: Self.precise, count: 5)
    for client in greedy[..<2] {
      #expect(try client.open("\(Self.location).Subscribe").error == nil)
    }
    #expect(
      try greedy[2].open("\(Self.location).Subscribe").error == "\(Self.location).QuotaExceeded")
    #expect(
      try greedy[4].call("org.varlink.service.GetInfo").error
        == "io.bearing.daemon.QuotaExceeded")
    let other = try OtherUser.connect(to: daemon.socket, uid: Self.approximate, count: 2)
    for client in other { #expect(try client.open("\(Self.location).Subscribe").error == nil) }
    _ = try other[0].next(where: Self.isLive)
  }

  @Test func `50 samples a second are what an approximate user has`() throws {
    let daemon = try DaemonProcess(Self.configuration())
    let fast = try OtherUser.connect(to: daemon.socket, uid: Self.precise)[0]
    _ = try fast.open("io.bearing.accelerometer.Subscribe", ["rate": 200])
    _ = try fast.next { $0.parameters["actualRate"] != nil }
    let clients = try OtherUser.connect(to: daemon.socket, uid: Self.approximate, count: 2)
    // The sensor runs already, so that the first reply says what the stream gets of it.
    let said = try clients[0].open("io.bearing.accelerometer.Subscribe", ["rate": 200])
    #expect(said.parameters["actualRate"]?.number == 50)
    // Samples asked for one by one are no way around it.
    var times: [Int64] = []
    for _ in 0..<12 {
      let sample = try clients[1].call("io.bearing.accelerometer.GetSample").parameters["sample"]
      times.append(try #require(sample?["bootTimestamp"]?.integer))
    }
    #expect(Set(times.map { $0 / 20_000 }).count == times.count)
  }

  @Test func `gpsctl shows who has what, explains a stream and ends it`() throws {
    let daemon = try DaemonProcess(Self.configuration())
    func gpsctl(_ arguments: String...) throws -> ProgramRun {
      try ProgramRun.run(
        ProgramRun.path(of: "gpsctl"), arguments, environment: ["BEARING_SOCKET": daemon.socket])
    }
    let client = try OtherUser.connect(to: daemon.socket, uid: Self.precise)[0]
    _ = try client.open("\(Self.location).Subscribe", ["minInterval": 3_600_000])
    _ = try client.next(where: Self.isLive)
    let table = try gpsctl("clients").lines
    let names = try #require(table.first).split(separator: " ").map(String.init)
    let line = try #require(table.first { $0.contains("location.Subscribe") })
    let cells = line.split(separator: " ").map(String.init)
    func cell(_ name: String) -> String? { names.firstIndex(of: name).map { cells[$0] } }
    #expect(cell("USER") == "54331" && cell("PRECISION") == "precise")
    #expect(cell("DELIVERED").flatMap { Int($0) }.map { $0 >= 1 } == true && cell("DROPPED") == "0")
    let number = cells[0]
    #expect(
      try daemon.waitUntil { try gpsctl("explain", number).output.contains(" held ") })
    let explained = try gpsctl("explain", number)
    #expect(
      explained.output.contains("minInterval")
        && explained.output.contains(/≥ 3(599\d\d\d|600000) ms/))
    #expect(!explained.output.contains("46.9"))
    #expect(try gpsctl("clients", "disconnect", number).status == 0)
    while try client.nextOrEnd() != nil {}
    let gone = try gpsctl("clients", "disconnect", number)
    #expect(gone.status == 1 && gone.errors.contains("there is no client \(number)"))
    #expect(try gpsctl("explain", "x").status == 2)
  }
}
