import BearingModel
import Foundation
import TestSupport
import Testing
import Varlink

/// Who may have the ring of samples, what becomes of it when that changes, and what nobody can do.
@Suite(.enabled(if: OtherUser.isPossible, "needs root"))
struct RingAccessTests {
  private static let (one, two): (UInt32, UInt32) = (54_341, 54_342)
  private static let denied = "io.bearing.accelerometer.AccessDenied"
  private static let both = "User.54341=precise\nUser.54342=precise\n"

  private static func connect(_ daemon: DaemonProcess, _ user: UInt32) throws -> DaemonClient {
    try OtherUser.connect(to: daemon.socket, uid: user)[0]
  }

  private static func reload(_ daemon: DaemonProcess, _ rules: String) throws {
    try daemon.folder.write(
      "[Location]\nSource=none\n[Accelerometer]\nSource=simulation\n[Access]\n" + rules,
      to: "bearingd.conf")
    daemon.send(SIGHUP)
  }

  @Test(arguments: [
    ("User.54341=denied\n", "denies it acceleration"),
    ("", "know acceleration"),
    ("User.54341=approximate\n", "50 samples of acceleration a second"),
    ("Motion=samples\n", "50 samples of acceleration a second"),
  ]) func `only who may know all has it, and others hear what would let them`(
    rules: String, reason: String
  ) throws {
    let daemon = try RingTests.simulation("[Access]\n" + rules)
    let client = try Self.connect(daemon, Self.one)
    let reply = try client.call(RingTests.openRing)
    #expect(reply.error == Self.denied && client.descriptors.isEmpty)
    #expect(reply.parameters["reason"]?.string?.contains(reason) == true, "\(reply.json)")
    let remedy = reply.parameters["remedy"]?.string
    #expect(remedy?.contains("User.\(Self.one)=precise") == true, "\(reply.json)")
  }

  @Test func `when one reader's access is taken away the others get another ring at once`() throws {
    let daemon = try RingTests.simulation("[Access]\n" + Self.both)
    let (staying, leaving) = (
      try Self.connect(daemon, Self.one), try Self.connect(daemon, Self.two)
    )
    let rings = (try RingView(staying, ["rate": 50]), try RingView(leaving, ["rate": 20]))
    #expect(rings.0.inode == rings.1.inode)
    #expect(daemon.waitUntil { rings.0.head > 3 })
    try Self.reload(daemon, "User.54341=precise\nUser.54342=approximate\n")
    #expect(daemon.waitUntil { rings.1.ended != 0 })
    #expect(rings.0.ended == RingEnd.replaced.rawValue)
    let head = rings.1.head
    let next = try RingView(staying, ["rate": 50])
    #expect(next.generation == 2 && next.inode != rings.0.inode && next.ended == 0)
    #expect(daemon.waitUntil { next.head > 3 })
    // What was sampled while the reader asked is in the new one.
    #expect(next.sample(0).sequence == rings.0.sample(head - 1).sequence + 1)
    #expect(rings.1.head == head, "nothing more for who may not know it")
    #expect(try leaving.call(RingTests.openRing).error == Self.denied)
    let devices = try staying.call("io.bearing.daemon.GetStatus").parameters["devices"]?.array
    #expect(devices?.first { $0["kind"] == "acceleration" }?["subscribers"] == 1)
  }

  @Test func `who left and kept the memory cannot read on when its access is taken away`() throws {
    let daemon = try RingTests.simulation("[Access]\n" + Self.both)
    let reader = try RingView(try Self.connect(daemon, Self.one), ["rate": 50])
    let client = try Self.connect(daemon, Self.two)
    let kept = try RingView(client, ["rate": 20])
    client.close()
    #expect(daemon.waitUntil { reader.head > 3 })
    #expect(kept.head > 0, "it is the memory that all have")
    try Self.reload(daemon, "User.54341=precise\n")
    #expect(daemon.waitUntil { kept.ended == RingEnd.replaced.rawValue })
  }

