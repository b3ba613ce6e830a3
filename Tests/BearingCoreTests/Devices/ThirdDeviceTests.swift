import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// A third device takes one file (Tests/third-device/Gyroscope.swift) and one line (in its main).
@Suite struct ThirdDeviceTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func aThirdDeviceIsServedLikeTheOthers() async throws {
    let folder = try TemporaryFolder()
    let daemon = try ChildProcess(ProgramRun.path(of: "third-device"), [folder.path])
    defer { daemon.send(SIGKILL) }
    var said = Data()
    while !said.contains(0x0A) {
      let piece = daemon.output.availableData
      try #require(!piece.isEmpty, "it ended before it was ready")
      said += piece
    }
    let socket = "\(folder.path)/io.bearing"
    let connection = try await VarlinkConnection.connect(to: socket)
    var turns: [Double] = []
    let stream = try await connection.stream("io.bearing.gyroscope.Subscribe", ["rate": 50])
    for try await reply in stream {
      if let z = reply.parameters["z"]?.number { turns.append(z) }
      if turns.count == 3 { break }
    }
    #expect(turns.count == 3 && turns[1] > turns[0] && turns[2] > turns[1])
    let other = try await VarlinkConnection.connect(to: socket)
    let status = try await other.call("io.bearing.daemon.GetStatus")
    let devices = try #require(status.parameters["devices"]?.array)
    #expect(devices.map { $0["kind"]?.string } == ["location", "acceleration", "rotation"])
    #expect(devices[2]["instance"]?.string?.hasPrefix("Gyroscope#") == true)
  }

  @Test func noOtherSourceOfTheDaemonNamesADevice() throws {
    let core = Self.root.appending(path: "Sources/BearingCore")
    let files = try #require(FileManager.default.enumerator(atPath: core.path))
    var naming: [String] = []
    for case let name as String in files
    where name.hasSuffix(".swift") && !name.hasPrefix("Devices/")
      && !name.hasPrefix("Configuration/")
    {
      let text = try String(contentsOf: core.appending(path: name), encoding: .utf8)
      let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
      if code.contains(where: { $0.contains(#/\b(LocationManager|Accelerometer)\b/#) }) {
        naming.append(name)
      }
    }
    #expect(naming == [])
  }
}
