/// Reads what a person types for a time, a distance or a rate.
enum Quantity {
  /// A number and its unit, such as "1.5km"; nil when it is not that, or below 0.
  private static func split(_ text: String) -> (number: Double, unit: String)? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "e") }
    // "5e" is not a number but "5" with an unknown unit "e".
    let cut = digits.lastIndex { $0.isNumber }.map { digits.index(after: $0) }
    guard let cut, let number = Double(text[..<cut]), number.isFinite else { return nil }
    return (number, String(text[cut...]))
  }

  /// A time: 500ms, 5s, 2m (or 2min), 1h, or seconds without a unit.
  static func duration(_ text: String) -> Duration? {
    guard let (number, unit) = split(text) else { return nil }
    let seconds: Double
    switch unit {
    case "ms": seconds = number / 1000
    case "", "s": seconds = number
    case "m", "min": seconds = number * 60
    case "h": seconds = number * 3600
    default: return nil
    }
    guard seconds <= 1e9 else { return nil }  // 31 years: far from where Duration overflows
    return .seconds(seconds)
  }

  /// A distance in metres: 10m, 2km, 30ft, 1mi, 1nmi, or metres without a unit.
  static func distance(_ text: String) -> Double? {
    guard let (number, unit) = split(text) else { return nil }
    let metres: Double
    switch unit {
    case "", "m": metres = number
    case "km": metres = number * 1000
    case "ft": metres = number * Length.metresPerFoot
    case "mi": metres = number * Length.metresPerMile
    case "nmi", "NM": metres = number * Length.metresPerNauticalMile
    default: return nil
    }
    return metres.isFinite ? metres : nil
  }

  /// A rate in hertz above 0: 50, 50Hz.
  static func rate(_ text: String) -> Double? {
    guard let (number, unit) = split(text), number > 0 else { return nil }
    return ["", "Hz", "hz"].contains(unit) ? number : nil
  }
}
