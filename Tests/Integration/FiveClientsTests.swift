import Foundation
import TestSupport
import Testing

/// Clients that others wrote, in five languages' libraries, at once.
@Suite struct FiveClientsTests {
  private static let peers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Peers")
  private static let installed = peers.appending(path: "../../../.build/peers").standardized

  @Test func `each of five programs that others wrote has its device at its own rate`() throws {
    let daemon = try DemoDaemon()
    var arguments = [
      Self.peers.appending(path: "five_clients.py").path, daemon.socket,
      Self.installed.appending(path: "python/bin/python").path,
      Self.installed.appending(path: "varlink-go-watch").path,
    ]
    let tree = FileManager.default.homeDirectoryForCurrentUser
      .appending(path: ".cache/bearing-varlinkctl/trixie").path
    if FileManager.default.fileExists(atPath: "\(tree)/.ready") {
      arguments.append(tree)
    } else {
      print(
        "skipped: varlinkctl, of which there is no tree (Tests/System/varlinkctl-tree makes it)")
    }
    let run = try ProgramRun.run("/usr/bin/python3", arguments, within: 150)
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    for name in ["PyPI varlink", "asyncvarlink", "socat", "varlink-go"] {
      #expect(lines.contains { $0.hasPrefix("\(name): ") }, "\(lines)")
    }
  }
}
