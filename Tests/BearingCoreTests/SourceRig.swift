import Foundation
import Glibc

@testable import BearingCore

/// A source that runs on a thread of its own, and what it posts, in order.
final class SourceRig<Raw: Sendable, Demand: Sendable & Equatable> {
  /// How long a test waits for what must come: long, for a loaded machine.
  static var patience: TimeInterval { 60 }

  private let wake = Wake()
  private let queue: SourceQueue<Raw>
  private let port: SourcePort<Raw, Demand>
  private var posted: [Raw] = []

  /// Starts `source` with that demand.
  init(_ source: any Source<Raw, Demand>, _ demand: Demand) throws {
    queue = SourceQueue(wake: wake)
    queue.begin(generation: 1)
    port = SourcePort(queue: queue, generation: 1, demand: demand)
    let (port, wake) = (port, wake)
    try PlainThread.start(name: "source") {
      source.run(port)
      port.markEnded()
      wake.signal()
    }
  }

  deinit { port.stop() }

  /// The next thing posted; nil when nothing came in time.
  func next() -> Raw? {
    _ = wait { self.collect() }
    return posted.isEmpty ? nil : posted.removeFirst()
  }

  /// The next one that `accepts`, leaving out those before it.
  func first<Value>(_ accepts: (Raw) -> Value?) -> Value? {
    while let raw = next() {
      if let value = accepts(raw) { return value }
    }
    return nil
  }

  /// Asks for something else.
  func want(_ demand: Demand) { port.change(demand) }

  /// Tells it to stop; whether it returned in time.
  func stop() -> Bool {
    port.stop()
    return wait { port.hasEnded }
  }

  /// Whether it returned in time by itself.
  func ends() -> Bool { wait { port.hasEnded } }

  private func collect() -> Bool {
    posted += queue.drain()
    return !posted.isEmpty || port.hasEnded
  }

  private func wait(_ condition: () -> Bool) -> Bool {
    let end = Date() + Self.patience
    while !condition() {
      let left = end.timeIntervalSinceNow
      if left <= 0 { return false }
      var poll = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
      if Glibc.poll(&poll, 1, Int32(left * 1000) + 1) > 0 { wake.clear() }
    }
    return true
  }
}
