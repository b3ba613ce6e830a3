/// Text that is not what it should be, and in what way, for people.
struct TextProblem: Error, Equatable {
  /// Such as `"0,0098" is not a number`; to be put behind the name of the file.
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// Numbers as the kernel and configurations write them: decimal point whatever the locale.
enum NumberText {
  /// A whole number, with a sign or without.
  static func whole(_ text: some BidirectionalCollection<UInt8>) throws(TextProblem) -> Int64 {
    var digits = trimmed(text)
    let sign = digits.first
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { digits = digits.dropFirst() }
    var value: Int64 = 0
    for digit in digits {
      guard isDigit(digit) else { throw TextProblem("\(quoted(text)) is not a whole number") }
      let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = shifted.subtractingReportingOverflow(
        Int64(digit - UInt8(ascii: "0")))
      // Counted downwards: the smallest number has no positive counterpart.
      guard !overflows, !overflowsToo else { throw TextProblem("\(quoted(text)) is too large") }
      value = sum
    }
    guard !digits.isEmpty else { throw TextProblem("\(quoted(text)) is not a whole number") }
    if sign == UInt8(ascii: "-") { return value }
    guard value > Int64.min else { throw TextProblem("\(quoted(text)) is too large") }
    return -value
  }

  /// A finite number: digits with one point at most, and an exponent at most.
  static func decimal(_ text: some BidirectionalCollection<UInt8>) throws(TextProblem) -> Double {
    let number = Array(trimmed(text))
    guard isDecimal(number), let value = Double(String(decoding: number, as: UTF8.self)) else {
      throw TextProblem("\(quoted(text)) is not a number")
    }
    guard value.isFinite else { throw TextProblem("\(quoted(text)) is too large") }
    return value
  }

  /// Without the blanks around it.
  static func trimmed<Text: BidirectionalCollection<UInt8>>(_ text: Text) -> Text.SubSequence {
    var rest = text.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }

  /// Whether it is a space, a tab or the end of a line.
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  // Checked here, because Swift's own conversion also takes hexadecimal, "inf" and "nan".
  private static func isDecimal(_ number: [UInt8]) -> Bool {
    var rest = number[...]
    func skipSign() {
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
        rest = rest.dropFirst()
      }
    }
    func skipDigits() -> Int {
      let digits = rest.prefix(while: isDigit).count
      rest = rest.dropFirst(digits)
      return digits
    }
    skipSign()
    var digits = skipDigits()
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      digits += skipDigits()
    }
    guard digits > 0 else { return false }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      skipSign()
      guard skipDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

/// The text in quotes for a message: printable ASCII, cut when it is long.
func quoted(_ text: some BidirectionalCollection<UInt8>) -> String {
  let longest = 60
  let trimmed = NumberText.trimmed(text.prefix(2 * longest))
  let shown = trimmed.prefix(longest).map { byte in
    (0x20...0x7E).contains(byte) ? Character(UnicodeScalar(byte)) : "?"
  }
  return "\"\(String(shown))\(trimmed.count > longest ? "…" : "")\""
}
