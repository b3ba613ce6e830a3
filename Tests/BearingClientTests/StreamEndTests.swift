import BearingClient
import BearingModel
import TestSupport
import Testing
import Varlink

/// How streams end, and what they outlast.
@Suite(.timeLimit(.minutes(2))) struct StreamEndTests {
  @Test func `a heartbeat as long as numbers go is one that never comes`() async throws {
    let daemon = try FakeDaemon { $0.reply(live(1)) }
    let replies = BearingClient(socket: daemon.path).replies(
      "io.bearing.location.Subscribe", ["heartbeat": .int(.max)])
    var events = replies.makeAsyncIterator()
    #expect(try await events.next()?.update?["state"] == "live")
  }

  @Test func `no daemon at the start is an error that names the socket`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/io.bearing"
    var events = BearingClient(socket: path).locationUpdates().makeAsyncIterator()
    let error = await #expect(throws: BearingError.self) { try await events.next() }
    guard case .unreachable(path, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains(path))
  }

  @Test func `a policy can wait for a daemon that is not there yet`() async throws {
    let daemon = try FakeDaemon { $0.reply(live(1)) }
    daemon.stop()
    var policy = quick
    policy.waitsForFirstConnection = true
    var events = BearingClient(socket: daemon.path, reconnection: policy).locationUpdates()
      .makeAsyncIterator()
    guard case .interrupted(.unreachable) = try await events.next() else {
      Issue.record("the daemon's absence was not told")
      return
    }
    try daemon.start()
    #expect(try await events.next() == .resumed)
    #expect(try await events.next()?.update?.fix?.sequence == 1)
  }

  @Test func `attempts to come back can be bounded`() async throws {
    let daemon = try FakeDaemon { call in
      if call.connectionNumber == 0 { call.reply(live(1), continues: true) }
      call.close()
    }
    var policy = quick
    policy.maximumAttempts = 3
    var events = BearingClient(socket: daemon.path, reconnection: policy).locationUpdates()
      .makeAsyncIterator()
    #expect(try await events.next()?.update != nil)
    guard case .interrupted = try await events.next() else {
      Issue.record("the loss was not told")
      return
    }
    await #expect(throws: BearingError.self) { try await events.next() }
    #expect(daemon.connectionCounts.made == 4)
    #expect(try await events.next() == nil)
  }

  @Test(
    arguments: [
      (
        "io.bearing.location.AccessDenied",
        ["reason": "not in the group bearing", "remedy": "adduser you bearing"],
        BearingError.denied(reason: "not in the group bearing", remedy: "adduser you bearing")
      ),
      (
        "org.varlink.service.PermissionDenied", [:],
        .denied(reason: "permission denied", remedy: "")
      ),
      (
        "io.bearing.location.QuotaExceeded", ["resource": "streams", "limit": 128],
        .quotaExceeded(resource: "streams", limit: 128)
      ),
      (
        "org.varlink.service.InvalidParameter", ["parameter": "minInterval"],
        .invalidParameter("minInterval")
      ),
      (
        "org.varlink.service.MethodNotFound", ["method": "SubscribeX"],
        .unsupported("the method SubscribeX")
      ),
      ("io.bearing.accelerometer.NoSensor", ["reason": "none"], .noSensor(reason: "none")),
      (
        "io.bearing.regions.Other", ["a": 1],
        .other(name: "io.bearing.regions.Other", parameters: ["a": 1])
      ),
    ] as [(String, JSON, BearingError)])
  func `an error of the daemon ends a stream with its meaning`(
    name: String, parameters: JSON, expected: BearingError
  ) async throws {
    let daemon = try FakeDaemon { $0.fail(name, parameters) }
    var events = BearingClient(socket: daemon.path, reconnection: quick).locationUpdates()
      .makeAsyncIterator()
    #expect(await #expect(throws: BearingError.self) { try await events.next() } == expected)
    #expect(try await events.next() == nil)
    #expect(daemon.connectionCounts.made == 1)
  }

  @Test func `a stream that ran outlasts a full quota, but not a refusal`() async throws {
    let daemon = try FakeDaemon { call in
      switch call.connectionNumber {
      case 0:
        call.reply(live(1), continues: true)
        call.close()
      case 1: call.fail("io.bearing.daemon.QuotaExceeded", ["resource": "connections", "limit": 1])
      default: call.fail("io.bearing.location.AccessDenied", ["reason": "no", "remedy": ""])
      }
    }
    var events = BearingClient(socket: daemon.path, reconnection: quick).locationUpdates()
      .makeAsyncIterator()
    _ = try await events.next()
    _ = try await events.next()
    #expect(
      await #expect(throws: BearingError.self) { try await events.next() }
        == .denied(reason: "no", remedy: ""))
    #expect(daemon.connectionCounts.made == 3)
  }

  @Test func `a reply that cannot be read says where`() async throws {
    let daemon = try FakeDaemon { $0.reply(["state": 5], continues: true) }
    var events = BearingClient(socket: daemon.path).locationUpdates().makeAsyncIterator()
    let error = await #expect(throws: BearingError.self) { try await events.next() }
    guard case .invalidReply(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.hasPrefix("state: "))
  }

  @Test func `cancelling ends the sequence and the connection`() async throws {
    let ended = AsyncStream.makeStream(of: Bool.self)
    let daemon = try FakeDaemon { call in
      call.reply(live(1), continues: true)
      ended.continuation.yield(call.waitForEnd())
    }
    let first = AsyncStream.makeStream(of: Int.self)
    let client = BearingClient(socket: daemon.path)
    let reader = Task {
      var count = 0
      for try await fix in client.fixes() {
        count += 1
        first.continuation.yield(fix.sequence)
      }
      return count
    }
    for await _ in first.stream { break }
    reader.cancel()
    #expect(try await reader.value == 1)
    for await isEnd in ended.stream {
      #expect(isEnd)
      break
    }
  }

  @Test func `cancelling ends the wait for a daemon that is away`() async throws {
    let daemon = try FakeDaemon { call in
      call.reply(live(1), continues: true)
      call.close()
    }
    let never = ReconnectPolicy(initialDelay: .seconds(600), maximumDelay: .seconds(600))
    let interrupted = AsyncStream.makeStream(of: Void.self)
    let client = BearingClient(socket: daemon.path, reconnection: never)
    let reader = Task {
      for try await event in client.locationUpdates() {
        if case .interrupted = event { interrupted.continuation.yield() }
      }
    }
    for await _ in interrupted.stream { break }
    reader.cancel()
    try await reader.value
  }

  @Test func `a reader that breaks off closes its connection`() async throws {
    let ended = AsyncStream.makeStream(of: Bool.self)
    let daemon = try FakeDaemon { call in
      call.reply(live(1), continues: true)
      ended.continuation.yield(call.waitForEnd())
    }
    for try await _ in BearingClient(socket: daemon.path).locationUpdates() { break }
    for await isEnd in ended.stream {
      #expect(isEnd)
      break
    }
  }

  @Test func `a slow reader leaves replies in the socket, where the daemon notices`() async throws {
    let full = AsyncStream.makeStream(of: Int.self)
    let daemon = try FakeDaemon { call in
      call.reply(live(1), continues: true)
      var sequence = 1
      while sequence < 100_000, call.offer(live(sequence + 1)) { sequence += 1 }
      full.continuation.yield(sequence)
      call.waitForEnd()
    }
    var events = BearingClient(socket: daemon.path).locationUpdates().makeAsyncIterator()
    #expect(try await events.next()?.update?.fix?.sequence == 1)
    // Kernel buffers are some hundred KiB; a reader that drained them would never let this end.
    for await count in full.stream {
      #expect(count > 1 && count < 20_000)
      break
    }
    #expect(try await events.next()?.update?.fix?.sequence == 2)
  }
}
