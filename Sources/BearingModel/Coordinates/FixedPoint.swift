/// Writes a number with exactly `decimals` places (0 to 9), whatever the locale; never "-0".
///
/// Meant for people: the wire has `JSONWriter`. Anything that is not finite reads "–".
package func fixedPoint(_ number: Double, decimals: Int) -> String {
  guard number.isFinite, number.magnitude < 1e9 else {
    return number.isFinite ? number.description : "–"
  }
  var power: UInt64 = 1
  for _ in 0..<decimals { power *= 10 }
  let units = UInt64((number.magnitude * Double(power)).rounded())
  let sign = number < 0 && units > 0 ? "-" : ""
  guard decimals > 0 else { return sign + String(units) }
  return sign + String(units / power) + "." + zeroPadded(units % power, width: decimals)
}

/// Writes a whole number with leading zeros up to `width` digits.
package func zeroPadded(_ number: UInt64, width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
