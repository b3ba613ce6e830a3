import Foundation
import Testing

@testable import BearingCore

/// How what a source has posted shares the loop with all else.
@Suite struct SourceTurnTests {
  private static let count = 2000

  /// Posts many values at once, and then tells so.
  private struct Burst: Source {
    let isPosted: DispatchSemaphore
    var summary: String { "burst" }
    var isSimulated: Bool { true }

    func run(_ port: SourcePort<Int, Int>) {
      for value in 0..<SourceTurnTests.count { port.post(sample: value) }
      isPosted.signal()
      while !port.isStopping { _ = port.wait() }
    }
  }

  @Test("When much has been posted, other things have their turn before all of it was received")
  func turns() throws {
    let loop = try EventLoop()
    let failsafe = try loop.timer { loop.exit() }
    failsafe.arm(at: .now() + Int64(SourceRig<Int, Int>.patience) * Nanoseconds.second)
    var received: [Int] = []
    var receivedAtTurn: Int?
    let other = Wake()
    let watch = try loop.watch(other.descriptor, for: .readable) { _ in
      other.clear()
      receivedAtTurn = received.count
    }
    let isPosted = DispatchSemaphore(value: 0)
    let runner = try SourceRunner<Int, Int>(
      loop: loop, name: "burst", make: { Burst(isPosted: isPosted) },
      receive: { values in
        if received.isEmpty { other.signal() }
        received += values
        if received.count == Self.count { loop.exit() }
      }, ended: {})
    runner.want(1)
    try #require(isPosted.wait(timeout: .now() + SourceRig<Int, Int>.patience) == .success)
    try loop.run()
    #expect(received == Array(0..<Self.count))
    #expect(try #require(receivedAtTurn) < Self.count)
    #expect(runner.counters.turns > 1 && runner.counters.lost == 0)
    runner.stop()
    watch.cancel()
    failsafe.arm(at: nil)
  }
}
