import BearingModel
import Testing

@testable import BearingCore

/// Regions on gpsd 3.22's streams of situations that broke software of this kind.
@Suite struct RegionCaseTests {
  private struct Told: Equatable {
    var fix: Int
    var kind: RegionEventKind
  }

  /// What a region tells of a drive's fixes, by their index.
  private func events(_ region: Region, _ fixes: [Fix]) -> [Told] {
    var table = RegionTable()
    table.add(region, owner: 0, now: BootTime(nanoseconds: 0))
    return fixes.enumerated().flatMap { index, fix in
      let receipt = BootTime(nanoseconds: Int64(fix.bootTimestamp ?? 0) * Nanoseconds.microsecond)
      let moment = FixMoment(
        receipt: receipt, time: fix.timestamp.map { Int64($0) * Nanoseconds.microsecond })
      return table.note(fix, at: moment).compactMap { happening in
        happening.kind.map { Told(fix: index, kind: $0) }
      }
    }
  }

  private func distances(_ region: Region, _ fixes: [Fix]) -> [Double] {
    fixes.map { fix in
      Geodesic.distance(
        fromLatitude: region.latitude, longitude: region.longitude, toLatitude: fix.latitude,
        longitude: fix.longitude)
    }
  }

  /// Goes on from a drive's last fix, a second a step.
  private func goOn(_ fixes: [Fix], _ count: Int, _ step: (inout Fix) -> Void) -> [Fix] {
    guard var fix = fixes.last else { return [] }
    return fixes
      + (0..<count).map { _ in
        fix.bootTimestamp? += 1_000_000
        fix.timestamp? += 1_000_000
        step(&fix)
        return fix
      }
  }

  @Test("A circle on the 180th meridian is one circle, entered once and left once")
  func antimeridian() throws {
    let region = Region(identifier: "line", latitude: -17, longitude: 179.9998, radius: 60)
    var fixes = try LocationCase.play("05-antimeridian-eastbound").fixes
    let expected = [
      85.189, 63.891, 42.594, 21.297, 0, 21.297, 42.594, 63.891, 85.189, 106.486, 127.783,
    ]
    let distances = distances(region, fixes)
    #expect(distances.count == expected.count)
    for (distance, right) in zip(distances, expected) { #expect(abs(distance - right) < 0.01) }
    fixes = goOn(fixes, 10) { $0.longitude += 0.0002 }
    let told = events(region, fixes)
    #expect(told.map(\.kind) == [.enter, .exit])
    #expect(told.first.map { (2...6).contains($0.fix) } == true)
    #expect(told.last.map { $0.fix > 8 } == true)
  }

  @Test("A circle around the pole is entered and left on any meridian")
  func pole() throws {
    let region = Region(identifier: "pole", latitude: 90, longitude: 0, radius: 25)
    var fixes = try LocationCase.play("06-over-the-north-pole").fixes
    let inside = distances(region, fixes).map { $0 <= 25 }
    #expect(inside == [false, false, true, true, true, true, true, false, false])
    fixes = goOn(fixes, 10) { $0.latitude -= 0.0001 }
    let told = events(region, fixes)
    #expect(told.map(\.kind) == [.enter, .exit])
    #expect(told.first.map { (2...6).contains($0.fix) } == true)
  }

  @Test("An antenna that stands still enters once and never leaves, whatever its place wanders")
  func drift() throws {
    let region = Region(identifier: "site", latitude: 46, longitude: -30, radius: 50)
    let fixes = try LocationCase.play("11-stationary-drift-300s").fixes
    #expect(fixes.count == 300)
    #expect(events(region, fixes).map(\.kind) == [.enter])
  }

  @Test(
    "Who stands on the line and then walks away is told to enter at most once, and to leave once")
  func onTheLine() throws {
    let region = Region(identifier: "fence", latitude: 46, longitude: -30, radius: 100)
    let fixes = try LocationCase.play("12-fence-edge-jitter").fixes
    #expect(distances(region, fixes).count { $0 <= 100 } == 47)
    let fromUnknown = events(region, fixes).map(\.kind)
    #expect([[], [.enter, .exit]].contains(fromUnknown))
    var known = region
    known.state = .inside
    let told = events(known, fixes)
    #expect(told.map(\.kind) == [.exit])
    // At 6 m/s from the 90th second on.
    #expect(told.first.map { (93...112).contains($0.fix) } == true)
  }

  @Test("A fix 100 km away enters nothing there and leaves nothing here")
  func teleport() throws {
    let fixes = try LocationCase.play("13-teleport-100km-tight-eph").fixes
    let here = Region(
      identifier: "here", latitude: fixes[0].latitude, longitude: fixes[0].longitude, radius: 500)
    let there = Region(identifier: "there", latitude: 46.9, longitude: -30, radius: 20_000)
    #expect(events(here, fixes).map(\.kind) == [.enter])
    #expect(events(there, fixes).isEmpty)
  }

  @Test("A dwell goes on over a restart, is told once a stay, and is not told of an empty past")
  func dwell() {
    var region = Region(
      identifier: "home", latitude: 46, longitude: -30, radius: 50, dwell: 60_000, state: .inside)
    let minute = 60 * Nanoseconds.second
    let began = BootTime(nanoseconds: 5 * minute)
    var watch = RegionWatch(region, now: began + minute / 2, insideSince: began)
    #expect(watch.deadline == began + minute)
    let dwells = [minute - 1, minute, 2 * minute].map { watch.takeDwell(at: began + $0) }
    #expect(dwells == [false, true, false])
    #expect(watch.deadline == nil)
    // From another boot it is not known since when: it counts from now.
    watch = RegionWatch(region, now: began)
    #expect(watch.deadline == began + minute)
    watch = RegionWatch(region, now: began, isDwellTold: true, insideSince: began)
    #expect(watch.deadline == nil)
    region.state = .outside
    #expect(RegionWatch(region, now: began, insideSince: began).deadline == nil)
  }
}
