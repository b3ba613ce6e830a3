import BearingModel
import TestSupport
import Testing
import Varlink

@testable import BearingClient

@Suite(.timeLimit(.minutes(2))) struct CallTests {
  @Test func `one fix is asked for in the wire's units and read in Swift's`() async throws {
    let daemon = try FakeDaemon { call in
      let fix: JSON = [
        "sequence": 9, "timestampTrusted": true, "latitude": -33.25, "longitude": 151,
        "accuracyBasis": "receiver", "horizontalAccuracy": 4, "altitude": -3.5, "simulated": true,
        "quality": "dgps", "dimensions": 3, "somethingNew": [1, 2],
      ]
      call.reply(["fix": fix, "age": 250, "bestEffort": true])
    }
    let answer = try await BearingClient(socket: daemon.path)
      .fix(accuracy: 5, timeout: .seconds(2), maxAge: .milliseconds(500), bestEffort: true)
    #expect(answer.age == .milliseconds(250))
    #expect(answer.isBestEffort)
    #expect(answer.fix.latitude == -33.25 && answer.fix.longitude == 151)
    #expect(answer.fix.altitude == -3.5 && answer.fix.quality == .dgps)
    #expect(answer.fix.speed == nil && answer.fix.bootTimestamp == nil)
    let call = try #require(daemon.calls.first)
    #expect(call.method == "io.bearing.location.GetFix")
    #expect(
      call.parameters == ["accuracy": 5.0, "timeout": 2000, "maxAge": 500, "bestEffort": true])
  }

  @Test func `what is not given is left to the daemon`() async throws {
    let daemon = try FakeDaemon { $0.fail("io.bearing.location.Timeout", ["state": "searching"]) }
    await #expect(throws: BearingError.timeout(state: "searching")) {
      try await BearingClient(socket: daemon.path).fix()
    }
    #expect(daemon.calls.first?.parameters == [:])
  }

  @Test func `the last known fix may be none, and older than this boot`() async throws {
    let daemon = try FakeDaemon { call in
      guard call.connectionNumber > 0 else {
        call.reply(["state": "off"])
        return
      }
      let fix: JSON = [
        "sequence": 1, "timestamp": 1_700_000_000_000_000, "timestampTrusted": true,
        "latitude": 1, "longitude": 2, "accuracyBasis": "unknown", "simulated": false,
      ]
      call.reply(["fix": fix, "state": "off"])
    }
    let client = BearingClient(socket: daemon.path)
    #expect(try await client.lastKnown() == LastKnownFix(fix: nil, age: nil, state: .off))
    let known = try await client.lastKnown()
    #expect(known.age == nil)
    #expect(known.fix?.timestamp == 1_700_000_000_000_000)
  }

  @Test func `the daemon's status is read whole`() async throws {
    let daemon = try FakeDaemon { call in
      let device: JSON = [
        "kind": "location", "state": "live", "detail": "gpsd at localhost:2947", "subscribers": 3,
        "instance": "LocationManager@1", "simulated": false,
      ]
      call.reply([
        "version": "1.2.3", "pid": 42, "uptime": 90_000_000, "devices": [device], "clients": 4,
        "warnings": ["no accelerometer"],
      ])
    }
    let status = try await BearingClient(socket: daemon.path).status()
    #expect(status.version == "1.2.3" && status.pid == 42 && status.clients == 4)
    #expect(status.uptime == .seconds(90))
    #expect(status.devices.map(\.kind) == ["location"])
    #expect(status.devices.first?.subscribers == 3)
    #expect(status.warnings == ["no accelerometer"])
  }

  @Test func `a daemon that hangs is given up`() async throws {
    let daemon = try FakeDaemon { $0.waitForEnd() }
    let error = await #expect(throws: BearingError.self) {
      try await BearingClient(socket: daemon.path)
        .call("io.bearing.daemon.GetStatus", patience: .milliseconds(50))
    }
    guard case .connectionLost = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a daemon that dies while it is asked is told from one that is not there`()
    async throws
  {
    let daemon = try FakeDaemon { $0.close() }
    let error = await #expect(throws: BearingError.self) {
      try await BearingClient(socket: daemon.path).metrics()
    }
    guard case .connectionLost = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a time without end is the daemon's to refuse`() async throws {
    let daemon = try FakeDaemon {
      $0.fail("org.varlink.service.InvalidParameter", ["parameter": "timeout"])
    }
    let client = BearingClient(socket: daemon.path)
    await #expect(throws: BearingError.invalidParameter("timeout")) {
      try await client.fix(timeout: .seconds(Int64.max))
    }
  }

  @Test(arguments: [(.nan, "nan"), (.infinity, "inf"), (-.infinity, "-inf")] as [(Double, JSON)])
  func `what is no number is not left out, so that the daemon can refuse it`(
    accuracy: Double, written: JSON
  ) async throws {
    let daemon = try FakeDaemon {
      $0.fail("org.varlink.service.InvalidParameter", ["parameter": "accuracy"])
    }
    await #expect(throws: BearingError.invalidParameter("accuracy")) {
      try await BearingClient(socket: daemon.path).fix(accuracy: accuracy)
    }
    #expect(daemon.calls.first?.parameters == ["accuracy": written])
  }

  @Test func `cancelling a call ends it`() async throws {
    let asked = AsyncStream.makeStream(of: Void.self)
    let daemon = try FakeDaemon { call in
      asked.continuation.yield()
      call.waitForEnd()
    }
    let client = BearingClient(socket: daemon.path)
    let call = Task { try await client.fix(timeout: .seconds(600)) }
    for await _ in asked.stream { break }
    call.cancel()
    let error = await #expect(throws: BearingError.self) { try await call.value }
    #expect(error == .cancelled)
  }

  @Test func `the wire's milliseconds are rounded up`() {
    #expect(JSON.milliseconds(.zero) == 0)
    #expect(JSON.milliseconds(.nanoseconds(1)) == 1)
    #expect(JSON.milliseconds(.milliseconds(1)) == 1)
    #expect(JSON.milliseconds(.microseconds(1_000_001)) == 1001)
    #expect(JSON.milliseconds(.milliseconds(-1500)) == -1500)
    // No time is too long to be said.
    #expect((JSON.milliseconds(.seconds(Int64.max)).integer ?? 0) > 9_000_000_000_000_000_000)
    #expect((JSON.milliseconds(.seconds(Int64.min)).integer ?? 0) < -9_000_000_000_000_000_000)
  }
}

