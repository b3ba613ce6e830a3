import BearingModel
import TestSupport
import Testing
import Varlink

@testable import BearingCore

/// What is written of a fix for many streams.
@Suite struct LocationFanOutTests {
  /// A receiver with one fix a second, told as fast as it can be.
  private struct Script: Source {
    let fixes: Int
    var summary: String { "script" }
    var isSimulated: Bool { true }

    func run(_ port: SourcePort<GnssReport, GnssDemand>) {
      port.post(state: .connected)
      port.post(state: .receivers(["receiver"]))
      for second in 1...fixes {
        var report = PositionReport(receipt: .now(), mode: 3)
        report.receiver = "receiver"
        report.time = LocationDrive.buildDate + Int64(second) * Nanoseconds.second
        report.latitude = 47 + Double(second) * 1e-5
        report.longitude = 8
        report.eph = 5
        port.post(sample: .position(report))
      }
      while !port.isStopping { _ = port.wait() }
    }
  }

  /// Keeps what was sent, and to whom.
  private final class Record: Outlet {
    private(set) var sent: [(message: StreamMessage, streams: [StreamID])] = []
    private let isLast: (StreamMessage) -> Bool
    private let end: () -> Void

    init(until isLast: @escaping (StreamMessage) -> Bool, end: @escaping () -> Void) {
      (self.isLast, self.end) = (isLast, end)
    }

    func send(_ message: StreamMessage, to streams: [StreamID]) {
      sent.append((message, streams))
      if isLast(message) { end() }
    }
    func hasWaiting(_ stream: StreamID) -> Bool { false }
    func remember(_ filter: LocationFilter, cursor: Int, of stream: StreamID) {}
    func remember(cursor: Int, of stream: StreamID) {}
  }

  @Test("A fix is written once, whatever the number of its streams", arguments: [1, 60, 1000])
  func once(streams count: Int) throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let record = Record(until: { $0.sequence == 5 }, end: { loop.exit() })
    let desk = LocationDesk(
      instance: "test", setup: LocationManager.Setup(summary: "test") { Script(fixes: 5) })
    try desk.attach(
      to: DeviceHome(
        loop: loop, storage: Storage(loop: loop, path: folder.path + "/state.db"),
        stationary: Stationary(), outlet: record, statusChanged: {}))
    desk.startIfNeeded()
    for stream in 1...count {
      desk.fixes.open(
        LocationSubscription(
          stream: stream, heartbeat: Heartbeat(0, else: StreamPreferences()), lastSent: .now(),
          filter: LocationFilter(), lastSequence: 0))
    }
    let tooLate = try loop.timer { loop.exit() }
    tooLate.arm(at: .now() + 60 * Nanoseconds.second)
    try loop.run()
    desk.shutDown()
    let fixes = record.sent.filter { $0.message.sequence > 0 }
    #expect(fixes.map(\.message.sequence) == [1, 2, 3, 4, 5])
    #expect(fixes.allSatisfy { $0.streams == Array(1...count) })
    // Nor is it copied for each: those who lost nothing are sent the same memory.
    let message = try #require(fixes.first?.message)
    let places = (0..<2).map { _ in
      message.bytes(telling: 0).withUnsafeBufferPointer { $0.baseAddress }
    }
    #expect(places[0] == places[1])
  }
}
