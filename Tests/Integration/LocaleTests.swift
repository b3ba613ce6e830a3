import Foundation
import TestSupport
import Testing
import Varlink

private let localedef = "/usr/bin/localedef"

/// The daemon and gpsctl where people write a decimal comma.
@Suite(
  .enabled(if: FileManager.default.isExecutableFile(atPath: localedef)))
struct LocaleTests {

  private static let lines: [String] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let file = folder.appending(
      path: "../BearingCoreTests/Fixtures/cases/22-decimal-comma-locale.jsonl")
    let text = (try? String(contentsOf: file.standardized, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init).filter { $0.contains("\"TPV\"") }
  }()

  /// What gpsctl says of a position, as JSON and in three forms for people, without what changes
  /// from second to second. Daemon and gpsctl run in the environment.
  private func texts(of line: String, _ environment: [String: String]) throws -> [String] {
    let gpsd = try GpsdFake()
    let daemon = try DaemonProcess(gpsd.configuration, environment: environment)
    let client = try DaemonClient(daemon.socket)
    _ = try client.open("io.bearing.location.Subscribe")
    try gpsd.acceptDaemon().send(line)
    _ = try client.next { $0.parameters["fix"] != nil }
    let surroundings = environment.merging(["BEARING_SOCKET": daemon.socket]) { $1 }
    return try [["--json"], [], ["--coordinates", "dms"], ["--coordinates", "utm"]].map { options in
      let run = try ProgramRun.run(
        ProgramRun.path(of: "gpsctl"), ["fix", "--max-age", "1h"] + options,
        environment: surroundings)
      #expect(run.status == 0, "\(run.errors)")
      let output = run.output.replacing(#/"(age|bootTimestamp)":\d+/#, with: "")
      return output.split(separator: "\n").filter { !$0.hasPrefix("age ") }.joined(separator: "\n")
    }
  }

  @Test(arguments: [
    (0, ["\"latitude\":46.123456789,", "\"longitude\":-30.987654321,", "\"altitude\":-0.5,"]),
    (1, ["\"latitude\":-0.00001234,", "\"longitude\":0.5", "\"altitude\":1234.5,"]),
    (2, ["\"latitude\":0.0000001,", "\"longitude\":-179.9999999", "\"altitude\":0.04,"]),
  ])
  func `what is said is the same as elsewhere to the byte`(place: Int, members: [String]) throws {
    let folder = try TemporaryFolder()
    let made = try ProgramRun.run(
      localedef, ["-i", "de_DE", "-f", "UTF-8", "\(folder.path)/comma"])
    #expect(made.status == 0, "\(made.errors)")
    let comma = try texts(of: Self.lines[place], ["LOCPATH": folder.path, "LC_ALL": "comma"])
    let plain = try texts(of: Self.lines[place], ["LC_ALL": "C"])
    #expect(comma == plain)
    for member in members { #expect(comma[0].contains(member), "\(comma[0])") }
    #expect(!comma[0].contains(/\d[eE][-+]?\d/), "without an exponent")
  }
}
