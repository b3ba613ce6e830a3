import Foundation
import TestSupport
import Testing
import Varlink

/// Who may see what, with connections that the kernel says are other users'.
@Suite(.enabled(if: OtherUser.isPossible, "needs root"))
struct AccessTests {
  private static let sources =
    "[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n[Access]\n"
  private static let rules = """
    User.50001=precise
    User.50002=denied
    Group.60001=precise
    Group.60002=denied
    Group.60003=precise

    """

  /// A user with its groups, and whether it may know the position by the rules.
  struct Case: Sendable, CustomTestStringConvertible {
    var uid: UInt32
    var groups: [UInt32] = []
    var isAllowed: Bool
    var why: String
    var testDescription: String { why }
  }

  @Test(arguments: [
    Case(uid: 0, isAllowed: true, why: "root"),
    Case(uid: 50001, isAllowed: true, why: "a rule for the user"),
    Case(uid: 50001, groups: [60002], isAllowed: true, why: "the user's rule before the group's"),
    Case(uid: 50002, groups: [60001], isAllowed: false, why: "also when it denies"),
    Case(uid: 50003, isAllowed: false, why: "no rule"),
    Case(uid: 50003, groups: [60001], isAllowed: true, why: "a rule for a group"),
    Case(uid: 50003, groups: [1, 2, 3, 60001], isAllowed: true, why: "one of many groups"),
    Case(uid: 50003, groups: [60003, 60002], isAllowed: false, why: "the first group's rule"),
    Case(uid: 60001, isAllowed: true, why: "the primary group counts"),
  ])
  func theFirstRuleThatMatchesCounts(user: Case) throws {
    let daemon = try DaemonProcess(Self.sources + Self.rules)
    let client = try OtherUser.connect(to: daemon.socket, uid: user.uid, groups: user.groups)[0]
    for (method, more) in [
      ("location.GetLastKnown", false), ("location.GetSky", false), ("location.GetFix", false),
      ("accelerometer.GetSample", false), ("location.Subscribe", true),
    ] {
      try client.send("io.bearing.\(method)", more: more)
      let reply = try client.next()
      if user.isAllowed {
        #expect(reply.error == nil)
      } else {
        #expect(reply.error?.hasSuffix(".AccessDenied") == true)
        #expect(reply.parameters["reason"]?.string?.contains("50") == true)
        #expect(reply.parameters["remedy"]?.string?.contains("User.\(user.uid)=precise") == true)
      }
    }
  }

