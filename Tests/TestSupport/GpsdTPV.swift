public import BearingModel
internal import Foundation

/// A TPV of gpsd's as Foundation's parser reads it, which shares no code with the daemon.
public struct GpsdTPV: Sendable, Equatable {
  /// 0 unknown, 1 no fix, 2 two dimensions, 3 three.
  public var mode: Int
  /// UTC since 1970, to gpsd's own millisecond; nil when it has no time.
  public var milliseconds: Int?
  /// The members of `names` that it has.
  public var numbers: [String: Double]

  /// Members that a fix takes over, by gpsd's names.
  public static let names = [
    "lat", "lon", "altMSL", "altHAE", "speed", "track", "climb", "eph", "epx", "epy", "epv", "eps",
    "epd",
  ]
  /// What two readers of one decimal number may differ by.
  private static let tolerance = 1e-9

  /// One of these values.
  public init(mode: Int, milliseconds: Int?, numbers: [String: Double]) {
    self.mode = mode
    self.milliseconds = milliseconds
    self.numbers = numbers
  }

  /// What a line says; nil for a line of any other class.
  public init?(_ line: String) {
    guard let any = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
      let object = any as? [String: Any], object["class"] as? String == "TPV"
    else { return nil }
    mode = object["mode"] as? Int ?? 0
    numbers = [:]
    if let text = object["time"] as? String {
      let formatter = ISO8601DateFormatter()
      formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
      milliseconds = formatter.date(from: text).map {
        Int(($0.timeIntervalSince1970 * 1000).rounded())
      }
    }
    for name in Self.names { numbers[name] = object[name] as? Double }
  }

  /// Whether it is a fix: it says where.
  public var isFix: Bool { mode >= 2 && numbers["lat"] != nil && numbers["lon"] != nil }

  /// Whether it has any altitude.
  public var hasAltitude: Bool { numbers["altMSL"] != nil || numbers["altHAE"] != nil }

  /// Whether `fix` says what it says: time, dimensions, place, altitudes and speed.
  public func isTold(by fix: Fix) -> Bool {
    isFix && fix.dimensions == mode && fix.timestamp.map { $0 / 1000 } == milliseconds
      && Self.isSame(fix.latitude, numbers["lat"]) && Self.isSame(fix.longitude, numbers["lon"])
      && Self.isSame(fix.altitude, numbers["altMSL"])
      && Self.isSame(fix.ellipsoidalAltitude, numbers["altHAE"])
      && Self.isSame(fix.speed, numbers["speed"])
  }

  /// Equal to the tolerance of decimal numbers.
  public static func == (lhs: GpsdTPV, rhs: GpsdTPV) -> Bool {
    lhs.mode == rhs.mode && lhs.milliseconds == rhs.milliseconds
      && names.allSatisfy { isSame(lhs.numbers[$0], rhs.numbers[$0]) }
  }

  private static func isSame(_ one: Double?, _ other: Double?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return abs(one - other) <= tolerance
  }

  /// Metres to another place on a sphere, right within 0.6 %; nil when one has no place.
  public func distance(to other: GpsdTPV) -> Double? {
    guard let lat1 = numbers["lat"], let lon1 = numbers["lon"],
      let lat2 = other.numbers["lat"], let lon2 = other.numbers["lon"]
    else { return nil }
    let (phi1, phi2) = (lat1 * .pi / 180, lat2 * .pi / 180)
    let (dPhi, dLambda) = ((phi2 - phi1) / 2, (lon2 - lon1) * .pi / 360)
    let a = sin(dPhi) * sin(dPhi) + cos(phi1) * cos(phi2) * sin(dLambda) * sin(dLambda)
    return 2 * 6_371_008.8 * asin(min(1, a.squareRoot()))
  }

  /// TPVs in a row that have one time; those without are each alone.
  public static func epochs(_ tpvs: [GpsdTPV]) -> [[GpsdTPV]] {
    tpvs.reduce(into: []) { epochs, tpv in
      if let last = epochs.last?.last, last.milliseconds != nil,
        last.milliseconds == tpv.milliseconds
      {
        epochs[epochs.count - 1].append(tpv)
      } else {
        epochs.append([tpv])
      }
    }
  }
}
