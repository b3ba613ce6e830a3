/// Writes one JSON value into a byte buffer that is kept and reused, without allocating for each.
///
/// Numbers have a fixed number of decimals with trailing zeros cut, so they are never −0, NaN or
/// in exponent form. Absent values are left out by their callers' `if let`.
public struct JSONWriter: Sendable {
  /// What was written so far.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// A writer with room for `capacity` bytes.
  public init(capacity: Int = 512) {
    bytes.reserveCapacity(capacity)
  }

  /// Forgets what was written and keeps the room.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  // MARK: Structure

  /// Writes an object whose members are written by `body`.
  public mutating func object(_ body: (inout JSONWriter) -> Void) {
    comma()
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// Writes an array with one element for each of `elements`.
  public mutating func array<Elements: Sequence>(
    _ elements: Elements, _ element: (inout JSONWriter, Elements.Element) -> Void
  ) {
    comma()
    bytes.append(UInt8(ascii: "["))
    needsComma = false
    for one in elements { element(&self, one) }
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// Writes a member's name; its value must follow.
  public mutating func key(_ name: StaticString) {
    comma()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  // MARK: Values

  /// Writes a string, escaped as RFC 8259 demands.
  public mutating func value(_ string: String) {
    comma()
    bytes.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        bytes.append(contentsOf: [0x5c, 0x75, 0x30, 0x30])  // \u00
        bytes.append(Self.hexDigit(byte >> 4))
        bytes.append(Self.hexDigit(byte & 15))
      default:
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes true or false.
  public mutating func value(_ flag: Bool) {
    comma()
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    needsComma = true
  }

  /// Writes an integer.
  public mutating func value(_ integer: Int) {
    comma()
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    digits(UInt64(integer.magnitude), atLeast: 1)
    needsComma = true
  }

  /// Writes a finite number rounded to `decimals` places (0 to 9), with at least one place shown.
  ///
  /// What is too large for that (beyond ±9·10¹⁸ / 10^decimals) is written with fewer places.
  /// NaN and infinities become null: callers leave such values out.
  public mutating func value(_ number: Double, decimals: Int) {
    comma()
    needsComma = true
    guard number.isFinite else {
      bytes.append(contentsOf: "null".utf8)
      return
    }
    var places = max(0, min(decimals, 9))
    while places > 0, number.magnitude * Self.powers[places] >= 9e18 { places -= 1 }
    guard number.magnitude < 9e18 else {
      bytes.append(contentsOf: number.description.utf8)  // such as 1e+300: valid JSON
      return
    }
    let scaled = (number.magnitude * Self.powers[places]).rounded()
    let power = UInt64(Self.powers[places])
    let units = UInt64(scaled)
    if number < 0, units > 0 { bytes.append(UInt8(ascii: "-")) }
    digits(units / power, atLeast: 1)
    bytes.append(UInt8(ascii: "."))
    var fraction = units % power
    guard fraction > 0 else {
      bytes.append(UInt8(ascii: "0"))
      return
    }
    while fraction % 10 == 0 {
      fraction /= 10
      places -= 1
    }
    digits(fraction, atLeast: places)
  }

  /// Appends bytes that are JSON already, as the next value.
  public mutating func raw(_ json: [UInt8]) {
    comma()
    bytes.append(contentsOf: json)
    needsComma = true
  }

  // MARK: Parts

  private static let powers: [Double] = [1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  private static func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
  }

  private mutating func comma() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }

  private mutating func digits(_ value: UInt64, atLeast width: Int) {
    var count = 1
    var rest = value / 10
    while rest > 0 {
      count += 1
      rest /= 10
    }
    count = max(count, width)
    let end = bytes.count + count
    for _ in 0..<count { bytes.append(UInt8(ascii: "0")) }
    rest = value
    var index = end
    while rest > 0 {
      index -= 1
      bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }
}

/// Decimals of each kind of number on the wire.
public enum Decimals {
  /// Degrees of latitude and longitude: 10⁻⁹° is 0.1 mm.
  public static let degrees = 9
  /// Metres, metres per second, degrees of course, seconds.
  public static let metres = 4
  /// Metres per second squared: a hundredth of the finest sensor's step.
  public static let acceleration = 7
  /// Dilutions, hertz and other ratios.
  public static let ratio = 4
  /// A sensor's scale and matrix, which are small.
  public static let scale = 9
}

/// A value that knows its form on the wire.
public protocol WireWritable {
  /// Writes the value as one JSON value.
  func write(to writer: inout JSONWriter)
}

extension JSONWriter {
  /// Writes a value that knows its form on the wire.
  public mutating func value(_ value: some WireWritable) {
    value.write(to: &self)
  }
}

/// An enumeration of the wire, which may gain values: one that this version lacks reads as `unknown`.
public protocol WireEnumeration: RawRepresentable, CaseIterable, Codable, Sendable, Hashable
where RawValue == String {
  /// What an unrecognised value reads as.
  static var unknown: Self { get }
}

extension WireEnumeration {
  /// Reads the wire's word; a word of a newer version becomes `unknown`.
  public init(from decoder: any Decoder) throws {
    let word = try decoder.singleValueContainer().decode(String.self)
    self = Self(rawValue: word) ?? .unknown
  }
}
