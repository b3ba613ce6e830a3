import BearingModel
import Testing

@testable import BearingCore

/// The two sums of evidence, fix by fix, against sums made by hand.
@Suite struct RegionEvidenceTests {
  /// Metres along the equator to a degree of longitude: WGS84's axis times pi / 180.
  private static let metresInDegree = 111_319.490_793

  /// Equal fixes, and the number of the one that changes the state; nil when none does.
  struct Row {
    var state: RegionState
    var radius: Double
    var accuracy: Double?
    var distance: Double
    /// Milliseconds from fix to fix.
    var step: Int64 = 1000
    var decides: Int?
  }

  private func fix(_ distance: Double, _ accuracy: Double?) -> Fix {
    var fix = Fix(sequence: 1, latitude: 0, longitude: distance / Self.metresInDegree)
    fix.horizontalAccuracy = accuracy
    return fix
  }

  private func region(_ radius: Double, _ state: RegionState) -> Region {
    Region(identifier: "home", latitude: 0, longitude: 0, radius: radius, state: state)
  }

  private func moment(_ milliseconds: Int64) -> FixMoment {
    FixMoment(
      receipt: BootTime(nanoseconds: milliseconds * Nanoseconds.millisecond), time: nil)
  }

  @Test(arguments: [
    // Inside at 1.5: (R − d)/c a fix, 1 at most.
    Row(state: .outside, radius: 50, accuracy: 10, distance: 0, decides: 2),
    Row(state: .unknown, radius: 50, accuracy: 10, distance: 44.9, decides: 3),  // 0.51
    Row(state: .outside, radius: 50, accuracy: 10, distance: 46.1, decides: 4),  // 0.39
    Row(state: .outside, radius: 50, accuracy: 10, distance: 50.1, decides: nil),
    // No accuracy is taken for better than 5 m: 2.4 m are 0.48 of it.
    Row(state: .outside, radius: 50, accuracy: 2, distance: 47.6, decides: 4),
    // Less accurate than R and than 100 m.
    Row(state: .outside, radius: 50, accuracy: 100, distance: 0, decides: 3),  // 0.5
    Row(state: .outside, radius: 50, accuracy: 100.1, distance: 0, decides: nil),
    Row(state: .outside, radius: 200, accuracy: 150, distance: 0, decides: 2),
    Row(state: .outside, radius: 50, accuracy: nil, distance: 0, decides: nil),
    // The first counts 1, each later one the seconds since the one before, at most 1.
    Row(state: .outside, radius: 50, accuracy: 10, distance: 0, step: 200, decides: 4),
    Row(state: .outside, radius: 50, accuracy: 10, distance: 0, step: 10_000, decides: 2),
    // Outside at 2.5: (d − R − h)/c − 1.25 a fix, 1 at most; h is 10 m.
    Row(state: .inside, radius: 50, accuracy: 10, distance: 100, decides: 3),
    Row(state: .inside, radius: 50, accuracy: 10, distance: 80, decides: 4),  // 0.75
    Row(state: .inside, radius: 50, accuracy: 10, distance: 72.4, decides: nil),  // below 0
    Row(state: .inside, radius: 50, accuracy: 2, distance: 70, decides: 4),  // 0.75 by 5 m
    Row(state: .inside, radius: 50, accuracy: 10, distance: 100, step: 500, decides: 4),
    Row(state: .inside, radius: 50, accuracy: nil, distance: 1000, decides: nil),
    Row(state: .inside, radius: 50, accuracy: 200, distance: 1000, decides: 3),
    // h is a tenth of R, 10 m at least and 20 m at most.
    Row(state: .inside, radius: 150, accuracy: 10, distance: 182, decides: 6),  // 15 m: 0.45
    Row(state: .inside, radius: 500, accuracy: 10, distance: 540, decides: 4),  // 20 m: 0.75
    Row(state: .unknown, radius: 50, accuracy: 10, distance: 100, decides: 3),
  ])
  func equalFixesDecideAtTheNumberThatTheSumsSay(_ row: Row) {
    var watch = RegionWatch(
      region(row.radius, row.state), now: BootTime(nanoseconds: 0))
    var decided: Int?
    for number in 1...20 where decided == nil {
      let change = watch.note(
        fix(row.distance, row.accuracy), at: moment(Int64(number) * row.step))
      if watch.state == row.state { continue }
      decided = number
      // From unknown to outside is not told.
      let told: RegionWatch.Change? =
        watch.state == .inside ? .enter : row.state == .inside ? .exit : nil
      #expect(change == told)
    }
    #expect(decided == row.decides)
  }

  @Test func aSumIsNeverBelowNothingAndAChangeBeginsBothAnew() {
    var watch = RegionWatch(region(50, .outside), now: BootTime(nanoseconds: 0))
    // Ten far away cost no more than one; then two inside, which is an enter, and one more of it.
    let distances: [Double] = Array(repeating: 1000, count: 10) + [0, 0, 0, 1000, 1000, 1000]
    let changes = distances.enumerated().map { index, distance in
      watch.note(fix(distance, 10), at: moment(Int64(index) * 1000))
    }
    #expect(changes.firstIndex(of: .enter) == 11)
    #expect(changes.firstIndex(of: .exit) == 15)
    #expect(changes.compactMap(\.self).count == 2)
  }

  @Test func aRegionThatSleepsForgetsWhatEvidenceItHad() {
    var table = RegionTable()
    table.add(region(50, .unknown), owner: 7, now: BootTime(nanoseconds: 0))
    func told(_ second: Int64) -> [RegionEventKind?] {
      table.note(fix(0, 10), at: moment(1000 * second)).map(\.kind)
    }
    #expect(told(1) == [])
    // Nothing that is to be stored has changed.
    #expect(table.wake({ _ in false }, now: BootTime(nanoseconds: 0)).isEmpty)
    #expect(told(2) == [])
    #expect(table.wake({ _ in true }, now: BootTime(nanoseconds: 0)).isEmpty)
    #expect(told(3) == [])
    #expect(told(4) == [.enter])
    #expect(table.wake({ _ in false }, now: BootTime(nanoseconds: 0)).map(\.kind) == [nil])
    #expect(table.regions(of: 7).map(\.state) == [.unknown])
  }
}
