import BearingClient
import BearingModel
import TestSupport
import Testing
import Varlink

@testable import BearingCore

/// The client library's sequence over a ring that the test writes, with a daemon that it scripts.
@Suite(.timeLimit(.minutes(2))) struct AccelerationRingTests {
  private static let quick = ReconnectPolicy(
    initialDelay: .milliseconds(1), maximumDelay: .milliseconds(5))

  private static func client(_ daemon: FakeDaemon) -> BearingClient {
    BearingClient(socket: daemon.path, reconnection: quick)
  }

  private static func reply(_ sensor: String = "iio:device0") -> JSON {
    ["ring": 0, "sensor": .string(sensor), "actualRate": 100.0]
  }

  private static func makeRing(_ generation: Int = 1) throws -> SampleRing {
    let ring = try SampleRing(generation: generation, capacity: 8)
    ring.note(state: .live, rate: 100)
    return ring
  }

  private static func add(_ sequences: ClosedRange<Int>, to ring: SampleRing) {
    for sequence in sequences { ring.add(SampleRingTests.sample(sequence), state: .live) }
    ring.wakeReaders(at: .now())
  }

  @Test func `it tells the state, then samples in batches, and how many were missed`() async throws
  {
    let ring = try Self.makeRing()
    let descriptor = try ring.reopened()
    let daemon = try FakeDaemon { $0.reply(Self.reply(), passing: [descriptor]) }
    Self.add(1...3, to: ring)
    var events = Self.client(daemon).accelerationRing(rate: 50, sensor: "base").makeAsyncIterator()
    let first = try #require(try await events.next()?.update)
    #expect(first.state == .live && first.sensor == "iio:device0" && first.actualRate == 100)
    #expect(first.samples == [] && first.dropped == 0, "what was before is not told")
    let call = try #require(daemon.calls.first)
    #expect(call.method == "io.bearing.accelerometer.OpenRing")
    #expect(call.parameters == ["rate": 50.0, "sensor": "base"])

    Self.add(4...6, to: ring)
    let second = try #require(try await events.next()?.update)
    #expect(second.samples == (4...6).map(SampleRingTests.sample) && second.dropped == 0)
    Self.add(7...30, to: ring)
    let third = try #require(try await events.next()?.update)
    #expect(third.samples == (24...30).map(SampleRingTests.sample) && third.dropped == 17)

    ring.note(state: .stale, rate: 100)
    let stale = try #require(try await events.next()?.update)
    #expect(stale.state == .stale && stale.samples == [])
    ring.note(state: .live, rate: 1600)
    #expect(try await events.next()?.update?.actualRate == 1600)
  }

  @Test func `it goes on in the ring that replaces one, and misses nothing`() async throws {
    let old = try Self.makeRing()
    let new = try Self.makeRing(2)
    let descriptors = [try old.reopened(), try new.reopened()]
    let daemon = try FakeDaemon { call in
      call.reply(Self.reply(), passing: [descriptors[call.number]])
    }
    var events = Self.client(daemon).accelerationRing().makeAsyncIterator()
    _ = try await events.next()
    Self.add(1...2, to: old)
    #expect(try await events.next()?.update?.samples.map(\.sequence) == [1, 2])
    Self.add(3...3, to: old)
    Self.add(4...5, to: new)
    old.end(.replaced)
    var all: [Int] = []
    while all.count < 3 {
      let update = try #require(try await events.next()?.update)
      all += update.samples.map(\.sequence)
      #expect(update.dropped == 0)
    }
    #expect(all == [3, 4, 5])
    #expect(daemon.calls.count == 2)
  }

  private static let refusals: [(name: String, parameters: JSON, error: BearingError)] = [
    ("NoSensor", ["reason": "unplugged"], .noSensor(reason: "unplugged")),
    (
      "AccessDenied", ["reason": "no more", "remedy": "ask"],
      .denied(reason: "no more", remedy: "ask")
    ),
  ]

  @Test(arguments: refusals) func `a ring that ends and has no other is an error`(
    name: String, parameters: JSON, error: BearingError
  ) async throws {
    let ring = try Self.makeRing()
    let descriptor = try ring.reopened()
    let daemon = try FakeDaemon { call in
      if call.number == 0 {
        call.reply(Self.reply(), passing: [descriptor])
      } else {
        call.fail("io.bearing.accelerometer.\(name)", parameters)
      }
    }
    var events = Self.client(daemon).accelerationRing().makeAsyncIterator()
    _ = try await events.next()
    Self.add(1...2, to: ring)
    ring.end(.sensorGone)
    #expect(try await events.next()?.update?.samples.count == 2, "what was before the end is told")
    await #expect(throws: error) { try await events.next() }
    #expect(try await events.next() == nil)
  }

  @Test func `a daemon that is gone is noticed though its memory stays, and come back to`()
    async throws
  {
    let rings = [try Self.makeRing(), try Self.makeRing()]
    let descriptors = try rings.map { try $0.reopened() }
    let daemon = try FakeDaemon { call in
      guard call.method.hasSuffix("OpenRing") else { return call.close() }
      call.reply(Self.reply(), passing: [descriptors[call.connectionNumber]])
    }
    var events = Self.client(daemon).accelerationRing().makeAsyncIterator()
    _ = try await events.next()
    // Nothing is written and nothing ends; the question whether it is there closes the connection.
    guard case .interrupted(.connectionLost) = try await events.next() else {
      Issue.record("no interruption")
      return
    }
    #expect(try await events.next() == .resumed)
    #expect(try await events.next()?.update?.state == .live)
    Self.add(1...1, to: rings[1])
    #expect(try await events.next()?.update?.samples.count == 1)
  }

  @Test func `a silent sensor of a daemon that answers is waited for`() async throws {
    let ring = try Self.makeRing()
    let descriptor = try ring.reopened()
    let daemon = try FakeDaemon { call in
      if call.method.hasSuffix("OpenRing") {
        call.reply(Self.reply(), passing: [descriptor])
      } else {
        call.reply(["vendor": "bearingd"])
      }
    }
    let client = Self.client(daemon)
    let (updates, told) = AsyncStream.makeStream(of: AccelerationUpdate.self)
    let reader = Task {
      for try await event in client.accelerationRing() {
        if let update = event.update { told.yield(update) }
      }
    }
    defer { reader.cancel() }
    var update = updates.makeAsyncIterator()
    _ = await update.next()
    while daemon.calls.count < 2 { await Task.yield() }
    #expect(daemon.calls[1].method == "org.varlink.service.GetInfo")
    for sequence in 1...3 {
      Self.add(sequence...sequence, to: ring)
      #expect(await update.next()?.samples.map(\.sequence) == [sequence])
    }
  }

  @Test func `what is no ring is an invalid reply`() async throws {
    let daemon = try FakeDaemon { call in
      call.reply(call.parameters["sensor"] == "a" ? Self.reply() : ["ring": 7, "sensor": "b"])
    }
    for sensor in ["a", "b"] {
      var events = Self.client(daemon).accelerationRing(sensor: sensor).makeAsyncIterator()
      await #expect(throws: BearingError.invalidReply("no descriptor came with the ring")) {
        try await events.next()
      }
    }
  }

  @Test func `cancelling the task ends it at once`() async throws {
    let ring = try Self.makeRing()
    let descriptor = try ring.reopened()
    let daemon = try FakeDaemon { $0.reply(Self.reply(), passing: [descriptor]) }
    let client = Self.client(daemon)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var events = client.accelerationRing().makeAsyncIterator()
      _ = try await events.next()
      start.yield()
      return try await events.next()
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == nil)
  }
}
