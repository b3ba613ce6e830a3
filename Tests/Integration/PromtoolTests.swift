import Foundation
import TestSupport
import Testing
import Varlink

private enum Promtool {
  static let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardized
  static let path = root.appending(path: ".build/peers/promtool").path
  static var isPresent: Bool { FileManager.default.isExecutableFile(atPath: path) }
}

/// Prometheus' own checker; Tests/setup-peers.sh takes it out of Debian's package.
@Suite(.enabled(if: Promtool.isPresent, "Tests/setup-peers.sh has not found Prometheus"))
struct PromtoolTests {
  private static func check(metrics text: String) throws -> ProgramRun {
    let folder = try TemporaryFolder()
    return try ProgramRun.run(
      "/bin/sh",
      ["-c", #""$1" check metrics <"$2""#, "sh", Promtool.path, folder.write(text, to: "metrics")])
  }

  @Test func itFindsNothingWrongWithTheMetrics() throws {
    let daemon = try DaemonProcess(
      "[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n")
    // With all there are: some come only with what they are about.
    let streams = try ["location", "accelerometer"].map { name in
      let peer = try daemon.connect()
      try peer.stream("io.bearing.\(name).Subscribe")
      _ = try peer.next { $0["fix"] != nil || ($0["samples"]?.array ?? []) != [] }
      return peer
    }
    let text = try daemon.connect().call("io.bearing.daemon.GetMetrics")["text"]?.string ?? ""
    #expect(text.contains("\nbearingd_build_info{"))
    let run = try Self.check(metrics: text)
    #expect(run.status == 0 && run.output + run.errors == "", "\(run)")
    #expect(try Self.check(metrics: text + text).status != 0)
    withExtendedLifetime(streams) {}
  }

  @Test func itTakesTheGuidesAlerts() throws {
    let folder = try TemporaryFolder()
    let guide = try String(
      contentsOf: Promtool.root.appending(path: "docs/metrics.md"), encoding: .utf8)
    let rules = try #require(guide.firstMatch(of: /```yaml\n(groups:[^`]*)```/))
    let run = try ProgramRun.run(
      Promtool.path, ["check", "rules", folder.write(String(rules.1), to: "rules.yml")])
    #expect(run.status == 0 && run.output.contains("rules found"), "\(run)")
  }
}