  @Test(arguments: [
    Case(uid: 50002, isAllowed: false, why: "denied by a rule of its own"),
    Case(uid: 50003, groups: [60002], isAllowed: false, why: "denied by a rule for its group"),
    Case(uid: 50003, isAllowed: false, why: "without any rule"),
  ])
  func theCommandInARefusalGrantsWhatWasRefused(user: Case) throws {
    let daemon = try DaemonProcess(Self.sources + Self.rules)
    let client = try OtherUser.connect(to: daemon.socket, uid: user.uid, groups: user.groups)[0]
    let refusal = try client.call("io.bearing.location.GetFix")
    #expect(refusal.error == "io.bearing.location.AccessDenied")
    let command = try #require(refusal.parameters["remedy"]?.string)
    // These tests are root's already, and where they run there may be no sudo.
    let run = try ProgramRun.run("/bin/sh", ["-c", "sudo() { \"$@\"; }; \(command)"])
    #expect(run.status == 0, "\(command): \(run.errors)")
    #expect(
      try daemon.waitUntil {
        try client.call("io.bearing.location.GetLastKnown").error == nil
      })
  }

  @Test func everybodyMayAskForStatusAndOrientation() throws {
    let daemon = try DaemonProcess(Self.sources)
    func connect() throws -> DaemonClient {
      try OtherUser.connect(to: daemon.socket, uid: 50009)[0]
    }
    let client = try connect()
    #expect(try client.call("io.bearing.daemon.GetStatus").error == nil)
    #expect(try client.call("io.bearing.accelerometer.ListSensors").error == nil)
    #expect(try client.call("org.varlink.service.GetInfo").error == nil)
    let orientation = try connect().open("io.bearing.accelerometer.SubscribeOrientation")
    #expect(orientation.parameters["orientation"] != nil)
    #expect(try connect().open("io.bearing.daemon.SubscribeStatus").continues)
    #expect(
      try client.call("io.bearing.daemon.GetMetrics").error == "io.bearing.daemon.AccessDenied")
    // A status holds no position.
    let status = try client.call("io.bearing.daemon.GetStatus")
    #expect(!"\(status.json)".contains("46.9"))
  }

  @Test(arguments: [
    ("denied", false, false), ("orientation", true, false), ("samples", true, true),
  ])
  func theRuleForMotionIsOfItsOwn(motion: String, orientation: Bool, samples: Bool) throws {
    let daemon = try DaemonProcess(Self.sources + "Motion=\(motion)\n")
    let clients = try OtherUser.connect(to: daemon.socket, uid: 50009, count: 2)
    let denied = "io.bearing.accelerometer.AccessDenied"
    #expect(
      (try clients[0].open("io.bearing.accelerometer.SubscribeOrientation").error == nil)
        == orientation)
    let sample = try clients[1].call("io.bearing.accelerometer.GetSample")
    #expect(sample.error == (samples ? nil : denied))
    #expect(
      try clients[1].call("io.bearing.location.GetLastKnown").error
        == "io.bearing.location.AccessDenied")
  }

  @Test func theDaemonsOwnUserMayKnowAll() throws {
    let daemon = try DaemonProcess(
      Self.sources,
      wrapper: ["/usr/bin/setpriv", "--reuid=50010", "--regid=50010", "--clear-groups"])
    let own = try OtherUser.connect(to: daemon.socket, uid: 50010)[0]
    #expect(try own.call("io.bearing.location.GetLastKnown").error == nil)
    let other = try OtherUser.connect(to: daemon.socket, uid: 50011)[0]
    #expect(
      try other.call("io.bearing.location.GetLastKnown").error == "io.bearing.location.AccessDenied"
    )
  }

  @Test func aUserSeesItsOwnClientsAndRootAll() throws {
    let daemon = try DaemonProcess(Self.sources)
    let first = try OtherUser.connect(to: daemon.socket, uid: 50001, count: 3)
    let second = try OtherUser.connect(to: daemon.socket, uid: 50002, count: 2)
    let root = try DaemonClient(daemon.socket)
    func clients(_ client: DaemonClient) throws -> [JSON] {
      try client.call("io.bearing.daemon.ListClients").parameters["clients"]?.array ?? []
    }
    #expect(try clients(first[0]).map { $0["uid"] } == [50001, 50001, 50001])
    #expect(try clients(second[0]).map { $0["uid"] } == [50002, 50002])
    #expect(try clients(root).count == 6)
    #expect(try clients(second[0]).allSatisfy { $0["precision"] == "denied" })
    let foreign = try #require(try clients(first[0]).first?["identifier"])
    let refusal = try second[0].call("io.bearing.daemon.Explain", ["client": foreign])
    #expect(refusal.error == "io.bearing.daemon.ClientNotFound")
  }

  /// Whether a program may be given another file of groups here.
  private static let canMount =
    (try? ProgramRun.run("/usr/bin/unshare", ["--mount", "true"]))?.status == 0

  @Test(
    .enabled(if: canMount),
    arguments: [
      (60901, "precise", false), (60902, "approximate", false), (60903, "denied", true),
    ] as [(UInt32, JSON, Bool)])
  func theSystemsGroupsSayWhoMayWhat(group: UInt32, precision: JSON, isAdministrator: Bool) throws {
    let folder = try TemporaryFolder()
    let groups = try folder.write(
      "bearing:x:60901:\nbearing-approximate:x:60902:\nbearing-admin:x:60903:\n", to: "group")
    let daemon = try DaemonProcess(
      Self.sources,
      wrapper: [
        "/usr/bin/unshare", "--mount", "sh", "-euc",
        "mount --bind '\(groups)' /etc/group; exec \"$@\"", "sh",
      ])
    let root = try DaemonClient(daemon.socket)
    _ = try root.call("io.bearing.daemon.GetStatus")
    let client = try OtherUser.connect(to: daemon.socket, uid: 50004, groups: [group])[0]
    let clients = try client.call("io.bearing.daemon.ListClients").parameters["clients"]?.array
    #expect(clients?.count == (isAdministrator ? 2 : 1))
    #expect(clients?.first { $0["uid"] == 50004 }?["precision"] == precision)
    let metrics = try client.call("io.bearing.daemon.GetMetrics")
    let set = try client.call(
      "io.bearing.preferences.Set",
      ["key": "display.units", "value": "\"nautical\"", "scope": "machine"])
    if isAdministrator {
      #expect(metrics.error == nil && set.error == nil)
    } else {
      #expect(metrics.error == "io.bearing.daemon.AccessDenied")
      #expect(set.error == "io.bearing.preferences.AccessDenied")
    }
  }

  @Test func aChangedRuleCountsAtOnceAlsoForOpenStreams() throws {
    let daemon = try DaemonProcess(Self.sources + "User.50001=precise\n")
    let clients = try OtherUser.connect(to: daemon.socket, uid: 50001, count: 2)
    #expect(try clients[0].open("io.bearing.location.Subscribe", ["heartbeat": 100]).error == nil)
    #expect(try clients[1].open("io.bearing.daemon.SubscribeStatus").error == nil)
    try daemon.folder.write(Self.sources + "User.50001=denied\n", to: "bearingd.conf")
    daemon.send(SIGHUP)
    let end = try clients[0].next { !$0.continues }
    #expect(end.error == "io.bearing.location.AccessDenied")
    // The connection goes on, and so does a stream that everybody may have.
    #expect(try clients[0].call("io.bearing.daemon.GetStatus").error == nil)
    #expect(
      try clients[0].call("io.bearing.location.GetLastKnown").error
        == "io.bearing.location.AccessDenied")
    try daemon.folder.write(Self.sources + "User.50001=precise\n", to: "bearingd.conf")
    daemon.send(SIGHUP)
    #expect(
      try daemon.waitUntil {
        try clients[0].call("io.bearing.location.GetLastKnown").error == nil
      })
    clients[0].close()
    #expect(try clients[1].next { $0.parameters["clients"] == 1 }.continues)
  }
}
