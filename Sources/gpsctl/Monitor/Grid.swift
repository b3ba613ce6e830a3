/// A number of character cells.
struct Size: Equatable, Sendable {
  var columns: Int
  var rows: Int
}

/// A part of the screen, counted from its top left corner.
struct Area: Equatable, Sendable {
  var row: Int
  var column: Int
  var rows: Int
  var columns: Int

  /// What is left inside a frame of one cell.
  var inside: Area { Area(row: row + 1, column: column + 1, rows: rows - 2, columns: columns - 2) }
  /// The column after its last one.
  var endColumn: Int { column + columns }
  /// The row after its last one.
  var endRow: Int { row + rows }

  /// The rows from one on, at most that many.
  func rows(from first: Int, count: Int = .max) -> Area {
    var part = self
    part.row += first
    part.rows = max(0, min(rows - first, count))
    return part
  }

  /// The columns from one on, at most that many.
  func columns(from first: Int, count: Int = .max) -> Area {
    var part = self
    part.column += first
    part.columns = max(0, min(columns - first, count))
    return part
  }
}

/// How characters look.
struct Look: Equatable, Sendable {
  /// Numbered as terminals do; standard is the terminal's own.
  enum Colour: UInt8, Sendable {
    case standard, red, green, yellow, blue, magenta, cyan
  }

  var colour: Colour = .standard
  var isBold = false
  var isDim = false
  var isReversed = false

  static let plain = Look()
  static let bold = Look(isBold: true)
  static let dim = Look(isDim: true)
  static let reversed = Look(isReversed: true)

  init(_ colour: Colour = .standard, isBold: Bool = false, isDim: Bool = false) {
    self.colour = colour
    self.isBold = isBold
    self.isDim = isDim
  }

  private init(isReversed: Bool) { self.isReversed = isReversed }
}

/// One character and how it looks.
struct Cell: Equatable, Sendable {
  var character: Unicode.Scalar = " "
  var look = Look.plain
}

/// A picture of character cells, to be looked at by a test as well as by a terminal.
struct Grid: Equatable, Sendable {
  let size: Size
  private var cells: [Cell]

  /// An empty picture.
  init(_ size: Size) {
    self.size = size
    cells = Array(repeating: Cell(), count: size.columns * size.rows)
  }

  /// All of it.
  var area: Area { Area(row: 0, column: 0, rows: size.rows, columns: size.columns) }

  /// A cell that must be there.
  subscript(row: Int, column: Int) -> Cell { cells[row * size.columns + column] }

  /// Puts one character where there is a cell for it.
  mutating func put(_ character: Unicode.Scalar, row: Int, column: Int, _ look: Look = .plain) {
    guard row >= 0, row < size.rows, column >= 0, column < size.columns else { return }
    cells[row * size.columns + column] = Cell(character: character, look: look)
  }

  /// Writes text into an area, cut at its right edge; returns the column after it, in the area.
  @discardableResult
  mutating func write(
    _ text: some StringProtocol, in area: Area, row: Int = 0, column: Int = 0,
    _ look: Look = .plain
  ) -> Int {
    guard row >= 0, row < area.rows else { return column }
    var column = column
    for character in text.unicodeScalars where column < area.columns {
      put(
        Self.isOneColumn(character) ? character : "?", row: area.row + row,
        column: area.column + column, look)
      column += 1
    }
    return column
  }

  /// Writes text that ends at the area's right edge, or before `end` columns of it.
  mutating func writeAtRight(
    _ text: String, in area: Area, row: Int = 0, end: Int = 0, _ look: Look = .plain
  ) {
    let width = text.unicodeScalars.count
    write(text, in: area, row: row, column: max(0, area.columns - end - width), look)
  }

  /// Writes text in the middle of a row.
  mutating func writeCentred(_ text: String, in area: Area, row: Int, _ look: Look = .plain) {
    let width = text.unicodeScalars.count
    write(text, in: area, row: row, column: max(0, (area.columns - width) / 2), look)
  }

  /// Empties an area.
  mutating func clear(_ area: Area) {
    for row in area.row..<area.endRow {
      for column in area.column..<area.endColumn { put(" ", row: row, column: column) }
    }
  }

  /// The characters alone, a line for each row, without the blanks at their ends.
  var text: String {
    (0..<size.rows).map { row in
      var line = String.UnicodeScalarView()
      for column in 0..<size.columns { line.append(self[row, column].character) }
      while line.last == " " { line.removeLast() }
      return String(line)
    }.joined(separator: "\n")
  }

  /// Whether a character takes one column everywhere; texts from a device may hold anything.
  private static func isOneColumn(_ character: Unicode.Scalar) -> Bool {
    switch character.value {
    case 0x20...0x7e, 0xa0...0xac, 0xae...0x2ff: true  // Latin without the soft hyphen
    case 0x370...0x482, 0x48a...0x556: true  // Greek and Cyrillic without combining signs
    case 0x2010...0x2027, 0x2030...0x205e, 0x2190...0x21ff, 0x2500...0x25ff: true
    case 0x2800...0x28ff: true  // Braille
    default: false
    }
  }
}
