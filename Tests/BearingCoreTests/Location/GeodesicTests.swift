import Testing

@testable import BearingCore

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

  @Test("A place that is no number has no distance")
  func notFinite() {
    let distance = Geodesic.distance(
      fromLatitude: .nan, longitude: 0, toLatitude: 1, longitude: 1)
    #expect(distance.isNaN)
  }
}
