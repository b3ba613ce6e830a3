import BearingClient
import BearingModel
import TestSupport
import Testing
import Varlink

/// Comes back at once, so that no test waits for a delay.
let quick = ReconnectPolicy(initialDelay: .milliseconds(1), maximumDelay: .milliseconds(5))

/// A fix as the daemon writes it.
func fix(_ sequence: Int, latitude: Double = 52.5) -> JSON {
  [
    "sequence": .int(Int64(sequence)), "bootTimestamp": .int(Int64(sequence) * 1_000_000),
    "timestampTrusted": true, "latitude": .double(latitude), "longitude": 13.4,
    "accuracyBasis": "dop", "horizontalAccuracy": 2.5, "simulated": false,
  ]
}

/// A reply with that fix.
func live(_ sequence: Int) -> JSON {
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

  @Test func `a fix that a stream begins with is none of those that are accurate enough`()
    async throws
  {
    let daemon = try FakeDaemon { call in
      for (sequence, accuracy) in [(1, 30.5), (2, nil), (3, 30), (4, 2)] {
        var members = fix(sequence).object ?? [:]
        members["horizontalAccuracy"] = accuracy.map { .double($0) }
        call.reply(["state": "live", "fix": .object(members), "age": 1], continues: sequence < 4)
      }
    }
    let client = BearingClient(socket: daemon.path, reconnection: quick)
    var sequences: [Int] = []
    for try await fix in client.fixes(maximumAccuracy: 30) { sequences.append(fix.sequence) }
    #expect(sequences == [3, 4])
    for try await fix in client.fixes(maximumAccuracy: 0) { sequences.append(fix.sequence) }
    #expect(sequences == [3, 4, 1, 2, 3, 4])
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
