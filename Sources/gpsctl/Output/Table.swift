/// Rows of cells in columns as wide as their widest cell, fitted to a terminal that is narrower.
struct Table {
  enum Alignment: Sendable {
    case left, right
  }

  /// A cell: what it reads, and what it is painted with afterwards, which takes no room.
  struct Cell: ExpressibleByStringInterpolation {
    let text: String
    var colour: Style.Colour?

    init(_ text: String, _ colour: Style.Colour? = nil) {
      self.text = Self.plain(text)
      self.colour = colour
    }

    init(stringLiteral text: String) { self.init(text) }

    /// Whether a terminal may take it for a command.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.generalCategory == .control
    }

    /// A program may call itself anything, also what a terminal takes for a command.
    private static func plain(_ text: String) -> String {
      guard text.unicodeScalars.contains(where: isControl) else { return text }
      return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "?" : $0 }))
    }
  }

  private let headings: [String]
  private let alignments: [Alignment]
  /// Of the columns that are left out where a terminal is too narrow for all, the first one first.
  private let expendable: [String]
  private var rows: [[Cell]] = []

  private static let gap = 2
  /// Columns that a last column whose cells are broken into lines has at least.
  private static let narrowest = 16

  /// A table with these columns, of which some may be left out.
  init(_ columns: [(heading: String, alignment: Alignment)], expendable: [String] = []) {
    headings = columns.map(\.heading)
    alignments = columns.map(\.alignment)
    self.expendable = expendable
  }

  mutating func add(_ cells: [Cell]) {
    rows.append(cells)
  }

  /// The rows under their headings, two blanks between columns, none at the end of a line.
  ///
  /// Where that is wider than the terminal, columns that are expendable are left out, and then the
  /// cells of the last one, if it begins at its left, are broken into lines.
  func text(style: Style, columns: Int? = StandardStreams.outputColumns) -> String {
    let rows = [headings.map { Cell($0, .grey) }] + rows
    let widths = headings.indices.map { column in rows.map { $0[column].text.count }.max() ?? 0 }
    var shown = Array(headings.indices)
    func width() -> Int { shown.reduce(-Self.gap) { $0 + widths[$1] + Self.gap } }
    let limit = columns ?? .max
    for heading in expendable where width() > limit { shown.removeAll { headings[$0] == heading } }
    let last = shown.last ?? 0
    let indent = width() - widths[last]
    let isBroken = width() > limit && alignments[last] == .left
    return rows.map { row in
      var line = ""
      for column in shown {
        var text = row[column].text
        let padding = String(repeating: " ", count: widths[column] - text.count)
        if isBroken, column == last {
          text = HelpText.wrapped(
            text, indent: indent, columns: max(limit, indent + Self.narrowest))
        }
        let painted = style.paint(text, row[column].colour)
        line += alignments[column] == .right ? padding + painted : painted + padding
        line += String(repeating: " ", count: Self.gap)
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
