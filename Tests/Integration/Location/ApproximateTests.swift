import Foundation
import SQLiteStore
import TestSupport
import Testing
import Varlink

/// What a caller is told who may know roughly where the machine is, when it comes early or late.
@Suite struct ApproximateTests {
  private static let location = "io.bearing.location"
  private static let configuration = """
    [Location]
    Source=simulation
    [Accelerometer]
    Source=none
    [Access]
    ApproximateInterval=1s
    User.\(NSUserName())=approximate

    """

  private func device(_ client: DaemonClient) throws -> JSON {
    let status = try client.call("io.bearing.daemon.GetStatus").parameters
    return try #require(status["devices"]?.array?.first { $0["kind"] == "location" })
  }

  @Test("What nobody has looked at since is known, and not of now")
  func later() throws {
    let daemon = try DaemonProcess(Self.configuration)
    let first = try DaemonClient(daemon.socket)
    _ = try first.open("\(Self.location).Subscribe")
    let live = try first.next { $0.parameters["fix"] != nil }.parameters
    #expect(live["state"] == "live")
    first.close()

    let client = try DaemonClient(daemon.socket)
    func known() throws -> JSON {
      try client.call("\(Self.location).GetLastKnown").parameters
    }
    #expect(try daemon.waitUntil { try known()["state"] == "lost" })
    let last = try known()
    #expect(last["fix"]?["accuracyBasis"] == "grid")
    #expect(last["age"]?.integer.map { $0 >= 1000 } == true)
    // It answers a call that does not mind its age.
    let fix = try client.call("\(Self.location).GetFix", ["maxAge": 600_000, "timeout": 0])
    #expect(fix.parameters["fix"]?["bootTimestamp"] == last["fix"]?["bootTimestamp"])

    let again = try client.open("\(Self.location).Subscribe").parameters
    #expect(again["state"] == "lost" && again["fix"] != nil)
    let next = try client.next { $0.parameters["fix"] != nil }.parameters
    #expect(next["state"] == "live")
    #expect(next["fix"]?["bootTimestamp"] != last["fix"]?["bootTimestamp"])
  }

  @Test("A stream that ends before the store could be read wants nothing any more")
  func early() throws {
    let first = try DaemonProcess(Self.configuration)
    _ = try DaemonClient(first.socket).call("\(Self.location).GetLastKnown")
    first.stop()
    let lock = try StoreLock(database: first.folder.path + "/state.db", timeout: 10_000)

    let second = try DaemonProcess(Self.configuration, in: first.folder)
    let client = try DaemonClient(second.socket)
    func streams() throws -> [String] {
      let clients = try client.call("io.bearing.daemon.ListClients").parameters["clients"]?.array
      return try #require(clients).compactMap { $0["stream"]?.string }
    }
    let stream = try DaemonClient(second.socket)
    try stream.send("\(Self.location).Subscribe", more: true)
    #expect(try second.waitUntil { try streams() == ["\(Self.location).Subscribe"] })
    stream.close()
    #expect(try second.waitUntil { try streams().isEmpty })
    _ = consume lock

    // This waits for the store as the stream did.
    #expect(try client.call("\(Self.location).GetLastKnown").error == nil)
    let device = try device(client)
    #expect(device["subscribers"] == 0 && device["state"] == "off")
  }
}
