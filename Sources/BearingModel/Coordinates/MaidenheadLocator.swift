/// A Maidenhead grid locator, as radio amateurs give a place: `JO62qm`.
///
/// Source: the definition of IARU Region 1 (1980, extended 1999): pairs of field (20° × 10°),
/// square (2° × 1°), subsquare (5′ × 2.5′), extended square (30″ × 15″) and so on in turn of 24
/// and 10, longitude first, counted from 180° W and the south pole.
public struct MaidenheadLocator: Sendable, Equatable, CustomStringConvertible {
  /// The locator, such as `JO62qm`.
  public let description: String

  /// The cell of `pairs` pairs (1 to 5) that holds a place in degrees; nil for one not on Earth.
  ///
  /// Longitude is taken modulo 360. The north pole is in the northernmost row.
  public init?(latitude: Double, longitude: Double, pairs: Int = 4) {
    guard latitude.magnitude <= 90, longitude.isFinite, (1...5).contains(pairs) else { return nil }
    // Counted in cells of the smallest pair asked for, so that each digit is exact.
    let divisions = [18, 10, 24, 10, 24].prefix(pairs)
    let cells = divisions.reduce(1, *)
    let turns = ((longitude + 180) / 360).rounded(.down)
    var column = Int(((longitude + 180 - 360 * turns) * Double(cells) / 360).rounded(.down))
    var row = Int(((latitude + 90) * Double(cells) / 180).rounded(.down))
    column = min(column, cells - 1)
    row = min(row, cells - 1)

    var digits: [Character] = []
    for (index, division) in divisions.enumerated().reversed() {
      digits.append(Self.digit(row % division, pair: index))
      digits.append(Self.digit(column % division, pair: index))
      row /= division
      column /= division
    }
    description = String(digits.reversed())
  }

  private static func digit(_ value: Int, pair: Int) -> Character {
    let first: UInt8 =
      switch pair {
      case 0: UInt8(ascii: "A")
      case 1, 3: UInt8(ascii: "0")
      default: UInt8(ascii: "a")
      }
    return Character(UnicodeScalar(first + UInt8(value)))
  }
}
