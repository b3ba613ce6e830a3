import Glibc

/// A place in the Universal Transverse Mercator grid on WGS84, to better than 1 mm.
///
/// The projection is Krüger's series in the third flattening to its fourth order, as given in
/// C. F. F. Karney, "Transverse Mercator with an accuracy of a few nanometers", J. Geodesy 85
/// (2011), equations 7 to 9, 14 and 35: the terms left out are below 1 µm within a zone.
/// Zones and bands follow NGA.SIG.0012 (2014) with its exceptions for Norway and Svalbard.
public struct UTMCoordinate: Sendable, Equatable, CustomStringConvertible {
  /// 1 to 60, eastward from 180° W.
  public let zone: Int
  /// The latitude band, C (80° S) to X (84° N) without I and O; N and above are north.
  public let band: Character
  /// Metres east; 500 000 on the zone's central meridian.
  public let easting: Double
  /// Metres north of the equator; in the south, metres north of a line 10 000 km south of it.
  public let northing: Double

  /// The grid place of a latitude and longitude in degrees.
  ///
  /// Nil where the grid is not defined: south of 80° S, north of 84° N, and for what is not a
  /// place. Longitude is taken modulo 360.
  public init?(latitude: Double, longitude: Double) {
    guard latitude >= -80, latitude <= 84, longitude.isFinite else { return nil }
    let east = longitude - 360 * ((longitude + 180) / 360).rounded(.down)  // -180 ..< 180
    zone = Self.zone(latitude: latitude, longitude: east)
    band = Self.bands[min(Int((latitude + 80) / 8), Self.bands.count - 1)]
    let centralMeridian = Double(6 * zone - 183)
    let (x, y) = Self.project(
      latitude: latitude * .pi / 180, longitude: (east - centralMeridian) * .pi / 180)
    easting = Self.falseEasting + x
    northing = latitude < 0 ? Self.falseNorthing + y : y
  }

  /// Such as `33U 391776.59 5820073.21`.
  public var description: String {
    "\(zone)\(band) \(fixedPoint(easting, decimals: 2)) \(fixedPoint(northing, decimals: 2))"
  }

  // MARK: Zones

  private static let bands: [Character] = Array("CDEFGHJKLMNPQRSTUVWX")

  private static func zone(latitude: Double, longitude: Double) -> Int {
    if latitude >= 56, latitude < 64, longitude >= 3, longitude < 12 { return 32 }  // Norway
    if latitude >= 72, longitude >= 0, longitude < 42 {  // Svalbard
      switch longitude {
      case ..<9: return 31
      case ..<21: return 33
      case ..<33: return 35
      default: return 37
      }
    }
    return Int((longitude + 180) / 6) + 1
  }

  // MARK: Projection

  /// WGS84: metres of the equatorial radius, and flattening.
  private static let equatorialRadius = 6_378_137.0
  private static let flattening = 1 / 298.257223563
  private static let scaleOnCentralMeridian = 0.9996
  private static let falseEasting = 500_000.0
  private static let falseNorthing = 10_000_000.0

  /// Third flattening.
  private static let n = flattening / (2 - flattening)
  private static let eccentricity = (flattening * (2 - flattening)).squareRoot()
  /// Radius, in metres, of the circle as long as a meridian.
  private static let rectifyingRadius =
    equatorialRadius / (1 + n) * (1 + n * n / 4 + n * n * n * n / 64)
  /// Karney's α1 to α4.
  private static let alpha: [Double] = [
    n * (1.0 / 2 + n * (-2.0 / 3 + n * (5.0 / 16 + n * 41.0 / 180))),
    n * n * (13.0 / 48 + n * (-3.0 / 5 + n * 557.0 / 1440)),
    n * n * n * (61.0 / 240 - n * 103.0 / 140),
    n * n * n * n * 49561.0 / 161280,
  ]

  /// Metres east and north of the central meridian's crossing with the equator, from radians.
  private static func project(latitude: Double, longitude: Double) -> (x: Double, y: Double) {
    let tangent = tan(latitude)
    let secant = hypot(1, tangent)
    let shift = sinh(eccentricity * atanh(eccentricity * tangent / secant))
    let conformalTangent = tangent * hypot(1, shift) - shift * secant
    let spherical = (
      xi: atan2(conformalTangent, cos(longitude)),
      eta: asinh(sin(longitude) / hypot(conformalTangent, cos(longitude)))
    )
    var (xi, eta) = spherical
    for (index, coefficient) in alpha.enumerated() {
      let multiple = Double(2 * (index + 1))
      xi += coefficient * sin(multiple * spherical.xi) * cosh(multiple * spherical.eta)
      eta += coefficient * cos(multiple * spherical.xi) * sinh(multiple * spherical.eta)
    }
    let radius = scaleOnCentralMeridian * rectifyingRadius
    return (radius * eta, radius * xi)
  }
}
