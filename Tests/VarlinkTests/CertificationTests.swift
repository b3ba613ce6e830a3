import Foundation
import TestSupport
import Testing

@testable import Varlink

@Suite("Certification against other implementations", .timeLimit(.minutes(3)))
struct CertificationTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/socket" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func pythonsClientPassesHere() throws {
    let server = try PeerServer.certification(at: path)
    let run = try ProgramRun.run(
      Peers.python(),
      ["-m", "varlink.tests.test_certification", "--client", "--varlink=unix:\(path)"])
    #expect(run.lines.last == "Certification passed", "\(run.output)\(run.errors)")
    #expect(run.status == 0)
    _ = consume server
  }

  @Test func goesClientPassesHere() throws {
    let server = try PeerServer.certification(at: path)
    let run = try ProgramRun.run(
      Peers.goCertification(), ["--client", "--varlink=unix:\(path)"])
    #expect(run.lines.last == "End: 'true'", "\(run.output)\(run.errors)")
    _ = consume server
  }

  @Test func aClientThatStraysIsRefusedHere() throws {
    let server = try PeerServer.certification(at: path)
    var connection = try BlockingConnection(to: path)
    let prefix = "org.varlink.certification."
    let id = try connection.call(prefix + "Start").parameters["client_id"] ?? nil
    let error = #expect(throws: VarlinkError.self) {
      try connection.call(prefix + "Test03", ["client_id": id, "int": 1])
    }
    guard case .remote(prefix + "CertificationError", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: VarlinkError.remote(name: prefix + "ClientIdError", parameters: [:])) {
      try connection.call(prefix + "Test01", ["client_id": id])
    }
    _ = consume server
  }

  @Test func pythonShowsWhatIsServedHere() throws {
    let server = try PeerServer.certification(at: path)
    let info = try ProgramRun.run(Peers.python(), ["-m", "varlink.cli", "info", "unix:\(path)"])
    #expect(
      info.lines == [
        "Vendor: bearingd", "Product: Varlink for Swift", "Version: 1", "URL: https://varlink.org",
        "Interfaces:", "   org.varlink.service", "   org.varlink.certification",
      ])
    for interface in ["org.varlink.service", "org.varlink.certification"] {
      let help = try ProgramRun.run(
        Peers.python(), ["-m", "varlink.cli", "help", "unix:\(path)/\(interface)"])
      #expect(help.lines.contains("interface \(interface)"))
      #expect(try InterfaceDescription(parsing: help.output).name == interface)
    }
    _ = consume server
  }

  private static let order = [
    "Start", "Test01", "Test02", "Test03", "Test04", "Test05", "Test06", "Test07", "Test08",
    "Test09",
  ]

  private func pythonsServer() throws -> PeerServer {
    try PeerServer(
      Peers.python(), ["-m", "varlink.tests.test_certification", "--varlink=unix:\(path)"])
  }

  @Test func theClientHerePassesAtPythonsServer() async throws {
    let server = try pythonsServer()
    let connection = try await VarlinkConnection.connect(to: "unix:\(path)")
    var parameters: [String: JSON] = [:]
    var id: JSON = nil
    for method in Self.order {
      let reply = try await connection.call(
        "org.varlink.certification.\(method)", .object(parameters))
      parameters = reply.parameters.object ?? [:]
      if method == "Start" { id = parameters["client_id"] ?? nil }
      parameters["client_id"] = id
    }
    var replies: [JSON] = []
    let stream = try await connection.stream(
      "org.varlink.certification.Test10", .object(parameters))
    for try await reply in stream {
      replies.append(reply.parameters["string"] ?? nil)
      #expect(reply.continues == (replies.count < 10))
    }
    try await connection.oneway(
      "org.varlink.certification.Test11",
      ["client_id": id, "last_more_replies": .array(replies)])
    let end = try await connection.call("org.varlink.certification.End", ["client_id": id])
    #expect(end.parameters == ["all_ok": true])
    _ = consume server
  }

  @Test func theBlockingClientHerePassesAtPythonsServer() throws {
    let server = try pythonsServer()
    var connection = try BlockingConnection(to: "unix:\(path)")
    var parameters: [String: JSON] = [:]
    var id: JSON = nil
    for method in Self.order {
      let reply = try connection.call("org.varlink.certification.\(method)", .object(parameters))
      parameters = reply.parameters.object ?? [:]
      if method == "Start" { id = parameters["client_id"] ?? nil }
      parameters["client_id"] = id
    }
    var replies: [JSON] = []
    try connection.send("org.varlink.certification.Test10", .object(parameters), more: true)
    while true {
      let reply = try connection.receive()
      replies.append(reply.parameters["string"] ?? nil)
      if !reply.continues { break }
    }
    try connection.send(
      "org.varlink.certification.Test11",
      ["client_id": id, "last_more_replies": .array(replies)], oneway: true)
    let end = try connection.call("org.varlink.certification.End", ["client_id": id])
    #expect(end.parameters == ["all_ok": true])
    _ = consume server
  }
}
