/// A command with its options and operands read and checked.
struct Invocation: Sendable {
  /// An option's value in SI units.
  enum Value: Sendable, Equatable {
    case flag
    case duration(Duration)
    case number(Double)
    case count(Int)
    case text(String)
  }

  let command: Command
  /// The names from the first command down, such as ["region", "add"].
  let path: [String]
  var values: [Option: Value] = [:]
  var operands: [String] = []

  /// Whether the option is there.
  func has(_ option: Option) -> Bool { values[option] != nil }

  /// The option's time; nil when it is not there.
  func duration(_ option: Option) -> Duration? {
    if case .duration(let value)? = values[option] { value } else { nil }
  }

  /// The option's metres or hertz; nil when it is not there.
  func number(_ option: Option) -> Double? {
    if case .number(let value)? = values[option] { value } else { nil }
  }

  /// The option's whole number; nil when it is not there.
  func count(_ option: Option) -> Int? {
    if case .count(let value)? = values[option] { value } else { nil }
  }

  /// The option's text; nil when it is not there.
  func text(_ option: Option) -> String? {
    if case .text(let value)? = values[option] { value } else { nil }
  }
}
