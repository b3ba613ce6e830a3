import BearingModel
import Testing

@testable import BearingCore

@Suite struct LocationFilterTests {
  private let second = Nanoseconds.second

  private func fix(_ latitude: Double = 50, accuracy: Double? = nil, _ basis: AccuracyBasis = .dop)
    -> Fix
  {
    var fix = Fix(sequence: 1, latitude: latitude, longitude: 8)
    fix.horizontalAccuracy = accuracy
    fix.accuracyBasis = accuracy == nil ? .unknown : basis
    return fix
  }

  /// Moments in milliseconds at which fixes at one place are asked about; those that pass.
  private func passing(
    _ filter: LocationFilter, at moments: [Int], period: Int?
  ) -> [Int] {
    var filter = filter
    return moments.filter { moment in
      filter.evaluate(
        fix(), receipt: BootTime(nanoseconds: Int64(moment) * Nanoseconds.millisecond),
        medianPeriod: period.map { Int64($0) * Nanoseconds.millisecond }, stationary: false
      ).passed
    }
  }

  @Test("Without filters all pass")
  func none() {
    #expect(passing(LocationFilter(), at: [0, 1, 2], period: nil) == [0, 1, 2])
    #expect(passing(LocationFilter(minInterval: 0), at: [0, 0], period: nil) == [0, 0])
  }

  @Test(
    "The interval's tolerance is the smallest of a tenth, a fifth of the period, and 500 ms",
    arguments: [
      (1000, 1000, 900), (1000, 100, 980), (20_000, 20_000, 19_500), (20_000, nil, 20_000),
    ] as [(Int, Int?, Int)])
  func tolerance(interval: Int, period: Int?, needed: Int) {
    let filter = LocationFilter(minInterval: interval)
    #expect(passing(filter, at: [0, needed - 1], period: period) == [0])
    #expect(passing(filter, at: [0, needed], period: period) == [0, needed])
  }

  @Test("The interval counts from the fix delivered last")
  func intervalAnchor() {
    let moments = [0, 600, 1200, 1800, 2400, 3000]
    #expect(
      passing(LocationFilter(minInterval: 1000), at: moments, period: 600) == [0, 1200, 2400])
  }

  @Test("An interval beyond all time holds everything after the first")
  func hugeInterval() {
    #expect(passing(LocationFilter(minInterval: .max), at: [0, 1_000_000], period: 1) == [0])
  }

  @Test("An accuracy that is unknown or too large is held back, also the first")
  func accuracy() {
    var filter = LocationFilter(maximumAccuracy: 10)
    let moment = BootTime(nanoseconds: 0)
    let verdicts = [nil, 10.1, 10, 3].map { accuracy in
      filter.evaluate(
        fix(accuracy: accuracy), receipt: moment, medianPeriod: nil, stationary: false)
    }
    #expect(verdicts.map(\.passed) == [false, false, true, true])
    #expect(verdicts[1] == .held(by: .maximumAccuracy, value: 10.1, limit: 10))
    #expect(verdicts[0].value.isNaN)
  }

  @Test("Both filters must pass, and a fix held back moves no reference")
  func both() {
    var filter = LocationFilter(minInterval: 1000, distanceFilter: 20)
    let asked: [(Int64, Double, FilterVerdict.Filter)] = [
      (0, 50, .none), (500, 50.001, .minInterval), (2000, 50.0001, .distanceFilter),
      (3000, 50.0002, .none), (4000, 50.0001, .distanceFilter),
    ]
    for (moment, latitude, expected) in asked {
      let verdict = filter.evaluate(
        fix(latitude), receipt: BootTime(nanoseconds: moment * Nanoseconds.millisecond),
        medianPeriod: second, stationary: false)
      #expect(verdict.filter == expected)
    }
    // 1e-4° of latitude at 50° is 11.123 m on WGS84 (GeographicLib).
    let verdict = filter.evaluate(
      fix(50.0001), receipt: BootTime(nanoseconds: 5 * second), medianPeriod: second,
      stationary: false)
    #expect(abs(verdict.value - 11.123) < 0.001)
    #expect(verdict.limit == 20)
  }

  @Test(
    "At rest a distance counts from the third fix in a row beyond the receiver's wander",
    arguments: [(AccuracyBasis.dop, 3.0), (.receiver, 2.0)])
  func stationary(basis: AccuracyBasis, accuracies: Double) {
    // 0.0003° is 33.4 m: beyond 3 · 10 m, and beyond 2 · 15 m, but not the other way round.
    let accuracy = basis == .dop ? 15.0 : 10.0
    var filter = LocationFilter(distanceFilter: 5)
    func ask(_ latitude: Double, stationary: Bool = true) -> FilterVerdict {
      filter.evaluate(
        fix(latitude, accuracy: accuracy, basis), receipt: BootTime(nanoseconds: 0),
        medianPeriod: nil, stationary: stationary)
    }
    #expect(ask(50).passed)
    let verdicts = [50.0003, 50.0003, 50.0001, 50.0003, 50.0003, 50.0003].map { ask($0) }
    #expect(verdicts.map(\.passed) == [false, false, false, false, false, true])
    #expect(verdicts[0].filter == .stationary)
    #expect(verdicts[0].limit == 30)
    #expect(ask(50.0004, stationary: false).passed)
  }

  @Test("The first reply's fix is the reference of both filters")
  func firstReply() {
    var filter = LocationFilter(minInterval: 1000, distanceFilter: 5)
    filter.noteDelivered(fix(), receipt: BootTime(nanoseconds: 0))
    let verdict = filter.evaluate(
      fix(50.001), receipt: BootTime(nanoseconds: second / 2), medianPeriod: nil,
      stationary: false)
    #expect(verdict.filter == .minInterval)
  }

  @Test("A filter is a flat record")
  func flat() {
    func size<Record: BitwiseCopyable>(_ record: Record) -> Int { MemoryLayout<Record>.size }
    #expect(size(LocationFilter()) <= 64)
    #expect(size(FilterVerdict.passed) <= 32)
  }
}

@Suite struct LocationRestTests {
  private func drive(_ speeds: [Double?]) -> LocationDrive {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    for speed in speeds {
      drive.wait(Nanoseconds.second)
      drive.position(50, 8) { $0.speed = speed }
    }
    return drive
  }

  @Test(
    "Rest is a small speed whose medians over 10 s and 2 s are small",
    arguments: [
      ([0.1, 0.2, 0.1], true),
      ([0.1, 0.2, 1.0], false),
      ([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.7, 0.7, 0.7], false),
      ([0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1], false),
      ([0.4, 0.4, 0.4, 0.9, 0.4], true),
      ([nil, nil], false),
    ] as [([Double?], Bool)])
  func bySpeed(speeds: [Double?], isAtRest: Bool) {
    #expect(drive(speeds).engine.isStationary == isAtRest)
  }

  @Test("A still accelerometer is rest unless the receiver moves", arguments: [0.9, 1.0, nil])
  func byAccelerometer(speed: Double?) {
    let drive = drive([5, 5, 5])
    drive.motion(isStill: true, deviation: 0)
    drive.position(50, 8) { $0.speed = speed }
    #expect(drive.engine.isStationary == ((speed ?? 0) < 1))
  }
}
