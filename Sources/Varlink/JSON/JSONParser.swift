/// Why bytes are not JSON that is accepted here.
public struct JSONError: Error, Equatable, CustomStringConvertible {
  /// What is wrong.
  public enum Reason: Sendable, Equatable {
    case unexpectedEnd
    case unexpectedByte(UInt8)
    case trailingBytes
    case tooDeep(limit: Int)
    case invalidUTF8
    case invalidEscape
    case numberOutOfRange
    case repeatedMember(String)
  }

  /// What is wrong.
  public let reason: Reason
  /// Where in the bytes, from 0.
  public let offset: Int

  /// Where and what, in words.
  public var description: String {
    let what =
      switch reason {
      case .unexpectedEnd: "the text ends inside a value"
      case .unexpectedByte(let byte): "unexpected byte 0x\(String(byte, radix: 16))"
      case .trailingBytes: "something follows the value"
      case .tooDeep(let limit): "nested deeper than \(limit)"
      case .invalidUTF8: "a string is not UTF-8"
      case .invalidEscape: "an invalid escape in a string"
      case .numberOutOfRange: "a number that a double cannot hold"
      case .repeatedMember(let name): "the member \"\(name)\" twice in one object"
      }
    return "JSON, byte \(offset): \(what)"
  }
}

extension JSON {
  /// How deep arrays and objects may be nested in a request.
  public static let requestDepthLimit: Int = 32

  /// The deepest that any limit can be set to: a value that deep is still freed, compared and
  /// written within the smallest stack of a thread.
  public static let maximumDepth: Int = 512

  /// Parses one value that takes up all the bytes.
  ///
  /// As RFC 8259 says and nothing more: no byte order mark, no invalid UTF-8, no lone surrogates,
  /// no member twice in one object, no number beyond what a double holds. Arrays and objects may
  /// be nested `depthLimit` deep, at most `maximumDepth`.
  public init(
    parsing bytes: [UInt8], depthLimit: Int = JSON.requestDepthLimit
  ) throws(JSONError) {
    var parser = JSONParser(bytes: bytes, depthLimit: min(depthLimit, JSON.maximumDepth))
    self = try parser.parseDocument()
  }
}

/// A parser of our own, because FoundationEssentials' takes a depth of 512 for granted, lets the
/// last of repeated members win (two readers of one request could then see different methods), and
/// cannot hand out a `JSON` in one pass. It recurses, but never deeper than its limit.
struct JSONParser {
  private let bytes: [UInt8]
  private let depthLimit: Int
  private var position = 0
  private var depth = 0