  @Test func `rules that take nothing from a reader leave the ring as it is`() throws {
    let daemon = try RingTests.simulation("[Access]\n" + Self.both)
    let client = try Self.connect(daemon, Self.one)
    let ring = try RingView(client, ["rate": 50])
    let other = try Self.connect(daemon, Self.two)
    try Self.reload(daemon, "User.54341=precise\n")
    // The other user's access shows that the rules are in force, by a call that gives it no ring.
    #expect(
      try daemon.waitUntil { try other.call(AccelerometerTests.sample).error == Self.denied })
    let head = ring.head
    #expect(daemon.waitUntil { ring.head > head })
    #expect(ring.ended == 0 && ring.generation == 1)
  }

  @Test func `a client that an administrator disconnects reads nothing more`() throws {
    let daemon = try RingTests.simulation("[Access]\n" + Self.both)
    let (first, second) = (try Self.connect(daemon, Self.one), try Self.connect(daemon, Self.two))
    let rings = (try RingView(first, ["rate": 50]), try RingView(second, ["rate": 50]))
    let root = try DaemonClient(daemon.socket)
    func identifier(of user: UInt32) throws -> JSON {
      let clients = try root.call("io.bearing.daemon.ListClients").parameters["clients"]?.array
      return try #require(clients?.first { $0["uid"]?.integer == Int64(user) }?["identifier"])
    }
    let disconnect = "io.bearing.daemon.Disconnect"
    // Nobody can do that to the others by disconnecting itself.
    let own = try identifier(of: Self.one)
    let helper = try Self.connect(daemon, Self.one)
    #expect(try helper.call(disconnect, ["client": own]).error == nil)
    #expect(try first.nextOrEnd() == nil)
    let head = rings.1.head
    #expect(daemon.waitUntil { rings.1.head > head })
    #expect(rings.1.ended == 0)
    #expect(try root.call(disconnect, ["client": identifier(of: Self.two)]).error == nil)
    #expect(daemon.waitUntil { rings.1.ended == RingEnd.replaced.rawValue })
  }

  @Test func `a held ring counts as one of the user's streams`() throws {
    let daemon = try RingTests.simulation(
      "[Access]\n" + Self.both + "[Limits]\nStreamsPerUser=2\n")
    let clients = try OtherUser.connect(to: daemon.socket, uid: Self.one, count: 4)
    var rings = [try RingView(clients[0]), try RingView(clients[1])]
    let refused = try clients[2].call(RingTests.openRing)
    #expect(refused.error == "io.bearing.accelerometer.QuotaExceeded")
    #expect(refused.parameters == ["resource": "streams", "limit": 2])
    let stream = try clients[3].open("io.bearing.accelerometer.SubscribeOrientation")
    #expect(stream.error == "io.bearing.accelerometer.QuotaExceeded")
    #expect(clients[2].descriptors.isEmpty)
    // Another call on a connection that holds it is no other one.
    for _ in 0..<3 { rings.append(try RingView(clients[0], ["rate": 20])) }
    // Others have their own.
    rings.append(try RingView(try Self.connect(daemon, Self.two)))
    clients[1].close()
    #expect(
      try daemon.waitUntil { try clients[2].call(RingTests.openRing).error == nil })
    #expect(rings.allSatisfy { $0.ended == 0 })
  }

  /// What a client reads back of its attempts.
  private struct Attempts: Decodable {
    var control: [String]
    var worked: [String]
    var refused: Int
    var mode: String
    var opened: [String]
    var same: Bool
  }

  @Test(arguments: [
    ("a user", ["/usr/bin/setpriv", "--reuid=54341", "--clear-groups"]), ("root", []),
  ])
  func `nobody can change the ring`(who: String, prefix: [String]) throws {
    let daemon = try RingTests.simulation("[Access]\n" + Self.both)
    let victim = try RingView(try Self.connect(daemon, Self.two), ["rate": 100])
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "Peers/ring_attacks.py")
    let text = try String(contentsOf: script, encoding: .utf8)
    let words = prefix + ["/usr/bin/python3", "-c", text, daemon.socket]
    let run = try ProgramRun.run(words[0], Array(words.dropFirst()))
    let attempts = try JSON(parsing: Array(run.output.utf8)).decode(Attempts.self)
    #expect(attempts.control == [], "each attempt works on other memory")
    #expect(attempts.worked == [] && attempts.same, "\(run)")
    let isRoot = prefix.isEmpty
    // Root may open anything, and can do no more with it.
    #expect(attempts.opened.contains("reopened") == isRoot)
    #expect(
      attempts.refused == 12 * attempts.opened.count && attempts.opened.count == (isRoot ? 3 : 1))
    #expect(attempts.mode == (isRoot ? "its mode can be set" : "its mode stays"))
    let head = victim.head
    #expect(daemon.waitUntil { victim.head > head })
    #expect(victim.ended == 0 && victim.generation == 1)
  }
}
