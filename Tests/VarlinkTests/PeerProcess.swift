import Foundation
import TestSupport

/// Other people's Varlink implementations, as `Tests/setup-peers.sh` installs them.
enum Peers {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: ".build/peers")

  static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Peers")

  static func python() throws -> String { try path("python/bin/python") }

  static func goCertification() throws -> String { try path("varlink-go-certification") }

  private static func path(_ name: String) throws -> String {
    let path = folder.appending(path: name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw ScriptFailure("\(path) is missing: run Tests/setup-peers.sh")
    }
    return path
  }
}

/// A server in a process of its own, ended with the object.
final class PeerServer {
  private let process = Process()

  /// Returns when the server has written its first line, which it does once it listens.
  init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONUNBUFFERED": "1"]) {
      $1
    }
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw ScriptFailure("\(program) did not start") }
      line += more
    }
  }

  deinit {
    // Not SIGTERM: Foundation starts programs with the signal mask of the test's thread, in which
    // nearly everything is blocked.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// This library's certification server at a path.
  static func certification(at path: String) throws -> PeerServer {
    try PeerServer(ProgramRun.path(of: "varlink-certification"), ["--varlink=unix:\(path)"])
  }
}
