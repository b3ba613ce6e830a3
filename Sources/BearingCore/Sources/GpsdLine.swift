/// One line of gpsd's that is known to be whole, and what can be told of it without its numbers.
///
/// libgps takes a line that was cut, or two halves glued together, for a good one, does not know a
/// class with a blank before it, and reads -nan as 0: so every line is read strictly here first, and
/// libgps is given `text`.
struct GpsdLine {
  /// Lines longer than this are no line of gpsd's: it builds them in a buffer of 20,480 bytes.
  static let longest = 20_480
  /// The deepest nesting that is followed; gpsd's is 3.
  private static let deepest = 16

  /// The `class` of the object, such as TPV.
  private(set) var kind = ""
  /// Every `path` in it: the receivers of DEVICES, the receiver of DEVICE.
  private(set) var paths: [String] = []
  /// Whether `activated` is the number 0, as in the DEVICE of a receiver that is gone.
  private(set) var isDeactivation = false
  /// Of an ATT, what `text` has of each member, strings unquoted; empty for other classes.
  private(set) var attitude: [String: String] = [:]
  /// Whether a list of satellites is in it.
  private(set) var hasSatellites = false

  /// The line without blanks between its parts, and with null for every nan.
  private(set) var text: [UInt8] = []

  private let bytes: ArraySlice<UInt8>
  private var index: Int

  /// Reads a line without its end; nil when it is not one whole JSON object with a class.
  init?(_ line: ArraySlice<UInt8>) {
    bytes = line
    index = line.startIndex
    text.reserveCapacity(line.count + 1)
    guard skipBlanks() == UInt8(ascii: "{"), readValue(depth: 0), skipBlanks() == nil, !kind.isEmpty
    else {
      return nil
    }
  }

  // MARK: Values

  private mutating func readValue(depth: Int) -> Bool {
    guard depth <= Self.deepest, let first = skipBlanks() else { return false }
    switch first {
    case UInt8(ascii: "{"): return readObject(depth: depth)
    case UInt8(ascii: "["): return readArray(depth: depth)
    case UInt8(ascii: "\""): return readString() != nil
    default: return readWordOrNumber()
    }
  }

  private mutating func readObject(depth: Int) -> Bool {
    _ = take()
    if skipBlanks() == UInt8(ascii: "}") { return take() }
    while true {
      guard skipBlanks() == UInt8(ascii: "\""), let key = readString(), skipBlanks() == colon,
        take()
      else { return false }
      guard readMember(key, depth: depth) else { return false }
      guard let next = skipBlanks(), take() else { return false }
      if next == UInt8(ascii: "}") { return true }
      guard next == comma else { return false }
    }
  }

  /// Reads the value of a member and keeps what is of interest.
  private mutating func readMember(_ key: ArraySlice<UInt8>, depth: Int) -> Bool {
    _ = skipBlanks()
    let (start, textStart) = (index, text.count)
    let isText = peek == UInt8(ascii: "\"")
    guard readValue(depth: depth + 1) else { return false }
    let value = bytes[start..<index]
    if key.elementsEqual("path".utf8), isText {
      paths.append(Self.unquoted(value))
    } else if depth == 0 {
      if key.elementsEqual("class".utf8), isText { kind = Self.unquoted(value) }
      if key.elementsEqual("activated".utf8) { isDeactivation = value.elementsEqual("0".utf8) }
      if key.elementsEqual("satellites".utf8) { hasSatellites = true }
      if kind == "ATT" {
        attitude[String(decoding: key, as: UTF8.self)] =
          isText ? Self.unquoted(value) : String(decoding: text[textStart...], as: UTF8.self)
      }
    }
    return true
  }

  private mutating func readArray(depth: Int) -> Bool {
    _ = take()
    if skipBlanks() == UInt8(ascii: "]") { return take() }
    while true {
      guard readValue(depth: depth + 1), let next = skipBlanks(), take() else { return false }
      if next == UInt8(ascii: "]") { return true }
      guard next == comma else { return false }
    }
  }

  /// Reads a string and gives what is between its quotes.
  private mutating func readString() -> ArraySlice<UInt8>? {
    let start = index
    index += 1
    while let byte = peek, byte >= 0x20 {
      index += 1
      if byte == UInt8(ascii: "\"") {
        text += bytes[start..<index]
        return bytes[(start + 1)..<(index - 1)]
      }
      if byte == UInt8(ascii: "\\"), peek.map({ $0 >= 0x20 }) ?? false { index += 1 }
    }
    return nil
  }

  /// Reads true, false, null or a number; old gpsds wrote nan, which libgps reads as not given.
  private mutating func readWordOrNumber() -> Bool {
    let start = index
    while let byte = peek, Self.isPartOfWord(byte) { index += 1 }
    let word = bytes[start..<index]
    guard let first = word.first(where: { $0 != UInt8(ascii: "-") }) else { return false }
    if ["nan", "-nan"].contains(where: { word.elementsEqual($0.utf8) }) {
      text += "null".utf8
      return true
    }
    text += word
    if Self.digits.contains(first) { return Double(String(decoding: word, as: UTF8.self)) != nil }
    return ["true", "false", "null"].contains { word.elementsEqual($0.utf8) }
  }

  // MARK: Bytes

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  private var colon: UInt8 { UInt8(ascii: ":") }
  private var comma: UInt8 { UInt8(ascii: ",") }
  private var peek: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

  /// Takes the sign that `peek` shows.
  private mutating func take() -> Bool {
    text.append(bytes[index])
    index += 1
    return true
  }

  /// Skips blanks and gives the byte after them.
  private mutating func skipBlanks() -> UInt8? {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0d { index += 1 }
    return peek
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    digits.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "E")
  }

  /// What a quoted string says, as far as names of receivers need it.
  private static func unquoted(_ quoted: ArraySlice<UInt8>) -> String {
    let inner = quoted.dropFirst().dropLast()
    let plain = inner.contains(UInt8(ascii: "\\")) ? unescaped(inner) : Array(inner)
    return String(decoding: plain, as: UTF8.self)
  }

  private static func unescaped(_ inner: ArraySlice<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    var isEscape = false
    for byte in inner {
      isEscape = byte == UInt8(ascii: "\\") && !isEscape
      if !isEscape { plain.append(byte) }
    }
    return plain
  }
}
