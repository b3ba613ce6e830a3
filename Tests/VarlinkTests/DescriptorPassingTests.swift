import Foundation
import TestSupport
import Testing

@testable import Varlink

@Suite("Descriptors to and from asyncvarlink", .timeLimit(.minutes(3)))
struct DescriptorPassingTests {
  @Test func comeWithTheRightReplies() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/socket"
    let server = try PeerServer(
      Peers.python(), [Peers.scripts.appending(path: "async_server.py").path, path])
    let connection = try await VarlinkConnection.connect(to: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let text = "text \(number)"
          let reply = try await connection.call("org.example.demo.Open", ["text": .string(text)])
          let index = try #require(reply.parameters["file"]?.integer)
          #expect(reply.descriptors.count == 1)
          #expect(TestPipe.contents(of: reply.descriptors[Int(index)]) == text)
        }
      }
      try await group.waitForAll()
    }
    var values: [Int64?] = []
    for try await reply in try await connection.stream("org.example.demo.Count", ["to": 1000]) {
      values.append(reply.parameters["value"]?.integer)
      #expect(reply.descriptors.isEmpty)
    }
    #expect(values == (1...1000).map { $0 })
    _ = consume server
  }

  static let description = """
    interface org.example.demo
    method Open(text: string) -> (file: int)
    method Take(file: int) -> ()
    """

  @Test func goWithTheRightRepliesAndAreNotKept() throws {
    let service = Service(
      vendor: "", product: "", version: "", url: "",
      interfaces: [.init(try InterfaceDescription(parsing: Self.description))])
    let server = try ScriptedService { peer in
      var connection = ServiceConnection(service: service)
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        switch connection.next() {
        case .call(let call):
          if call.method == "Open" {
            let pipe = try TestPipe()
            let text = Array((call.parameters["text"]?.string ?? "").utf8)
            guard Glibc.write(pipe.writing.number, text, text.count) == text.count else {
              throw ScriptFailure("no pipe")
            }
            let reply = Reply.encode(parameters: ["file": 0])
            _ = try peer.socket.send(reply.span, descriptors: [pipe.reading.number])
          } else {
            _ = try peer.socket.send(Reply.encode().span)
          }
          connection.finishedCall()
        case .send(let message): _ = try peer.socket.send(message.span)
        case .idle:
          _ = try peer.socket.wait(for: .readable, milliseconds: ScriptedService.deadline)
          switch try peer.socket.receive(into: &buffer) {
          case .bytes(let count): connection.receive(buffer.span.extracting(0..<count))
          case .end: connection.receiveEnd()
          case .wouldBlock: throw ScriptFailure("nothing came from the client")
          }
        case .disconnect: return
        }
      }
    }
    let path = String(server.address.dropFirst("unix:".count))
    let run = try ProgramRun.run(
      Peers.python(), [Peers.scripts.appending(path: "async_client.py").path, path])
    #expect(run.lines == ["read all", "taken b''"], "\(run.errors)")
    #expect(run.status == 0)
  }
}
