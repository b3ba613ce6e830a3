/// A latitude or longitude in degrees, minutes and seconds, rounded so that 60 never shows.
public struct SexagesimalAngle: Sendable, Equatable, CustomStringConvertible {
  /// Which circle the angle is measured on: it decides the letter and the width of the degrees.
  public enum Axis: Sendable {
    case latitude, longitude
  }

  /// N, S, E or W. Zero is N or E.
  public let direction: Character
  /// Whole degrees, never negative.
  public let degrees: Int
  /// Whole minutes, 0 to 59.
  public let minutes: Int
  /// Whole seconds, 0 to 59.
  public let seconds: Int
  /// The rest of the seconds, in units of 10^−`decimals` seconds.
  public let fraction: Int
  /// Places of the seconds, 0 to 6.
  public let decimals: Int

  /// Rounds `angle`, in finite degrees, to `decimals` places of a second.
  ///
  /// Two places are 0.3 m, three are 3 cm. What rounds to zero has no south or west.
  public init(_ angle: Double, on axis: Axis, decimals: Int = 2) {
    let places = max(0, min(decimals, 6))
    var power = 1
    for _ in 0..<places { power *= 10 }
    // Rounded once, in the smallest unit: a carry then runs through seconds, minutes and degrees.
    let units = Int((angle.magnitude * 3600 * Double(power)).rounded())
    let isNegative = angle < 0 && units > 0
    direction =
      switch axis {
      case .latitude: isNegative ? "S" : "N"
      case .longitude: isNegative ? "W" : "E"
      }
    degrees = units / (3600 * power)
    minutes = units / (60 * power) % 60
    seconds = units / power % 60
    fraction = units % power
    self.decimals = places
  }

  /// Such as `52°31′12.03″N`.
  public var description: String {
    let places = decimals > 0 ? "." + zeroPadded(UInt64(fraction), width: decimals) : ""
    let minutes = zeroPadded(UInt64(minutes), width: 2)
    let seconds = zeroPadded(UInt64(seconds), width: 2)
    return "\(degrees)°\(minutes)′\(seconds)\(places)″\(direction)"
  }
}