@Suite struct SocketPathTests {
  @Test(
    arguments: [
      ([:], [], "/run/bearingd/io.bearing"),
      (["BEARING_SOCKET": "/tmp/x"], ["/run/bearingd/io.bearing"], "/tmp/x"),
      (["XDG_RUNTIME_DIR": "/run/user/1000"], [], "/run/bearingd/io.bearing"),
      (
        ["XDG_RUNTIME_DIR": "/run/user/1000"], ["/run/user/1000/bearingd/io.bearing"],
        "/run/user/1000/bearingd/io.bearing"
      ),
      (
        ["XDG_RUNTIME_DIR": "/run/user/1000"],
        ["/run/user/1000/bearingd/io.bearing", "/run/bearingd/io.bearing"],
        "/run/bearingd/io.bearing"
      ),
      (["BEARING_SOCKET": "", "XDG_RUNTIME_DIR": ""], [], "/run/bearingd/io.bearing"),
    ] as [([String: String], Set<String>, String)])
  func `the machine's daemon goes before the user's own`(
    environment: [String: String], existing: Set<String>, expected: String
  ) {
    #expect(SocketPath.find(in: environment) { existing.contains($0) } == expected)
  }
}

@Suite struct ReconnectPolicyTests {
  @Test(arguments: [(1, 100), (2, 200), (5, 1600), (8, 10_000), (1_000_000, 10_000)])
  func `each wait is twice the one before, up to the longest, less a part that chance decides`(
    attempt: Int, longest: Int
  ) {
    for _ in 0..<50 {
      let delay = ReconnectPolicy.standard.delay(beforeAttempt: attempt)
      #expect(delay >= .milliseconds(longest / 2) && delay <= .milliseconds(longest))
    }
  }

  @Test(arguments: [1, 100]) func `no wait is too long to be counted`(attempt: Int) {
    let policy = ReconnectPolicy(
      initialDelay: .seconds(Int64.max), maximumDelay: .seconds(Int64.max))
    #expect(policy.delay(beforeAttempt: attempt) <= .seconds(365 * 86_400))
  }

  @Test(arguments: [1, 100]) func `a wait below 0 is none`(attempt: Int) {
    let first = ReconnectPolicy(initialDelay: .seconds(Int64.min))
    #expect(first.delay(beforeAttempt: attempt) == .zero)
    let longest = ReconnectPolicy(maximumDelay: .seconds(Int64.min))
    #expect(longest.delay(beforeAttempt: attempt) == .zero)
  }
}
