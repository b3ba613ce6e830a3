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
  private let process: ChildProcess

  /// Returns when the server has written its first line, which it does once it listens.
  init(_ program: String, _ arguments: [String]) throws {
    process = try ChildProcess(program, arguments, environment: ["PYTHONUNBUFFERED": "1"])
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = process.output.availableData
      guard !more.isEmpty else {
        let errors = String(decoding: process.errors.readDataToEndOfFile(), as: UTF8.self)
        throw ScriptFailure("\(program) did not start: \(errors)")
      }
      line += more
    }
  }

  /// This library's certification server at a path.
  static func certification(at path: String) throws -> PeerServer {
    try PeerServer(ProgramRun.path(of: "varlink-certification"), ["--varlink=unix:\(path)"])
  }
}
