internal import Foundation

/// What a receiver says that moves north at a steady speed, as NMEA sentences.
public struct NMEATrack: Sendable {
  /// Fixes in a second.
  public let rate: Int
  /// Magnetic variation as RMC has it: degrees, a comma, and E or W.
  public let variation: String
  private let start: Int
  private static let metresPerDegree = 111_320.0
  private static let metresPerSecond = 10.0
  private static let knotsPerMetrePerSecond = 1.943_844

  /// A track from noon of a day in 2026 on.
  public init(rate: Int, variation: String = ",") {
    self.rate = rate
    self.variation = variation
    start = 12 * 3600
  }

  /// RMC and GGA of one fix, with their line ends.
  public func sentences(of index: Int) -> [String] {
    let second = start + index / rate
    let fraction = Double(index % rate) / Double(rate)
    let time = String(
      format: "%02d%02d%05.2f", second / 3600 % 24, second / 60 % 60, Double(second % 60) + fraction
    )
    let north = Double(index) / Double(rate) * Self.metresPerSecond / Self.metresPerDegree
    let minutes = (north - north.rounded(.down)) * 60
    let latitude = String(format: "%02d%08.5f", 46 + Int(north), minutes)
    let knots = Self.metresPerSecond * Self.knotsPerMetrePerSecond
    let place = "\(latitude),N,00800.00000,E"
    return [
      String(format: "GPRMC,%@,A,%@,%.3f,0.00,301126,%@,A", time, place, knots, variation),
      "GPGGA,\(time),\(place),1,08,1.00,500.0,M,50.0,M,,",
    ].map(Self.framed)
  }

  /// A recording of so many fixes.
  public func recording(fixes: Int) -> String {
    (0..<fixes).flatMap(sentences).joined()
  }

  private static func framed(_ body: String) -> String {
    String(format: "$%@*%02X\r\n", body, body.utf8.reduce(0, ^))
  }
}
