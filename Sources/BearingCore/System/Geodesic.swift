internal import CGeodesic

/// Distances on the WGS84 ellipsoid, right across the antimeridian and the poles.
public enum Geodesic {
  /// The length in metres of the shortest way between two places given in degrees.
  ///
  /// Karney's algorithm in GeographicLib, exact to nanometres; NaN when an argument is not finite.
  public static func distance(
    fromLatitude latitude1: Double, longitude longitude1: Double,
    toLatitude latitude2: Double, longitude longitude2: Double
  ) -> Double {
    cgeodesic_distance(latitude1, longitude1, latitude2, longitude2)
  }

  /// The place that is `distance` metres from a place in the direction `course`.
  ///
  /// - Parameters:
  ///   - course: Degrees from true north.
  ///   - distance: Metres.
  public static func destination(
    fromLatitude latitude: Double, longitude: Double, course: Double, distance: Double
  ) -> (latitude: Double, longitude: Double) {
    var place = (latitude: 0.0, longitude: 0.0)
    unsafe cgeodesic_direct(
      latitude, longitude, course, distance, &place.latitude, &place.longitude)
    return place
  }
}
