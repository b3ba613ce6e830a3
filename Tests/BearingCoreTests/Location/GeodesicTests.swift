import BearingModel
import Testing

@testable import BearingCore

/// From PyPI's geographiclib, to a tenth of a millimetre.
private let seams: [([Double], Double)] = [
  ([-17, 179.9999, -17, -179.9999], 21.2972), ([0, 179.5, 0, -179.5], 111_319.4908),
  ([64.5, 180, 64.5, -180], 0), ([-17, 179.9998, -17, -179.999], 127.783),
  ([90, 0, 90, 180], 0), ([89.9999, 0, 89.9999, 180], 22.3388),
  ([-90, 0, -89.9998, 77], 22.3388), ([89.9999, -45, 89.9999, 135], 22.3388),
  ([90, 10, 0, 10], 10_001_965.7293), ([-90, 0, 90, 0], 20_003_931.4586),
  ([0, 0, 0, 0.0001], 11.1319), ([0, 0, 0.0001, 0], 11.0574),
  ([-0.0001, -30, 0.0001, -30], 22.1149), ([0, -90, 0, 90], 20_003_931.4586),
  ([0, 0, 0.5, 179.7], 19_944_127.4208), ([46, -30, 46, -29.99], 774.633),
  ([51, -0.0001, 51, 0.0001], 14.0395),
  ([40.7128, -74.006, -33.8568, 151.2153], 15_986_953.3251),
]

@Suite struct GeodesicTests {
  /// Right values by the Python port of GeographicLib, which shares no code with the C++ one.
  @Test(
    "Distances are those of the WGS84 geodesic",
    arguments: [
      ([0, 0, 46, -30], 5881210.59807824),
      ([-17, 179.999, -17, -179.999], 212.9716615227533),
      ([89.9996, 0, 89.9996, 180], 89.35518364707907),
      ([90, 0, 90, 180], 0),
      ([52.5, 13.25, 52.5001, 13.25], 11.127683389920012),
      ([-33.8568, 151.2153, 51.4779, -0.0015], 16982636.773411192),
      ([0, 0, 0.5, 179.7], 19944127.420750458),
    ] as [([Double], Double)])
  func distances(ends: [Double], metres: Double) {
    let distance = Geodesic.distance(
      fromLatitude: ends[0], longitude: ends[1], toLatitude: ends[2], longitude: ends[3])
    #expect(abs(distance - metres) < 1e-6)
  }

  private static func fix(_ latitude: Double, _ longitude: Double) -> Fix {
    var fix = Fix(sequence: 1, latitude: latitude, longitude: longitude)
    fix.horizontalAccuracy = 0.01
    return fix
  }

  @Test("At the seams of the globe distances are right to a centimetre", arguments: seams)
  func seamsOfTheGlobe(ends: [Double], metres: Double) {
    let distance = Geodesic.distance(
      fromLatitude: ends[0], longitude: ends[1], toLatitude: ends[2], longitude: ends[3])
    #expect(abs(distance - metres) < 0.01)
  }

  @Test(
    "A distance filter lets a fix through from that distance on, to a centimetre",
    arguments: seams.filter { $0.1 > 0 })
  func filters(ends: [Double], metres: Double) {
    for (limit, passes) in [(metres - 0.01, true), (metres + 0.01, false)] {
      var filter = LocationFilter(distanceFilter: limit)
      let start = BootTime(nanoseconds: 0)
      filter.noteDelivered(Self.fix(ends[0], ends[1]), receipt: start)
      let verdict = filter.evaluate(
        Self.fix(ends[2], ends[3]), receipt: start + Nanoseconds.second, medianPeriod: nil,
        stationary: false)
      #expect(verdict.passed == passes)
    }
  }

  /// Evidence for inside grows from the border inwards: just inside it ever rises, just outside never.
  @Test(
    "A region's border is at its radius, to a centimetre",
    arguments: seams.filter { $0.1 > 1 && $0.1 < 20_000_000 })
  func regions(ends: [Double], metres: Double) {
    for (radius, isInside) in [(metres + 0.01, true), (metres - 0.01, false)] {
      let region = Region(
        identifier: "a", latitude: ends[0], longitude: ends[1], radius: radius)
      var watch = RegionWatch(region, now: BootTime(nanoseconds: 0))
      for second in 1..<5000 {
        let moment = FixMoment(
          receipt: BootTime(nanoseconds: Int64(second) * Nanoseconds.second), time: nil)
        _ = watch.note(Self.fix(ends[2], ends[3]), at: moment)
      }
      #expect(watch.state == (isInside ? .inside : .unknown))
    }
  }

  @Test("A place that is no number has no distance")
  func notFinite() {
    let distance = Geodesic.distance(
      fromLatitude: .nan, longitude: 0, toLatitude: 1, longitude: 1)
    #expect(distance.isNaN)
  }
}
