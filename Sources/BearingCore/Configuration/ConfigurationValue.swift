/// How a value of one type is written in a configuration file.
struct ConfigurationValue<Value: Sendable>: Sendable {
  /// What an error says was expected, such as "a port number from 1 to 65535".
  var expected: String
  /// The value of a text that is not empty; nil when it is none.
  var parse: @Sendable (String) -> Value?
  /// The text that parses to the value; empty for one that is written as nothing.
  var format: @Sendable (Value) -> String
}

extension ConfigurationValue where Value == Bool {
  static let yesOrNo: Self = ConfigurationValue(
    expected: "yes or no",
    parse: { text in
      switch text.lowercased() {
      case "yes", "true", "on", "1": true
      case "no", "false", "off", "0": false
      default: nil
      }
    },
    format: { $0 ? "yes" : "no" })
}

extension ConfigurationValue where Value == Int {
  static func number(_ range: ClosedRange<Int>, _ noun: String = "a number") -> Self {
    ConfigurationValue(
      expected: "\(noun) from \(range.lowerBound) to \(range.upperBound)",
      parse: { text in wholeNumber(text).flatMap { range.contains($0) ? $0 : nil } },
      format: { String($0) })
  }

  static let port: Self = .number(1...65535, "a port number")

  /// Bytes, with K, M or G for 1024 of the one before.
  static func size(_ range: ClosedRange<Int>) -> Self {
    let units = [("", 1), ("K", Bytes.kibi), ("M", Bytes.mebi), ("G", Bytes.gibi)]
    let limits = "\(quantity(range.lowerBound, units)) to \(quantity(range.upperBound, units))"
    return ConfigurationValue(
      expected: "a size in bytes from \(limits)",
      parse: { text in parseQuantity(text, units).flatMap { range.contains($0) ? $0 : nil } },
      format: { quantity($0, units) })
  }
}

extension ConfigurationValue where Value == Int64 {
  /// A length of time in seconds, or with ms, s, min or h.
  static func time(_ range: ClosedRange<Int64>) -> Self {
    let millisecond = Int(Nanoseconds.millisecond)
    let second = Int(Nanoseconds.second)
    let units = [
      ("ms", millisecond), ("s", second), ("min", 60 * second), ("h", 3600 * second),
      ("", second),
    ]
    let lowest = quantity(Int(range.lowerBound), units)
    let highest = quantity(Int(range.upperBound), units)
    return ConfigurationValue(
      expected: "a time from \(lowest) to \(highest)",
      parse: { text in
        parseQuantity(text, units).flatMap { range.contains(Int64($0)) ? Int64($0) : nil }
      },
      format: { quantity(Int($0), units) })
  }
}

extension ConfigurationValue
where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the type's words.
  static var word: Self {
    ConfigurationValue(
      expected: list(Value.allCases.map(\.rawValue)),
      parse: { Value(rawValue: $0) },
      format: { $0.rawValue })
  }
}

extension ConfigurationValue where Value == SourceChoice {
  /// `hardware` is the word for the real device.
  static func source(hardware: String) -> Self {
    let replay = "replay:"
    return ConfigurationValue(
      expected: "\(hardware), simulation, replay:FILE (an absolute path) or none",
      parse: { text in
        switch text {
        case hardware: return .hardware
        case "simulation": return .simulation
        case "none": return SourceChoice.none
        default:
          guard text.hasPrefix(replay + "/") else { return nil }
          return .replay(String(text.dropFirst(replay.count)))
        }
      },
      format: { choice in
        switch choice {
        case .hardware: hardware
        case .simulation: "simulation"
        case .replay(let path): replay + path
        case .none: "none"
        }
      })
  }
}

extension ConfigurationValue where Value == String {
  static let path: Self = ConfigurationValue(
    expected: "an absolute path", parse: { $0.hasPrefix("/") ? $0 : nil }, format: { $0 })

  /// A path that fits in a socket's address.
  static let socketPath: Self = ConfigurationValue(
    expected: "an absolute path of at most 107 bytes",
    parse: { $0.hasPrefix("/") && $0.utf8.count <= 107 ? $0 : nil }, format: { $0 })

