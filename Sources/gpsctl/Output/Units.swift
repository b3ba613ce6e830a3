internal import BearingModel

/// Lengths in metres, all exact by definition.
enum Length {
  static let metresPerFoot = 0.3048
  static let metresPerMile = 1609.344
  static let metresPerNauticalMile = 1852.0
}

/// The units that lengths and speeds are shown in.
enum Units: String, CaseIterable, Sendable {
  case metric, imperial, nautical

  /// A height, accuracy or short distance: metres or feet.
  func length(_ metres: Double, decimals: Int = 1) -> String {
    switch self {
    case .metric: "\(fixedPoint(metres, decimals: decimals)) m"
    case .imperial, .nautical:
      "\(fixedPoint(metres / Length.metresPerFoot, decimals: decimals)) ft"
    }
  }

  /// A speed: km/h, mph or knots.
  func speed(_ metresPerSecond: Double) -> String {
    let metresPerHour = metresPerSecond * 3600
    return switch self {
    case .metric: "\(fixedPoint(metresPerHour / 1000, decimals: 1)) km/h"
    case .imperial: "\(fixedPoint(metresPerHour / Length.metresPerMile, decimals: 1)) mph"
    case .nautical: "\(fixedPoint(metresPerHour / Length.metresPerNauticalMile, decimals: 1)) kn"
    }
  }
}

/// How a place is written.
enum CoordinateFormat: String, CaseIterable, Sendable {
  case decimal, dms, utm, maidenhead

  /// A place in degrees. Where UTM has no zone (beyond 84° N and 80° S), decimal degrees.
  func text(latitude: Double, longitude: Double) -> String {
    switch self {
    case .decimal:
      break
    case .dms:
      return SexagesimalAngle(latitude, on: .latitude).description + " "
        + SexagesimalAngle(longitude, on: .longitude).description
    case .utm:
      if let place = UTMCoordinate(latitude: latitude, longitude: longitude) {
        return place.description
      }
    case .maidenhead:
      if let place = MaidenheadLocator(latitude: latitude, longitude: longitude) {
        return place.description
      }
    }
    return "\(fixedPoint(latitude, decimals: 7)), \(fixedPoint(longitude, decimals: 7))"
  }
}
