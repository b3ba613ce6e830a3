import BearingModel
import Foundation
import Glibc
import Testing

@testable import BearingCore

/// A GNSS source on a thread of its own, seen from the loop's side, with an engine in real time.
final class LocationSourceHarness {
  private let wake = Wake()
  private let queue: SourceQueue<GnssReport>
  private let port: SourcePort<GnssReport, GnssDemand>
  private(set) var engine: LocationEngine
  private(set) var reports: [GnssReport] = []
  private(set) var events: [LocationEvent] = []

  init(
    _ source: some Source<GnssReport, GnssDemand>,
    _ change: (inout LocationEngine.Configuration) -> Void = { _ in }
  ) {
    var configuration = LocationEngine.Configuration()
    change(&configuration)
    engine = LocationEngine(configuration: configuration)
    queue = SourceQueue(wake: wake)
    queue.begin(generation: 1)
    port = SourcePort(queue: queue, generation: 1, demand: GnssDemand())
    engine.start(at: .now(), into: &events)
    let port = port
    Thread.detachNewThread {
      source.run(port)
      port.markEnded()
    }
  }

  deinit {
    port.stop()
  }

  var states: [LocationState] {
    events.compactMap { if case .state(let state) = $0 { state } else { nil } }
  }
  var fixes: [Fix] {
    events.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
  }
  var positions: [PositionReport] {
    reports.compactMap { if case .position(let position) = $0 { position } else { nil } }
  }
  var receiverLists: [[String]] {
    reports.compactMap { if case .receivers(let list) = $0 { list } else { nil } }
  }
  var failures: [String] {
    reports.compactMap { if case .connecting(let detail) = $0 { detail } else { nil } }
  }

  /// Runs source and engine until something holds; an issue when it does not in time.
  func wait(
    for what: String, within seconds: Double = 60, at location: SourceLocation = #_sourceLocation,
    until holds: (LocationSourceHarness) -> Bool
  ) {
    if !run(seconds, until: holds) {
      Issue.record(
        "no \(what) within \(seconds) s; states \(states), last report \(String(describing: reports.last))",
        sourceLocation: location)
    }
  }

  /// Whether nothing is posted for so long.
  func staysQuiet(for seconds: Double) -> Bool {
    let count = reports.count
    return !run(seconds) { $0.reports.count > count }
  }

  /// Stops the source; whether its thread returned in time.
  func stop(within seconds: Double) -> Bool {
    port.stop()
    let end = BootTime.now() + Int64(seconds * 1e9)
    while !port.hasEnded, BootTime.now() < end { sched_yield() }
    return port.hasEnded
  }

  private func run(_ seconds: Double, until holds: (LocationSourceHarness) -> Bool) -> Bool {
    let end = BootTime.now() + Int64(seconds * 1e9)
    while true {
      take()
      if holds(self) { return true }
      let now = BootTime.now()
      if now >= end { return false }
      let until = min(end, engine.deadline ?? end)
      var one = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&one, 1, Int32(clamping: max(0, until - now) / Nanoseconds.millisecond + 1))
      wake.clearIfSignalled(one.revents)
    }
  }

  private func take() {
    for report in queue.drain() {
      reports.append(report)
      engine.handle(report, at: .now(), into: &events)
    }
    engine.advance(to: .now(), into: &events)
  }
}

extension Wake {
  fileprivate func clearIfSignalled(_ events: Int16) {
    if events != 0 { clear() }
  }
}