  /// One word, without blanks.
  static func word(_ noun: String) -> Self {
    ConfigurationValue(
      expected: noun, parse: { $0.contains { $0 == " " || $0 == "\t" } ? nil : $0 },
      format: { $0 })
  }
}

extension ConfigurationValue where Value == [ReceiverSettings] {
  static let receivers: Self = ConfigurationValue(
    expected: "devices with blanks between them, each as DEVICE or DEVICE,FACTOR"
      + " with a factor from 0.01 to 100",
    parse: { text in
      var receivers: [ReceiverSettings] = []
      for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
        let parts = word.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 2, !parts[0].isEmpty else { return nil }
        var receiver = ReceiverSettings(device: String(parts[0]))
        if receivers.contains(where: { $0.device == receiver.device }) { return nil }
        if parts.count == 2 {
          guard let factor = finiteNumber(parts[1]), (0.01...100).contains(factor) else {
            return nil
          }
          receiver.accuracyFactor = factor
        }
        receivers.append(receiver)
      }
      return receivers
    },
    format: { receivers in
      receivers.map { $0.accuracyFactor == 1 ? $0.device : "\($0.device),\($0.accuracyFactor)" }
        .joined(separator: " ")
    })
}

extension ConfigurationValue where Value == [Double] {
  /// Three rows of three numbers that can be inverted.
  static let matrix: Self = ConfigurationValue(
    expected: "three rows of three numbers as x,y,z; x,y,z; x,y,z that can be inverted",
    parse: { text in (try? MountMatrix(parsing: String(text).utf8))?.numbers },
    format: { m in
      stride(from: 0, to: m.count, by: 3)
        .map { m[$0..<min($0 + 3, m.count)].map { "\($0)" }.joined(separator: ",") }
        .joined(separator: "; ")
    })
}

extension ConfigurationValue where Value == SIMD3<Double> {
  /// Three numbers within a range, with commas between them.
  static func vector(_ range: ClosedRange<Double>) -> Self {
    ConfigurationValue(
      expected: "three numbers as x,y,z from \(range.lowerBound) to \(range.upperBound)",
      parse: { text in
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
          .map { finiteNumber(String($0).trimmed[...]) }
        guard numbers.count == 3, let x = numbers[0], let y = numbers[1], let z = numbers[2],
          [x, y, z].allSatisfy(range.contains)
        else { return nil }
        return SIMD3(x, y, z)
      }, format: { "\($0.x),\($0.y),\($0.z)" })
  }
}

extension ConfigurationValue {
  /// The same, or nothing.
  var optional: ConfigurationValue<Value?> {
    ConfigurationValue<Value?>(
      expected: expected, parse: { parse($0).map(Optional.some) },
      format: { $0.map(format) ?? "" })
  }
}

// MARK: Numbers as text

/// Digits alone: no sign, no blanks.
private func wholeNumber(_ text: some StringProtocol) -> Int? {
  text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
}

/// A decimal number: neither hexadecimal nor "nan" nor "inf", which `Double` would take.
private func finiteNumber(_ text: Substring) -> Double? {
  let isDecimal = text.utf8.allSatisfy {
    (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
  }
  guard isDecimal, let number = Double(text), number.isFinite else { return nil }
  return number
}

private func parseQuantity(_ text: String, _ units: [(name: String, size: Int)]) -> Int? {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  let unit = String(text[digits.endIndex...]).trimmed
  guard let number = wholeNumber(digits), let size = units.first(where: { $0.name == unit })?.size
  else { return nil }
  let (product, overflow) = number.multipliedReportingOverflow(by: size)
  return overflow ? nil : product
}

/// In the largest unit that has a name and divides it.
private func quantity(_ value: Int, _ units: [(name: String, size: Int)]) -> String {
  let fitting = units.filter { value % $0.size == 0 && ($0.name != "" || $0.size == 1) }
  guard value != 0, let unit = fitting.max(by: { $0.size < $1.size }) else { return "\(value)" }
  return "\(value / unit.size)\(unit.name)"
}

private func list(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.joined() }
  return words.dropLast().joined(separator: ", ") + " or " + last
}
