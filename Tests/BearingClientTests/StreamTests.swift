import BearingClient
import BearingModel
import TestSupport
import Testing
import Varlink

/// Comes back at once, so that no test waits for a delay.
private let quick = ReconnectPolicy(initialDelay: .milliseconds(1), maximumDelay: .milliseconds(5))

private func fix(_ sequence: Int, latitude: Double = 52.5) -> JSON {
  [
    "sequence": .int(Int64(sequence)), "bootTimestamp": .int(Int64(sequence) * 1_000_000),
    "timestampTrusted": true, "latitude": .double(latitude), "longitude": 13.4,
    "accuracyBasis": "dop", "horizontalAccuracy": 2.5, "simulated": false,
  ]
}

private func live(_ sequence: Int) -> JSON {
  ["state": "live", "fix": fix(sequence), "age": 20]
}

@Suite(.timeLimit(.minutes(2))) struct StreamTests {
  @Test func `updates come as the daemon sends them, in model types and durations`() async throws {
    let daemon = try FakeDaemon { call in
      call.reply(["state": "searching"], continues: true)
      call.reply(live(7), continues: true)
      call.reply(["state": "live", "fix": fix(7), "repeated": true, "age": 1500], continues: true)
      call.reply(["state": "sideways", "dropped": 3])
    }
    var events: [StreamEvent<LocationUpdate>] = []
    let stream = BearingClient(socket: daemon.path).locationUpdates(
      minInterval: .microseconds(1500), distanceFilter: 10, heartbeat: .seconds(20))
    for try await event in stream { events.append(event) }

    let updates = events.compactMap(\.update)
    #expect(updates.count == 4 && events.count == 4)
    #expect(updates.map(\.state) == [.searching, .live, .live, .unknown])
    #expect(updates[0].fix == nil && updates[0].age == nil)
    #expect(updates[1].fix?.sequence == 7)
    #expect(updates[1].fix?.horizontalAccuracy == 2.5)
    #expect(updates[1].fix?.altitude == nil)
    #expect(updates[1].age == .milliseconds(20) && !updates[1].isRepeated)
    #expect(updates[2].isRepeated)
    #expect(updates.map(\.dropped) == [0, 0, 0, 3])

    let call = try #require(daemon.calls.first)
    #expect(call.method == "io.bearing.location.Subscribe")
    // Rounded up: 1.5 ms is no reason to drop the filter to 1; what was not given is left out.
    #expect(
      call.parameters == ["minInterval": 2, "distanceFilter": 10.0, "heartbeat": 20000])
  }

  @Test func `each task that iterates over a stream has all of it, over its own connection`()
    async throws
  {
    let daemon = try FakeDaemon { call in
      for number in 1..<20 { call.reply(live(number), continues: true) }
      call.reply(live(20))
    }
    let stream = BearingClient(socket: daemon.path).locationUpdates()
    let tasks = (0..<3).map { _ in
      Task {
        var sequences: [Int?] = []
        for try await event in stream { sequences.append(event.update?.fix?.sequence) }
        return sequences
      }
    }
    for task in tasks { #expect(try await task.value == Array(1...20)) }
    #expect(Set(daemon.calls.map(\.connectionNumber)) == [0, 1, 2])
  }

  @Test func `a lost connection is told, made again, and told again`() async throws {
    let daemon = try FakeDaemon { call in
      switch call.connectionNumber {
      case 0:
        call.reply(live(1), continues: true)
        call.close()
      case 1, 2:
        call.close()  // a daemon that dies again as soon as it is asked
      default:
        call.reply(live(2))
      }
    }
    var told: [String] = []
    for try await event in BearingClient(socket: daemon.path, reconnection: quick).locationUpdates()
    {
      switch event {
      case .update(let update): told.append("fix \(update.fix?.sequence ?? 0)")
      case .interrupted(.connectionLost): told.append("interrupted")
      case .interrupted(let error): Issue.record("\(error)")
      case .resumed: told.append("resumed")
      }
    }
    #expect(told == ["fix 1", "interrupted", "resumed", "fix 2"])
    #expect(daemon.connectionCounts.made == 4)
  }

  @Test func `a daemon that was away is found again at its socket`() async throws {
    let daemon = try FakeDaemon { call in
      call.reply(live(call.connectionNumber + 1), continues: true)
      call.waitForEnd()
    }
    let updates = BearingClient(socket: daemon.path, reconnection: quick).locationUpdates()
    var events = updates.makeAsyncIterator()
    #expect(try await events.next()?.update?.fix?.sequence == 1)
    daemon.stop()
    guard case .interrupted = try await events.next() else {
      Issue.record("the loss was not told")
      return
    }
    try daemon.start()
    #expect(try await events.next() == .resumed)
    #expect(try await events.next()?.update?.fix?.sequence == 2)
  }

  @Test func `fixes are what is new and live, and an interruption repeats none`() async throws {
    let daemon = try FakeDaemon { call in
      if call.connectionNumber == 0 {
        call.reply(["state": "stale", "fix": fix(1), "age": 5000], continues: true)
        call.reply(live(2), continues: true)
        call.reply(["state": "live", "fix": fix(2), "repeated": true], continues: true)
        call.reply(["state": "lost", "fix": fix(2)], continues: true)
        call.close()
      } else {
        call.reply(live(2), continues: true)  // what a new stream begins with
        call.reply(live(3))
      }
    }
    var sequences: [Int] = []
    for try await fix in BearingClient(socket: daemon.path, reconnection: quick).fixes() {
      sequences.append(fix.sequence)
    }
    #expect(sequences == [2, 3])
  }

  @Test func `states are unknown while the daemon is away`() async throws {
    let daemon = try FakeDaemon { call in
      call.reply(live(1), continues: true)
      call.reply(live(1), continues: call.connectionNumber == 0)
      if call.connectionNumber == 0 { call.close() }
    }
    var states: [LocationState] = []
    for try await state in BearingClient(socket: daemon.path, reconnection: quick).locationStates()
    {
      states.append(state)
    }
    #expect(states == [.live, .unknown, .live])
  }

  @Test func `the display's orientation is undefined unless the sensor is live`() async throws {
    let daemon = try FakeDaemon { call in
      call.reply(
        ["state": "starting", "orientation": "normal", "tilt": "vertical"], continues: true)
      call.reply(["state": "live", "orientation": "leftUp", "tilt": "vertical"], continues: true)
      call.reply(["state": "live", "orientation": "leftUp", "tilt": "faceUp"], continues: true)
      if call.connectionNumber == 0 { return call.close() }
      call.reply(["state": "stale", "orientation": "leftUp", "tilt": "faceUp"])
    }
    var orientations: [Orientation] = []
    for try await one in BearingClient(socket: daemon.path, reconnection: quick).orientations() {
      orientations.append(one)
    }
    #expect(orientations == [.undefined, .leftUp, .undefined, .leftUp, .undefined])
  }

  @Test func `live samples that come together are handed out one by one`() async throws {
    @Sendable func sample(_ sequence: Int) -> JSON {
      ["sequence": .int(Int64(sequence)), "bootTimestamp": 1, "x": 0, "y": 9.8, "z": -0.5]
    }
    let daemon = try FakeDaemon { call in
      call.reply(["state": "starting", "samples": []], continues: true)
      call.reply(
        ["state": "live", "samples": [sample(1), sample(2)], "dropped": 4], continues: true)
      call.reply(["state": "live", "samples": [sample(2)], "repeated": true], continues: true)
      call.reply(["state": "stale", "samples": [sample(9)]], continues: true)
      call.reply(["state": "live", "samples": [sample(3)]])
    }
    var samples: [AccelerationSample] = []
    for try await sample in BearingClient(socket: daemon.path).accelerations(rate: 50) {
      samples.append(sample)
    }
    #expect(samples.map(\.sequence) == [1, 2, 3])
    #expect(samples[0].y == 9.8 && samples[0].z == -0.5)
    #expect(daemon.calls.first?.parameters == ["rate": 50.0])
  }
}

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
