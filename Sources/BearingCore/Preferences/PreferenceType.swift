internal import Varlink

/// What values a preference may have, and how they are written as JSON.
struct PreferenceType<Value: Codable & Sendable>: Sendable {
  /// The wire's word: integer, number, word or text.
  let kind: String
  /// The unit of a number; nil where there is none.
  let unit: String?
  /// What an error says was expected.
  let expected: String
  /// The value that JSON stands for; nil when it is none.
  let parse: @Sendable (JSON) -> Value?
  /// The JSON that parses to the value.
  let format: @Sendable (Value) -> JSON
}

extension PreferenceType where Value == Int {
  /// A length of time in milliseconds.
  static func milliseconds(_ range: ClosedRange<Int>) -> Self {
    PreferenceType(
      kind: "integer", unit: "ms",
      expected: "a whole number of milliseconds from \(range.lowerBound) to \(range.upperBound)",
      parse: { json in json.integer.map { Int($0) }.flatMap { range.contains($0) ? $0 : nil } },
      format: { .int(Int64($0)) })
  }
}

extension PreferenceType where Value == Double {
  /// A length in metres.
  static func metres(_ range: ClosedRange<Double>) -> Self {
    let limits = "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
    return PreferenceType(
      kind: "number", unit: "m", expected: "a number of metres from \(limits)",
      parse: { json in json.number.flatMap { range.contains($0) ? $0 : nil } },
      format: { number in Int64(exactly: number).map { .int($0) } ?? .double(number) })
  }
}

extension PreferenceType where Value == String {
  /// One of these words.
  static func word(_ words: [String]) -> Self {
    PreferenceType(
      kind: "word", unit: nil,
      expected: "one of " + words.map { "\"\($0)\"" }.joined(separator: ", "),
      parse: { json in json.string.flatMap { words.contains($0) ? $0 : nil } },
      format: { .string($0) })
  }
}

extension PreferenceType where Value == String? {
  /// A text of one line, or none.
  static func text(upTo most: Int) -> Self {
    PreferenceType(
      kind: "text", unit: nil,
      expected: "a text of 1 to \(most) characters without control characters, or null",
      parse: { json in
        if json == .null { return .some(nil) }
        guard let text = json.string, (1...most).contains(text.unicodeScalars.count),
          text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        return text
      },
      format: { $0.map { .string($0) } ?? .null })
  }
}
