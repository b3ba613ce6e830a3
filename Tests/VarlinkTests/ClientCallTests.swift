import Foundation
import TestSupport
import Testing

@testable import Varlink

@Suite("A client's calls", .timeLimit(.minutes(2)))
struct ClientCallTests {
  @Test func sendNothingThatSaysNothing() async throws {
    let service = try ScriptedService { peer in
      for expected in [
        #"{"method":"a.b.C"}"#, #"{"method":"a.b.D","parameters":{"x":1}}"#,
        #"{"method":"a.b.E","oneway":true}"#, #"{"method":"a.b.F","more":true}"#,
      ] {
        let message = try peer.read()
        guard message == expected else { throw ScriptFailure("got \(message ?? "the end")") }
        if !expected.contains("oneway") { try peer.write("{}|") }
      }
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    #expect(try await connection.call("a.b.C").parameters == [:])
    #expect(try await connection.call("a.b.D", ["x": 1]).parameters == [:])
    try await connection.oneway("a.b.E")
    var replies = try await connection.stream("a.b.F").makeAsyncIterator()
    #expect(try await replies.next()?.continues == false)
  }

  @Test(
    arguments: [
      (#"{}"#, [:]), (#"{"parameters":null,"continues":null,"error":null}"#, [:]),
      (#"{"parameters":{"a":[1,null]},"continues":false,"new":1}"#, ["a": [1, nil]]),
    ] as [(String, JSON)])
  func acceptRepliesOfAllWritings(message: String, parameters: JSON) async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      try peer.write(message + "|")
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    let reply = try await connection.call("a.b.C")
    #expect(reply.parameters == parameters)
    #expect(!reply.continues)
    #expect(reply.descriptors.isEmpty)
  }

  @Test(
    arguments: [
      ("nonsense|", .invalidReply("JSON, byte 1: unexpected byte 0x6f")),
      ("[]|", .invalidReply("it is not a JSON object")),
      (#"{"parameters":[]}|"#, .invalidReply("`parameters` is not an object")),
      (#"{"continues":1}|"#, .invalidReply("`continues` is not a bool")),
      (#"{"error":{}}|"#, .invalidReply("`error` is not a string")),
      (#"{"continues":true}|"#, .invalidReply("more replies than one, which nobody asked for")),
      ("", .closedByService), (#"{"parameters":"#, .closedByService),
    ] as [(String, VarlinkError)])
  func endTheConnectionWhenTheReplyIsNone(message: String, error: VarlinkError) async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      if !message.isEmpty { try peer.write(message) }
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    for _ in 0..<2 {
      await #expect(throws: error) { try await connection.call("a.b.C") }
    }
  }

  @Test func throwTheServicesErrors() async throws {
    let service = try ScriptedService(connections: 2) { peer in
      _ = try peer.read()
      try peer.write(#"{"error":"a.b.Full","parameters":{"limit":3}}|"#)
      _ = try peer.read()
      try peer.write(#"{"parameters":{"ok":true}}|"#)
    }
    let full = VarlinkError.remote(name: "a.b.Full", parameters: ["limit": 3])
    #expect(full.description == #"a.b.Full {"limit":3}"#)
    let connection = try await VarlinkConnection.connect(to: service.address)
    await #expect(throws: full) { try await connection.call("a.b.C") }
    #expect(try await connection.call("a.b.C").parameters == ["ok": true])
    await connection.close()
    var blocking = try BlockingConnection(to: service.address)
    #expect(throws: full) { try blocking.call("a.b.C") }
    #expect(try blocking.call("a.b.C").parameters == ["ok": true])
  }

  @Test func learnWhyTheServiceClosedEvenIfItReadNothing() async throws {
    let service = try ScriptedService { peer in
      try peer.write(#"{"error":"a.b.QuotaExceeded"}|"#)
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    await #expect(throws: VarlinkError.remote(name: "a.b.QuotaExceeded", parameters: [:])) {
      try await connection.call("a.b.C")
    }
    await #expect(throws: VarlinkError.closedByService) { try await connection.call("a.b.C") }
  }

  @Test func areSentAheadAndAnsweredInOrder() async throws {
    let count = 20
    let service = try ScriptedService { peer in
      // Not one is answered before all have come.
      var calls: [JSON] = []
      for _ in 0..<count {
        calls.append(try JSON(parsing: Array((try peer.read() ?? "").utf8)))
      }
      for call in calls {
        try peer.write(#"{"parameters":{"echo":\#(call["parameters"]?["number"] ?? nil)}}|"#)
      }
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    try await withThrowingTaskGroup(of: (Int, JSON?).self) { group in
      for number in 0..<count {
        group.addTask {
          let reply = try await connection.call("a.b.C", ["number": .int(Int64(number))])
          return (number, reply.parameters["echo"])
        }
      }
      var answered = 0
      for try await (number, echo) in group {
        #expect(echo == .int(Int64(number)))
        answered += 1
      }
      #expect(answered == count)
    }
  }

  @Test func thatTimeOutOrAreCancelledDoNotDisturbTheNext() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      _ = try peer.read()
      _ = try peer.read()
      try peer.write(
        #"{"parameters":{"n":1}}|{"error":"a.b.Late"}|{"parameters":{"n":3}}|"#)
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    await #expect(throws: VarlinkError.timedOut) {
      try await connection.call("a.b.One", timeout: .milliseconds(1))
    }
    let second = Task { try await connection.call("a.b.Two") }
    second.cancel()
    await #expect(throws: VarlinkError.cancelled) { try await second.value }
    #expect(try await connection.call("a.b.Three").parameters == ["n": 3])
  }

  @Test func takeTimeOutsOfAnyLength() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      _ = try peer.read()
      try peer.write("{}|{}|")
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(
      to: service.address, timeout: .seconds(Int64.max))
    let first = Task { try await connection.call("a.b.C", timeout: .seconds(Int64.max)) }
    #expect(try await connection.call("a.b.C", timeout: .seconds(3_000_000_000)).parameters == [:])
    #expect(try await first.value.parameters == [:])
  }

  @Test(arguments: [Duration.zero, .seconds(Int64.min)])
  func endAtOnceWithATimeOutOfNothing(timeout: Duration) async throws {
    let service = try ScriptedService { peer in
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    await #expect(throws: VarlinkError.timedOut) {
      try await connection.call("a.b.C", timeout: timeout)
    }
  }

  @Test func thatWaitBehindOneThatTimesOutAreStillAnswered() async throws {
    let firstCame = AsyncStream.makeStream(of: Void.self)
    let service = try ScriptedService { peer in
      _ = try peer.read()
      firstCame.continuation.yield()
      _ = try peer.read()
      // The third comes when the first was given up.
      _ = try peer.read()
      try peer.write(#"{"parameters":{"n":1}}|{"parameters":{"n":2}}|{"parameters":{"n":3}}|"#)
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    let first = Task { try await connection.call("a.b.One", timeout: .milliseconds(50)) }
    for await _ in firstCame.stream { break }
    let second = Task { try await connection.call("a.b.Two") }
    await #expect(throws: VarlinkError.timedOut) { try await first.value }
    let third = try await connection.call("a.b.Three").parameters["n"]
    // Which of the two was sent first is not known; the reply to the first call got neither.
    #expect(Set([third?.integer, try await second.value.parameters["n"]?.integer]) == [2, 3])
  }

  @Test func goOnWhereEachSideWaitsForTheOtherToRead() async throws {
    let count = 1500
    let service = try ScriptedService { peer in
      let answer = Array((#"{"parameters":{"text":""# + String(repeating: "x", count: 900)).utf8)
      for _ in 0...count {
        guard try peer.read() != nil else { return }
        let message = answer + Array(#""}}"#.utf8) + [0]
        // As a service that reads no further while its replies are not taken.
        while try peer.socket.send(message.span) == .wouldBlock {
          guard try peer.socket.wait(for: .writable, milliseconds: ScriptedService.deadline) else {
            throw ScriptFailure("the client takes nothing")
          }
        }
      }
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    let text = JSON.string(String(repeating: "y", count: 500))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          let call = Task { try await connection.call("a.b.C", ["text": text]) }
          // Giving up ends a wait for the socket, and another begins.
          if number % 3 == 0 { call.cancel() }
          _ = try? await call.value
        }
      }
    }
    // This is answered after all of them.
    #expect(try await connection.call("a.b.Last").parameters["text"]?.string?.count == 900)
  }

  @Test func largerThanTheSocketTakesAtOnceArriveWhole() async throws {
    let text = String(repeating: "ü", count: 250_000)
    let service = try ScriptedService { peer in
      let call = try JSON(parsing: Array((try peer.read() ?? "").utf8))
      let parameters = call["parameters"] ?? nil
      guard parameters["text"]?.string?.count == 250_000 else { throw ScriptFailure("cut") }
      try peer.write("{}|")
      _ = try peer.read()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    #expect(try await connection.call("a.b.C", ["text": .string(text)]).parameters == [:])
  }

  @Test func areRefusedWhileTooManyBytesWait() async throws {
    let folder = try TemporaryFolder()
    // Nobody accepts here, so nothing is read.
    let listener = try Socket.listen(at: folder.path + "/socket", mode: 0o600)
    let connection = try await VarlinkConnection.connect(to: folder.path + "/socket")
    let text = JSON.string(String(repeating: "x", count: 300_000))
    let error = await #expect(throws: VarlinkError.self) {
      for _ in 0..<20 { try await connection.oneway("a.b.C", ["text": text]) }
    }
    guard case .tooManyCalls(let waiting) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(waiting <= 1024 * 1024)
    _ = consume listener
  }

  @Test func endWhenTheConnectionIsClosedHere() async throws {
    let service = try ScriptedService { peer in try peer.readToEnd() }
    let connection = try await VarlinkConnection.connect(to: service.address)
    let calls = ["a.b.C", "a.b.D"].map { name in Task { try await connection.call(name) } }
    await connection.close()
    for call in calls {
      await #expect(throws: VarlinkError.closedHere) { try await call.value }
    }
    await #expect(throws: VarlinkError.closedHere) { try await connection.oneway("a.b.E") }
  }

  @Test func getTheDescriptorsOfTheirReply() async throws {
    let pipe = try TestPipe()
    let service = try ScriptedService { peer in
      for _ in 0..<4 { _ = try peer.read() }
      try peer.write(#"{"parameters":{"n":1}}|{"parameters":{"n":2}}|"#)
      try peer.write(#"{"parameters":{"n":3}}|"#, descriptors: [pipe.writing.number])
      try peer.write(#"{"parameters":{"n":4}}|"#)
      try peer.readToEnd()
    }
    var connection = try BlockingConnection(to: service.address)
    for _ in 0..<4 { try connection.send("a.b.C") }
    for number in 1...4 {
      let reply = try connection.receive()
      #expect(reply.parameters == ["n": .int(Int64(number))])
      #expect(reply.descriptors.count == (number == 3 ? 1 : 0))
      for descriptor in reply.descriptors {
        #expect(Glibc.write(descriptor.number, "x", 1) == 1)
        var byte: [UInt8] = [0]
        #expect(Glibc.read(pipe.reading.number, &byte, 1) == 1)
      }
    }
  }

  @Test(arguments: ["", "socket", "unix:", "unix:socket", "tcp:127.0.0.1:1", "/", "@"])
  func needAnAddress(text: String) async {
    await #expect(throws: VarlinkError.invalidAddress(text)) {
      try await VarlinkConnection.connect(to: text)
    }
  }

  @Test func needSomebodyWhoListens() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/socket"
    let error = await #expect(throws: VarlinkError.self) {
      try await VarlinkConnection.connect(to: "unix:\(path);mode=0666")
    }
    #expect(
      error?.description
        == "cannot connect to \(path): nothing has this path; is the service running? "
        + "(No such file or directory)")
  }

  @Test func waitForAPlaceInTheServicesQueue() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/socket"
    let listener = try Socket.listen(at: path, mode: 0o600, backlog: 0)
    let first = try Socket.connect(to: path)
    let full = #expect(throws: SocketError.self) { _ = try Socket.connect(to: path) }
    #expect(full?.code == EAGAIN)
    await #expect(throws: VarlinkError.self) {
      try await VarlinkConnection.connect(to: path, timeout: .milliseconds(20))
    }
    async let second = VarlinkConnection.connect(to: path, timeout: .seconds(60))
    let accepted = try listener.accept()
    _ = try await second
    _ = consume accepted
    _ = consume first
  }

  @Test func reachTheAbstractNamespace() throws {
    let name = "@varlink-tests-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let listener = try Socket.listen(at: name, mode: 0o600)
    let connection = try BlockingConnection(to: "unix:\(name)")
    try connection.send("a.b.C")
    #expect(try listener.wait(for: .readable, milliseconds: ScriptedService.deadline))
  }
}