  init(bytes: [UInt8], depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  mutating func parseDocument() throws(JSONError) -> JSON {
    let value = try parseValue()
    skipWhitespace()
    if position < bytes.count { throw error(.trailingBytes) }
    return value
  }

  private mutating func parseValue() throws(JSONError) -> JSON {
    skipWhitespace()
    let first = try peek()
    switch first {
    case UInt8(ascii: "{"): return try parseObject()
    case UInt8(ascii: "["): return try parseArray()
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    default: throw error(.unexpectedByte(first))
    }
  }

  private mutating func parseObject() throws(JSONError) -> JSON {
    try enter()
    var members: [String: JSON] = [:]
    if try !closes(UInt8(ascii: "}")) {
      repeat {
        skipWhitespace()
        let start = position
        guard try peek() == UInt8(ascii: "\"") else { throw error(.unexpectedByte(try peek())) }
        let name = try parseString()
        skipWhitespace()
        try expect(UInt8(ascii: ":"))
        if members.updateValue(try parseValue(), forKey: name) != nil {
          throw JSONError(reason: .repeatedMember(name), offset: start)
        }
      } while try continues(until: UInt8(ascii: "}"))
    }
    depth -= 1
    return .object(members)
  }

  private mutating func parseArray() throws(JSONError) -> JSON {
    try enter()
    var elements: [JSON] = []
    if try !closes(UInt8(ascii: "]")) {
      repeat { elements.append(try parseValue()) } while try continues(until: UInt8(ascii: "]"))
    }
    depth -= 1
    return .array(elements)
  }

  /// Steps over the opening bracket.
  private mutating func enter() throws(JSONError) {
    guard depth < depthLimit else { throw error(.tooDeep(limit: depthLimit)) }
    depth += 1
    position += 1
  }

  /// Whether the bracket closes right here, without an element.
  private mutating func closes(_ bracket: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    guard try peek() == bracket else { return false }
    position += 1
    return true
  }

  /// Steps over a comma (true) or the closing bracket (false).
  private mutating func continues(until bracket: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    let byte = try peek()
    guard byte == UInt8(ascii: ",") || byte == bracket else { throw error(.unexpectedByte(byte)) }
    position += 1
    return byte != bracket
  }

  private mutating func parseWord(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    for byte in "\(word)".utf8 { try expect(byte) }
    return value
  }

  private mutating func parseNumber() throws(JSONError) -> JSON {
    let start = position
    var isWhole = true
    if try peek() == UInt8(ascii: "-") { position += 1 }
    if try peek() == UInt8(ascii: "0") {
      position += 1
    } else {
      try skipDigits()
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      try skipDigits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      let sign = try peek()
      if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let value = Int64(text) { return .int(value) }
    guard let value = Double(text), value.isFinite else {
      throw JSONError(reason: .numberOutOfRange, offset: start)
    }
    return .double(value)
  }

  private mutating func skipDigits() throws(JSONError) {
    let first = try peek()
    guard isDigit(first) else { throw error(.unexpectedByte(first)) }
    while position < bytes.count, isDigit(bytes[position]) { position += 1 }
  }

  private mutating func parseString() throws(JSONError) -> String {
    let start = position
    position += 1
    let contents = position
    // The usual string has no escape and is taken as it stands.
    while try peek() != UInt8(ascii: "\"") {
      if bytes[position] == UInt8(ascii: "\\") {
        return try parseEscapedString(from: contents, start: start)
      }
      if bytes[position] < 0x20 { throw error(.unexpectedByte(bytes[position])) }
      position += 1
    }
    let text = String(validating: bytes[contents..<position], as: UTF8.self)
    position += 1
    guard let text else { throw JSONError(reason: .invalidUTF8, offset: start) }
    return text
  }

  private mutating func parseEscapedString(
    from contents: Int, start: Int
  ) throws(JSONError) -> String {
    var decoded = Array(bytes[contents..<position])
    while try peek() != UInt8(ascii: "\"") {
      let byte = bytes[position]
      if byte < 0x20 { throw error(.unexpectedByte(byte)) }
      position += 1
      if byte == UInt8(ascii: "\\") {
        try parseEscape(into: &decoded)
      } else {
        decoded.append(byte)
      }
    }
    position += 1
    guard let text = String(validating: decoded, as: UTF8.self) else {
      throw JSONError(reason: .invalidUTF8, offset: start)
    }
    return text
  }

  private mutating func parseEscape(into decoded: inout [UInt8]) throws(JSONError) {
    let byte = try peek()
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
    case UInt8(ascii: "b"): decoded.append(0x08)
    case UInt8(ascii: "f"): decoded.append(0x0C)
    case UInt8(ascii: "n"): decoded.append(0x0A)
    case UInt8(ascii: "r"): decoded.append(0x0D)
    case UInt8(ascii: "t"): decoded.append(0x09)
    case UInt8(ascii: "u"): decoded.append(contentsOf: String(try parseUnicodeEscape()).utf8)
    default: throw JSONError(reason: .invalidEscape, offset: position - 2)
    }
  }

  /// After `\u`: one code unit, or a surrogate pair in two escapes.
  private mutating func parseUnicodeEscape() throws(JSONError) -> Character {
    let start = position - 2
    var value = UInt32(try parseCodeUnit())
    if UTF16.isLeadSurrogate(UInt16(value)) {
      try expect(UInt8(ascii: "\\"))
      try expect(UInt8(ascii: "u"))
      let low = try parseCodeUnit()
      guard UTF16.isTrailSurrogate(low) else {
        throw JSONError(reason: .invalidEscape, offset: start)
      }
      value = 0x10000 + ((value - 0xD800) << 10) + (UInt32(low) - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw JSONError(reason: .invalidEscape, offset: start)
    }
    return Character(scalar)
  }

  private mutating func parseCodeUnit() throws(JSONError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      let byte = try peek()
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw error(.invalidEscape)
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }

  private mutating func skipWhitespace() {
    while position < bytes.count, isWhitespace(bytes[position]) { position += 1 }
  }

  private func peek() throws(JSONError) -> UInt8 {
    guard position < bytes.count else { throw error(.unexpectedEnd) }
    return bytes[position]
  }

  private mutating func expect(_ byte: UInt8) throws(JSONError) {
    let found = try peek()
    guard found == byte else { throw error(.unexpectedByte(found)) }
    position += 1
  }

  private func error(_ reason: JSONError.Reason) -> JSONError {
    JSONError(reason: reason, offset: position)
  }
}

/// What RFC 8259 calls white space.
func isWhitespace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
