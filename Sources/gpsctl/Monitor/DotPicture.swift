import Glibc

/// A picture of dots, two by four in each cell, each of one colour.
struct DotPicture {
  /// Dots across and down.
  let width: Int
  let height: Int
  private let columns: Int
  private var masks: [UInt8]
  private var looks: [Look]

  /// An empty picture for that many cells.
  init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    width = 2 * self.columns
    height = 4 * max(0, rows)
    masks = Array(repeating: 0, count: self.columns * max(0, rows))
    looks = Array(repeating: .plain, count: masks.count)
  }

  /// Sets a dot; the cell takes the look of the last one set in it.
  mutating func set(_ x: Int, _ y: Int, _ look: Look) {
    guard x >= 0, x < width, y >= 0, y < height else { return }
    let cell = y / 4 * columns + x / 2
    masks[cell] |= 1 << UInt8(2 * (y % 4) + x % 2)
    looks[cell] = look
  }

  /// Sets the dots from one point to another.
  mutating func line(from a: (x: Double, y: Double), to b: (x: Double, y: Double), _ look: Look) {
    let steps = max(1, Int(max((b.x - a.x).magnitude, (b.y - a.y).magnitude).rounded(.up)))
    for step in 0...steps {
      let part = Double(step) / Double(steps)
      set(
        Int((a.x + part * (b.x - a.x)).rounded()), Int((a.y + part * (b.y - a.y)).rounded()), look)
    }
  }

  /// Sets dots on a circle, `gap` dots from one to the next.
  mutating func circle(x: Double, y: Double, radius: Double, gap: Double = 1, _ look: Look) {
    let count = max(8, Int(2 * .pi * radius / gap))
    for index in 0..<count {
      let angle = 2 * .pi * Double(index) / Double(count)
      set(Int((x + radius * sin(angle)).rounded()), Int((y - radius * cos(angle)).rounded()), look)
    }
  }

  /// Puts the cells that have dots into a grid.
  func draw(on grid: inout Grid, at area: Area, _ glyphs: Glyphs) {
    for (index, mask) in masks.enumerated() where mask != 0 {
      let (row, column) = (index / columns, index % columns)
      guard row < area.rows, column < area.columns else { continue }
      grid.put(
        glyphs.dots(mask), row: area.row + row, column: area.column + column, looks[index])
    }
  }
}
