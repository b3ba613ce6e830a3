/// Rows of cells in columns as wide as their widest cell.
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

    /// A program may call itself anything, also what a terminal takes for a command.
    private static func plain(_ text: String) -> String {
      let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
      guard text.unicodeScalars.contains(where: isControl) else { return text }
      return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "?" : $0 }))
    }
  }

  private let headings: [String]
  private let alignments: [Alignment]
  private var rows: [[Cell]] = []

  /// A table with these columns.
  init(_ columns: [(heading: String, alignment: Alignment)]) {
    headings = columns.map(\.heading)
    alignments = columns.map(\.alignment)
  }

  mutating func add(_ cells: [Cell]) {
    rows.append(cells)
  }

  /// The rows under their headings, two blanks between columns, none at the end of a line.
  func text(style: Style) -> String {
    let heads = headings.map { Cell($0, .grey) }
    let widths = headings.indices.map { column in
      ([heads] + rows).map { $0[column].text.count }.max() ?? 0
    }
    return ([heads] + rows).map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.text.count)
        let painted = style.paint(cell.text, cell.colour)
        line += (alignments[column] == .right ? padding + painted : painted + padding) + "  "
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
