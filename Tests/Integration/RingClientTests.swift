import BearingClient
import BearingModel
import Foundation
import TestSupport
import Testing
import Varlink

/// The client library's reader of the ring, with the real daemon.
@Suite(.timeLimit(.minutes(4))) struct RingClientTests {
  /// Comes back soon, so that no test waits for a delay.
  private static let quick = ReconnectPolicy(
    initialDelay: .milliseconds(1), maximumDelay: .milliseconds(50))

  /// Reads so many samples, and checks that each follows on the one before or its loss was told.
  private static func read(
    _ count: Int, of events: inout AccelerationRing.Iterator, after last: inout Int?
  ) async throws {
    var left = count
    while left > 0 {
      guard let update = try await events.next()?.update else {
        Issue.record("another event than samples")
        return
      }
      for (index, sample) in update.samples.enumerated() {
        let lost = index == 0 ? update.dropped : 0
        if let last { #expect(sample.sequence == last + 1 + lost) }
        last = sample.sequence
        let length = (sample.x * sample.x + sample.y * sample.y + sample.z * sample.z).squareRoot()
        #expect((5...15).contains(length))
      }
      left -= update.samples.count
    }
  }

  @Test func `every sample comes, or it is told that it was lost`() async throws {
    let daemon = try RingTests.simulation()
    var events = BearingClient(socket: daemon.socket).accelerationRing(rate: 1000)
      .makeAsyncIterator()
    let first = try #require(try await events.next()?.update)
    #expect(first.sensor == "simulated0" && first.actualRate == 1000)
    var last: Int?
    try await Self.read(1000, of: &events, after: &last)
  }

  @Test func `a daemon that is killed is noticed, and its successor read`() async throws {
    let daemon = try RingTests.simulation()
    let client = BearingClient(socket: daemon.socket, reconnection: Self.quick)
    var events = client.accelerationRing(rate: 100).makeAsyncIterator()
    var last: Int?
    try await Self.read(5, of: &events, after: &last)
    daemon.kill()
    var event = try await events.next()
    while event?.update != nil { event = try await events.next() }  // what it had written before
    guard case .interrupted(.connectionLost) = event else {
      Issue.record("\(String(describing: event))")
      return
    }
    let next = try DaemonProcess(
      "[Location]\nSource=none\n[Accelerometer]\nSource=simulation\n", in: daemon.folder)
    #expect(try await events.next() == .resumed)
    last = nil
    try await Self.read(5, of: &events, after: &last)
    #expect(next.stop() == 0)
  }

  @Test(.enabled(if: OtherUser.isPossible, "needs root"))
  func `another's revocation costs a reader nothing, and its own is an error`() async throws {
    let sources = "[Location]\nSource=none\n[Accelerometer]\nSource=simulation\n[Access]\n"
    let daemon = try DaemonProcess(sources + "User.root=precise\nUser.54343=precise\n")
    let other = try RingView(
      try OtherUser.connect(to: daemon.socket, uid: 54_343)[0], ["rate": 100])
    var events = BearingClient(socket: daemon.socket).accelerationRing(rate: 100)
      .makeAsyncIterator()
    var last: Int?
    try await Self.read(5, of: &events, after: &last)
    try daemon.folder.write(sources + "User.root=precise\n", to: "bearingd.conf")
    daemon.send(SIGHUP)
    while other.ended == 0 { try await Self.read(1, of: &events, after: &last) }
    try await Self.read(20, of: &events, after: &last)
    try daemon.folder.write(sources + "User.root=denied\n", to: "bearingd.conf")
    daemon.send(SIGHUP)
    let error = await #expect(throws: BearingError.self) {
      while true { try await Self.read(1, of: &events, after: &last) }
    }
    guard case .denied(let reason, let remedy) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("user root") && remedy.contains("User.root=precise"))
  }
}
