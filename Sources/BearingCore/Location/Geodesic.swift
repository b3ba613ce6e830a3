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
}
