import Testing

@testable import Varlink

@Suite("A client's streams", .timeLimit(.minutes(2)))
struct ClientStreamTests {
  static func numbered(_ number: Int, continues: Bool = true) -> String {
    #"{"parameters":{"n":\#(number)}\#(continues ? #","continues":true"# : "")}|"#
  }

  @Test func giveEachReplyInOrderAndEndWithTheLast() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      for number in 1..<100 { try peer.write(Self.numbered(number)) }
      try peer.write(Self.numbered(100, continues: false))
      _ = try peer.read()
      try peer.write(#"{"parameters":{"after":true}}|"#)
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    var numbers: [Int64?] = []
    for try await reply in try await connection.stream("a.b.Watch") {
      numbers.append(reply.parameters["n"]?.integer)
    }
    #expect(numbers == (1...100).map { $0 })
    #expect(try await connection.call("a.b.C").parameters == ["after": true])
  }

  @Test func throwAnErrorAndAreOver() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      try peer.write(Self.numbered(1) + #"{"error":"a.b.Denied","parameters":{"why":"no"}}|"#)
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    var replies = try await connection.stream("a.b.Watch").makeAsyncIterator()
    #expect(try await replies.next()?.parameters == ["n": 1])
    await #expect(throws: VarlinkError.remote(name: "a.b.Denied", parameters: ["why": "no"])) {
      try await replies.next()
    }
    #expect(try await replies.next() == nil)
  }

  @Test func throwWhenTheServiceGoes() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      try peer.write(Self.numbered(1) + "{\"parame")
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    var replies = try await connection.stream("a.b.Watch").makeAsyncIterator()
    #expect(try await replies.next()?.parameters == ["n": 1])
    await #expect(throws: VarlinkError.closedByService) { try await replies.next() }
  }

  @Test func readNoFurtherThanTheyAreAsked() async throws {
    let size = 1000
    let (first, second) = (
      AsyncStream.makeStream(of: Int.self), AsyncStream.makeStream(of: Int.self)
    )
    let service = try ScriptedService { peer in
      _ = try peer.read()
      let head = #"{"parameters":{"fill":""#
      let tail = #""},"continues":true}"#
      let fill = String(repeating: "x", count: size - head.count - tail.count - 1)
      let message = Array((head + fill + tail).utf8) + [0]
      first.continuation.yield(try peer.fill(with: message))
      _ = try peer.read()
      second.continuation.yield(try peer.fill(with: message))
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    var replies = try await connection.stream("a.b.Watch").makeAsyncIterator()
    for await count in first.stream {
      #expect(count > 32)
      break
    }
    #expect(try await replies.next() != nil)
    try await connection.oneway("a.b.TookOne")
    // One read's worth of room came free, though the service had filled the socket.
    for await count in second.stream {
      #expect(count * size <= 32 * 1024)
      break
    }
  }

  @Test func closeTheConnectionWhenDropped() async throws {
    let gone = AsyncStream.makeStream(of: Void.self)
    let service = try ScriptedService { peer in
      _ = try peer.read()
      try peer.write(Self.numbered(1))
      try peer.readToEnd()
      gone.continuation.yield()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    for try await reply in try await connection.stream("a.b.Watch") {
      #expect(reply.continues)
      break
    }
    for await _ in gone.stream { break }
    await #expect(throws: VarlinkError.closedHere) { try await connection.call("a.b.C") }
  }

  @Test func goOnAfterASilence() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      _ = try peer.read()
      try peer.write(Self.numbered(1) + Self.numbered(2, continues: false))
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    var replies = try await connection.stream("a.b.Watch", silenceLimit: .milliseconds(1))
      .makeAsyncIterator()
    await #expect(throws: VarlinkError.timedOut) { try await replies.next() }
    try await connection.oneway("a.b.GoOn")
    var numbers: [JSON?] = []
    while numbers.count < 2 {
      do {
        numbers.append(try await replies.next()?.parameters["n"])
      } catch VarlinkError.timedOut {}
    }
    #expect(numbers == [1, 2])
  }

  @Test func endTheWaitOfACancelledTask() async throws {
    let service = try ScriptedService { peer in try peer.readToEnd() }
    let connection = try await VarlinkConnection.connect(to: service.address)
    let waiting = Task {
      for try await _ in try await connection.stream("a.b.Watch") {}
    }
    waiting.cancel()
    await #expect(throws: VarlinkError.cancelled) { try await waiting.value }
  }

  @Test func makeLaterCallsWaitForTheirEnd() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      try peer.write(Self.numbered(1))
      _ = try peer.read()
      try peer.write(Self.numbered(2, continues: false) + #"{"parameters":{"after":true}}|"#)
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    var replies = try await connection.stream("a.b.Watch").makeAsyncIterator()
    #expect(try await replies.next()?.parameters == ["n": 1])
    let after = Task { try await connection.call("a.b.C") }
    #expect(try await replies.next()?.parameters == ["n": 2])
    #expect(try await replies.next() == nil)
    #expect(try await after.value.parameters == ["after": true])
  }

  @Test func giveEachReplyToOneOfTheTasksThatShareThem() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      for number in 1..<100 { try peer.write(Self.numbered(number)) }
      try peer.write(Self.numbered(100, continues: false))
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    let stream = try await connection.stream("a.b.Watch")
    let tasks = (0..<4).map { _ in
      Task {
        var numbers: [Int64] = []
        for try await reply in stream { numbers.append(reply.parameters["n"]?.integer ?? 0) }
        return numbers
      }
    }
    var all: [Int64] = []
    for task in tasks {
      let numbers = try await task.value
      #expect(numbers == numbers.sorted())
      all += numbers
    }
    #expect(all.sorted() == Array(1...100))
  }

  @Test func endTheWaitOfOneTaskAloneThatIsCancelled() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      _ = try peer.read()
      try peer.write(Self.numbered(1, continues: false))
      try peer.readToEnd()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    let stream = try await connection.stream("a.b.Watch")
    let tasks = (0..<4).map { _ in
      Task {
        var replies = stream.makeAsyncIterator()
        return try await replies.next()?.parameters["n"]
      }
    }
    for task in tasks.dropLast() { task.cancel() }
    for task in tasks.dropLast() {
      await #expect(throws: VarlinkError.cancelled) { try await task.value }
    }
    try await connection.oneway("a.b.GoOn")
    #expect(try await tasks[3].value == 1)
  }

  @Test func endForAllTasksThatShareThemWhenTheServiceGoes() async throws {
    let service = try ScriptedService { peer in
      _ = try peer.read()
      _ = try peer.read()
    }
    let connection = try await VarlinkConnection.connect(to: service.address)
    let stream = try await connection.stream("a.b.Watch")
    let tasks = (0..<4).map { _ in
      Task {
        for try await _ in stream {}
      }
    }
    try await connection.oneway("a.b.GoOn")
    for task in tasks {
      await #expect(throws: VarlinkError.closedByService) { try await task.value }
    }
  }
}
