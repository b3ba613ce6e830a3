/// The characters that pictures are made of, in Unicode or in ASCII alone.
struct Glyphs: Equatable, Sendable {
  let isUnicode: Bool

  static let unicode = Glyphs(isUnicode: true)
  static let ascii = Glyphs(isUnicode: false)

  // MARK: Frames

  /// A frame's characters: level, upright, and its corners from the top left, by the clock.
  var frame: (level: Unicode.Scalar, upright: Unicode.Scalar, corners: [Unicode.Scalar]) {
    isUnicode ? ("─", "│", ["┌", "┐", "┘", "└"]) : ("-", "|", ["+", "+", "+", "+"])
  }

  // MARK: Marks

  /// Something that is so now.
  var on: Unicode.Scalar { isUnicode ? "●" : "*" }
  /// Something that is not.
  var off: Unicode.Scalar { isUnicode ? "○" : "." }
  /// What is not known.
  var unknown: String { isUnicode ? "–" : "-" }

  /// An arrow on the screen for a course in degrees, north being up.
  func arrow(towards course: Double) -> String {
    let arrows = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"]
    return isUnicode ? arrows[Compass.eighth(of: course)] : ""
  }

  // MARK: Bars

  /// A level bar of `length` cells, filled to a part from 0 to 1.
  func bar(_ part: Double, length: Int) -> String {
    let part = max(0, min(part, 1))
    guard isUnicode else {
      return String(repeating: "#", count: Int((part * Double(length)).rounded()))
    }
    let eighths = Int((part * Double(length * 8)).rounded())
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }

  // MARK: Dots

  /// The character for dots in a cell of two by four: bit 2·row + column.
  func dots(_ mask: UInt8) -> Unicode.Scalar {
    guard isUnicode else { return Self.asciiDots(mask) }
    // Braille counts its six upper dots by columns, and the lowest row came later.
    let weights: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
    var value: UInt32 = 0x2800
    for (bit, weight) in weights.enumerated() where mask & 1 << bit != 0 { value += weight }
    return Unicode.Scalar(value) ?? " "
  }

  /// The nearest that ASCII has: the height of the dots, or a stroke when they go through.
  private static func asciiDots(_ mask: UInt8) -> Unicode.Scalar {
    let rows = (0..<4).filter { mask >> (2 * $0) & 3 != 0 }
    guard let first = rows.first, let last = rows.last else { return " " }
    switch (first, last) {
    case (0, 0...1): return "'"
    case (1...2, 1...2): return "-"
    case (2...3, 3): return "."
    default: return "|"
    }
  }

  // MARK: Texts

  /// The text in characters that can be shown.
  func shown(_ text: String) -> String {
    guard !isUnicode else { return text }
    var shown = ""
    for character in text {
      switch character {
      case "°": shown += "d"
      case "′": shown += "'"
      case "″": shown += "\""
      case "±": shown += "+-"
      case "²": shown += "2"
      case "–", "−": shown += "-"
      case "·": shown += "|"
      case "…": shown += "..."
      default: shown.append(character.isASCII ? character : "?")
      }
    }
    return shown
  }
}

/// The directions of the compass.
enum Compass {
  /// Which of the eight directions a course in degrees is nearest to, clockwise from north.
  static func eighth(of course: Double) -> Int {
    let turns = course / 360 - (course / 360).rounded(.down)
    return Int((turns * 8).rounded()) % 8
  }

  /// Its name, such as NE.
  static func name(of course: Double) -> String {
    ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][eighth(of: course)]
  }
}
