import BearingModel
import Foundation

@testable import BearingCore

/// A location engine on a clock of the test's own, fed with gpsd's lines or with reports.
final class LocationDrive {
  /// A build date before every time in the cases, and after the wrong ones.
  static let buildDate: Int64 = 1_767_225_600 * Nanoseconds.second  // 2026-01-01T00:00Z

  private(set) var engine: LocationEngine
  private(set) var now = BootTime(nanoseconds: 5_000 * Nanoseconds.second)
  private(set) var events: [LocationEvent] = []
  private let parser = GpsdParser()
  private var reports = GpsdReports()
  private var lastTime: Int64?

  /// Between two TPVs of one epoch, as gpsd writes them from one read.
  static let withinEpoch = Nanoseconds.millisecond

  init(_ change: (inout LocationEngine.Configuration) -> Void = { _ in }) {
    var configuration = LocationEngine.Configuration()
    configuration.trustFrom = Self.buildDate
    change(&configuration)
    engine = LocationEngine(configuration: configuration)
    engine.start(at: now, into: &events)
  }

  // MARK: What came out

  var fixes: [Fix] {
    events.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
  }
  var states: [LocationState] {
    events.compactMap { if case .state(let state) = $0 { state } else { nil } }
  }
  var headings: [Heading] {
    events.compactMap { if case .heading(let heading) = $0 { heading } else { nil } }
  }
  var receivers: [String?] {
    events.compactMap { if case .receiver(let name) = $0 { .some(name) } else { nil } }
  }

  /// The filters' verdict on each fix, in order, with the engine's period and rest of that moment.
  private(set) var verdicts: [FilterVerdict] = []
  var filter: LocationFilter?

  // MARK: What goes in

  /// Lets time pass, calling the engine when it asks for it.
  func wait(_ nanoseconds: Int64) {
    let end = now + nanoseconds
    while let deadline = engine.deadline, deadline <= end {
      now = max(now, deadline)
      perform { $0.advance(to: now, into: &$1) }
    }
    now = end
  }

  func wait(seconds: Double) {
    wait(Int64(seconds * 1e9))
  }

  /// The machine is suspended: what was due meanwhile is looked at together, at the end.
  func suspend(seconds: Int64) {
    now = now + seconds * Nanoseconds.second
    perform { $0.advance(to: now, into: &$1) }
  }

  func report(_ report: GnssReport) {
    perform { $0.handle(report, at: now, into: &$1) }
  }

  /// gpsd answered and has these receivers.
  func connect(_ receivers: [String]) {
    report(.connected)
    report(.receivers(receivers))
  }

  /// One TPV of now.
  func position(
    _ latitude: Double, _ longitude: Double, mode: Int = 3, receiver: String? = nil,
    _ change: (inout PositionReport) -> Void = { _ in }
  ) {
    var position = PositionReport(receipt: now, mode: mode)
    position.latitude = latitude
    position.longitude = longitude
    position.receiver = receiver
    change(&position)
    report(.position(position))
  }

  func stop() {
    perform { $0.stop(at: now, into: &$1) }
  }

  /// Motion as the accelerometer has it.
  func motion(isStill: Bool?, deviation: Double?) {
    engine.noteMotion(isStill: isStill, deviation: deviation)
  }

  func setClock(offset: Int64?) {
    engine.systemClockOffset = offset
  }

  /// One line of gpsd's, as of now.
  func line(_ text: some StringProtocol) {
    guard let message = parser?.message(ArraySlice(text.utf8), receipt: now) else { return }
    for one in reports.reports(of: message) { report(one) }
  }

  /// A case's stream: an epoch each `step`, its TPVs one after the other.
  func play(_ lines: [String], step: Int64 = Nanoseconds.second) {
    for text in lines {
      if case .position(let position)? = parser?.message(ArraySlice(text.utf8), receipt: now) {
        let isSame = position.time != nil && position.time == lastTime
        wait(isSame ? Self.withinEpoch : step)
        lastTime = position.time
      }
      line(text)
    }
    wait(step / 2)
  }

  private func perform(_ body: (inout LocationEngine, inout [LocationEvent]) -> Void) {
    var fresh: [LocationEvent] = []
    body(&engine, &fresh)
    events += fresh
    for case .fix(let fix) in fresh where fix.refined != true {
      guard var asked = filter, let receipt = engine.lastFixReceipt else { continue }
      verdicts.append(
        asked.evaluate(
          fix, receipt: receipt, medianPeriod: engine.medianPeriod,
          stationary: engine.isStationary))
      filter = asked
    }
  }
}

/// A case's stream of gpsd lines.
enum LocationCase {
  static func lines(_ name: String) throws -> [String] {
    let file = Fixtures.folder + "/cases/\(name).jsonl"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    return text.split(separator: "\n").map(String.init)
  }

  /// A case played on a receiver that is listed from the start.
  static func play(
    _ name: String, step: Int64 = Nanoseconds.second, filter: LocationFilter? = nil,
    _ change: (inout LocationEngine.Configuration) -> Void = { _ in }
  ) throws -> LocationDrive {
    let drive = LocationDrive(change)
    drive.filter = filter
    drive.report(.connected)
    drive.play(try lines(name), step: step)
    return drive
  }
}

extension [Fix] {
  /// Metres from fix to fix.
  var steps: [Double] {
    zip(self, dropFirst()).map { $0.distance(to: $1) }
  }
}

extension Fix {
  func distance(to other: Fix) -> Double {
    Geodesic.distance(
      fromLatitude: latitude, longitude: longitude,
      toLatitude: other.latitude, longitude: other.longitude)
  }
}
