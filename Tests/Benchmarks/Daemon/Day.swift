import BearingCore
import BearingModel
import CBenchmarks
import CGeodesic
import Glibc

/// A day of fixes through the engine and the filters of 100 streams, half of which have a distance
/// filter: beside GeographicLib's distance alone, once for each such stream and fix.
func measureDay(_ report: inout Report) throws {
  let (fixes, streams) = (86_400, 100)
  let reports = (0..<fixes).map(dayReport)
  var filters = (0..<streams).map { index in
    LocationFilter(
      minInterval: index % 4 < 2 ? nil : 5000, distanceFilter: index % 2 == 0 ? nil : 25)
  }
  var engine = LocationEngine()
  var events: [LocationEvent] = []
  let begin = BootTime(nanoseconds: 0)
  engine.start(at: begin, into: &events)
  engine.handle(.connected, at: begin, into: &events)
  engine.handle(.receivers(["/dev/ttyACM0"]), at: begin, into: &events)
  events.removeAll()

  var all: [(fix: Fix, receipt: BootTime, period: Int64?, isStationary: Bool)] = []
  all.reserveCapacity(fixes)
  let engineTime = cpuSeconds {
    for position in reports {
      engine.handle(.position(position), at: position.receipt, into: &events)
      for case .fix(let fix) in events {
        all.append((fix, position.receipt, engine.medianPeriod, engine.isStationary))
      }
      events.removeAll(keepingCapacity: true)
    }
  }
  var delivered = 0
  let filterTime = cpuSeconds {
    for one in all {
      for index in filters.indices {
        let verdict = filters[index].evaluate(
          one.fix, receipt: one.receipt, medianPeriod: one.period, stationary: one.isStationary)
        if verdict.passed { delivered += 1 }
      }
    }
  }
  var metres = 0.0
  let distanceTime = cpuSeconds {
    for (one, next) in zip(all, all.dropFirst()) {
      for _ in 0..<(streams / 2) {
        metres += cgeodesic_distance(
          one.fix.latitude, one.fix.longitude, next.fix.latitude, next.fix.longitude)
      }
    }
  }
  guard all.count == fixes, delivered > fixes, metres > 0 else { throw Failure("no day of fixes") }
  report.row(
    "engine, a day (\(fixes) fixes)", engineTime * 1000, "ms",
    beside: "one distance a fix", distanceTime / Double(streams / 2) * 1000)
  report.row(
    "filters of \(streams) streams, a day", filterTime * 1000, "ms",
    beside: "\(streams / 2) distances a fix", distanceTime * 1000)
  report.row(
    "a fix and stream, all", (engineTime + filterTime) / Double(fixes * streams) * 1e9, "ns",
    beside: "a distance", distanceTime / Double(fixes * streams / 2) * 1e9)
}

/// One second of a day of driving north and resting, by turns of five minutes.
private func dayReport(_ second: Int) -> PositionReport {
  let (turn, turns) = (300, second / 600)
  let driven = turns * turn + min(second % 600, turn)
  let isDriving = second % 600 < turn
  var report = PositionReport(
    receipt: BootTime(nanoseconds: Int64(second + 1) * 1_000_000_000), mode: 3)
  report.receiver = "/dev/ttyACM0"
  report.time = (1_796_040_000 + Int64(second)) * 1_000_000_000
  report.latitude = 40 + Double(driven) * 15 / 111_320 + Double(second % 7) * 1e-6
  report.longitude = 8 + Double(second % 11) * 1e-6
  report.altitudeMSL = 500 + Double(second % 13)
  report.altitudeHAE = 550 + Double(second % 13)
  report.speed = isDriving ? 15 : 0.1
  report.track = 1.5
  report.climb = 0
  (report.epx, report.epy, report.epv) = (3, 4, 6)
  (report.eps, report.epd) = (0.5, 2)
  return report
}

/// CPU seconds of this thread.
private func cpuSeconds(_ body: () -> Void) -> Double {
  let start = clock()
  body()
  return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}
