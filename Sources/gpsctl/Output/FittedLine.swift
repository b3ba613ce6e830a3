/// A line of parts, some of which can be left out where a terminal is too narrow for all.
struct FittedLine {
  /// What a part is worth beside the others.
  enum Worth: Int, Comparable, Sendable {
    /// The first to be left out.
    case least, little, some
    /// Stands in any case.
    case all

    static func < (lhs: Worth, rhs: Worth) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  private var parts: [(text: String, worth: Worth)] = []

  mutating func add(_ text: String, _ worth: Worth = .all) { parts.append((text, worth)) }

  /// The parts with two blanks between them, in so many columns as far as that can be; nil is any
  /// number.
  func text(columns: Int?) -> String {
    var shown = parts
    func line() -> String { shown.map(\.text).joined(separator: "  ") }
    while let columns, line().count > columns,
      let least = shown.map(\.worth).min(), least < .all
    {
      shown.removeAll { $0.worth == least }
    }
    return line()
  }
}
