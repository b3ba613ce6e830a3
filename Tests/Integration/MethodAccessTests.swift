import Foundation
import TestSupport
import Testing
import Varlink

/// Every method of every interface, as those may call it who may not know all; and what a change of
/// groups does.
@Suite(.enabled(if: OtherUser.isPossible, "needs root"))
struct MethodAccessTests {
  private static let configuration =
    "[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n[Access]\n"

  /// Methods that answer everybody: of positions they tell nothing, and of clients and preferences the
  /// caller's own.
  private static let open: Set<String> = [
    "daemon.GetStatus", "daemon.SubscribeStatus", "daemon.ListClients", "daemon.Explain",
    "daemon.Disconnect", "accelerometer.ListSensors", "accelerometer.SubscribeOrientation",
    "accelerometer.SubscribeMotion", "preferences.List", "preferences.Get", "preferences.Set",
    "preferences.Reset", "preferences.Subscribe",
  ]
  /// Those that answer who may know roughly, too.
  private static let rough: Set<String> = [
    "location.GetFix", "location.GetLastKnown", "location.Subscribe", "accelerometer.GetSample",
    "accelerometer.Subscribe",
  ]
  /// What methods have to be told.
  private static let parameters: [String: JSON] = [
    "daemon.Explain": ["client": 1_000_000], "daemon.Disconnect": ["client": 1_000_000],
    "preferences.Get": ["key": "display.units"], "preferences.Reset": ["key": "display.units"],
    "preferences.Set": ["key": "display.units", "value": "\"metric\""],
    "regions.Add": ["identifier": "home", "latitude": 47, "longitude": 8, "radius": 50],
    "regions.Remove": ["identifier": "home"], "location.GetFix": ["timeout": 0],
  ]

  @Test(arguments: ["denied", "approximate", "precise"])
  func eachMethodRefusesWhomItMust(precision: String) throws {
    let daemon = try DaemonProcess(Self.configuration + "User.50021=\(precision)\n")
    let methods = DaemonInterfaces.all.flatMap { name, interface in
      interface.methods.map { "\(name.dropFirst("io.bearing.".count)).\($0.name)" }
    }
    #expect(methods.count >= Self.open.count + Self.rough.count)
    let clients = try OtherUser.connect(to: daemon.socket, uid: 50021, count: methods.count)
    var refused: Set<String> = []
    for (method, client) in zip(methods, clients) {
      let reply = try client.open("io.bearing.\(method)", Self.parameters[method] ?? [:])
      guard reply.error?.hasSuffix(".AccessDenied") == true else { continue }
      refused.insert(method)
      #expect(reply.parameters["reason"]?.string?.isEmpty == false)
      #expect(reply.parameters["remedy"]?.string?.isEmpty == false)
    }
    let expected =
      switch precision {
      case "denied": Set(methods).subtracting(Self.open)
      case "approximate": Set(methods).subtracting(Self.open).subtracting(Self.rough)
      default: Set(["daemon.GetMetrics"])
      }
    #expect(refused == expected)
  }

  @Test func groupsAreThoseOfTheMomentOfConnectingUntilTheClientIsDisconnected() throws {
    let daemon = try DaemonProcess(Self.configuration + "Group.60021=precise\n")
    let known = "io.bearing.location.GetLastKnown"
    func connect(groups: [UInt32]) throws -> DaemonClient {
      try OtherUser.connect(to: daemon.socket, uid: 50022, groups: groups)[0]
    }
    let (outside, inside) = (try connect(groups: []), try connect(groups: [60021]))
    for _ in 0..<2 {
      #expect(try outside.call(known).error == "io.bearing.location.AccessDenied")
      #expect(try inside.call(known).error == nil)
    }
    _ = try inside.open("io.bearing.location.Subscribe")
    // Whoever is taken out of the group keeps what it has, until it is made to connect again.
    let root = try DaemonClient(daemon.socket)
    let all = try root.call("io.bearing.daemon.ListClients").parameters["clients"]?.array
    let number = try #require(
      all?.first { $0["uid"] == 50022 && $0["precision"] == "precise" }?["identifier"])
    let run = try ProgramRun.run(
      ProgramRun.path(of: "gpsctl"), ["clients", "disconnect", "\(number)"],
      environment: ["BEARING_SOCKET": daemon.socket])
    #expect(run.status == 0, "\(run.errors)")
    while try inside.nextOrEnd() != nil {}
    #expect(try connect(groups: []).call(known).error == "io.bearing.location.AccessDenied")
  }
}
