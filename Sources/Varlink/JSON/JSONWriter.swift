extension JSON {
  /// The value as JSON text in UTF-8, without white space.
  ///
  /// JSON has no NaN, no infinity and, here, no negative zero: a member that is not finite is left
  /// out of its object, like anything unknown; in an array it is `null`; −0 is written 0.
  /// Members come in any order, unless they are to be sorted by name.
  public func serialised(sortingMembers: Bool = false) -> [UInt8] {
    var output: [UInt8] = []
    write(to: &output, sortingMembers: sortingMembers)
    return output
  }

  func write(to output: inout [UInt8], sortingMembers: Bool = false) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .int(let value): output.append(contentsOf: String(value).utf8)
    case .double(let value):
      // Adding zero turns −0 into 0.
      output.append(contentsOf: (value.isFinite ? shortestText(of: value + 0) : "null").utf8)
    case .string(let value): writeString(value, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        element.write(to: &output, sortingMembers: sortingMembers)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      var isFirst = true
      let ordered = sortingMembers ? members.sorted { $0.key < $1.key } : Array(members)
      for (name, value) in ordered {
        if case .double(let number) = value, !number.isFinite { continue }
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        writeString(name, to: &output)
        output.append(UInt8(ascii: ":"))
        value.write(to: &output, sortingMembers: sortingMembers)
      }
      output.append(UInt8(ascii: "}"))
    }
  }
}

/// Powers of ten of small numbers that are written without an exponent, since many programs that read
/// decimals know none: a degree in billionths and a metre in millionths are among them.
private let plainExponents = -12 ... -1

/// The shortest text that is read back as the number.
private func shortestText(of number: Double) -> String {
  let text = number.description
  guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...]),
    plainExponents.contains(exponent)
  else { return text }
  let sign = text.hasPrefix("-") ? "-" : ""
  let zeros = String(repeating: "0", count: -exponent - 1)
  return "\(sign)0.\(zeros)\(text[..<mark].filter(\.isNumber))"
}

/// Writes a JSON string; NUL, which ends a Varlink message, comes out as an escape like any other
/// control character.
func writeString(_ text: String, to output: inout [UInt8]) {
  output.append(UInt8(ascii: "\""))
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      output.append(UInt8(ascii: "\\"))
      output.append(byte)
    case 0x0A: output.append(contentsOf: #"\n"#.utf8)
    case 0x0D: output.append(contentsOf: #"\r"#.utf8)
    case 0x09: output.append(contentsOf: #"\t"#.utf8)
    case 0..<0x20:
      output.append(contentsOf: #"\u00"#.utf8)
      output.append(hexDigit(byte >> 4))
      output.append(hexDigit(byte & 0xF))
    default: output.append(byte)
    }
  }
  output.append(UInt8(ascii: "\""))
}

private func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
