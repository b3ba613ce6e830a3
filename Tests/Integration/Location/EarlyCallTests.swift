import Foundation
import SQLiteStore
import TestSupport
import Testing
import Varlink

/// Calls that come while the store cannot be read yet.
@Suite struct EarlyCallTests {
  private static let user = NSUserName()

  private static func configuration(_ precision: String) -> String {
    DaemonProcess.simulation + "[Access]\nUser.\(user)=\(precision)\n"
  }

  @Test(
    "They are asked at the door again when the rules change meanwhile",
    arguments: ["io.bearing.location.Subscribe", "io.bearing.regions.Subscribe"])
  func rulesChange(method: String) throws {
    let first = try DaemonProcess(Self.configuration("precise"))
    _ = try DaemonClient(first.socket).call("io.bearing.location.GetLastKnown")
    first.stop()
    let lock = try StoreLock(database: first.folder.path + "/state.db", timeout: 10_000)

    let daemon = try DaemonProcess(Self.configuration("precise"), in: first.folder)
    let client = try DaemonClient(daemon.socket)
    func isDenied() throws -> Bool {
      let clients = try client.call("io.bearing.daemon.ListClients").parameters["clients"]?.array
      return clients?.allSatisfy { $0["precision"] == "denied" } ?? false
    }
    let caller = try DaemonClient(daemon.socket)
    try caller.send(method, more: true)
    // The daemon has read that call when it has answered others that came after it.
    for _ in 0..<3 { _ = try client.call("org.varlink.service.GetInfo") }
    try daemon.folder.write(Self.configuration("denied"), to: "bearingd.conf")
    daemon.send(SIGHUP)
    #expect(try daemon.waitUntil { try isDenied() })
    _ = consume lock
    let interface = method.split(separator: ".").dropLast().joined(separator: ".")
    // Positions wait for a slow store no longer than a second: then the stream was there, and ended.
    // On a machine so slow that the store was given up before, the call had its answer.
    let end = try caller.next { $0.error != nil }.error
    let answers = ["AccessDenied", "StorageFailed"].map { "\(interface).\($0)" }
    #expect(end.map(answers.contains) == true, "\(end ?? "")")
    #expect(try caller.call("org.varlink.service.GetInfo").error == nil)
  }
}
