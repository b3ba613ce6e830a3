internal import BearingModel

extension Scene {
  /// The first row: whether what follows is of now.
  func drawTitle(on grid: inout Grid) {
    let line = grid.area.rows(from: 0, count: 1)
    var end = grid.write("gpsctl monitor", in: line, column: 1, .bold)
    if readings.fix?.simulated == true {
      end = grid.write("simulated", in: line, column: end + 2, Look(.yellow))
    }
    let (text, look) = connection(room: line.columns - end - 3)
    grid.writeAtRight(text, in: line, end: 1, look)
  }

  private func connection(room: Int) -> (String, Look) {
    if let heldAt { return (" PAUSED for \(Times.span(now - heldAt)) ", .reversed) }
    if let since = readings.interruptedSince {
      let text = "\(glyphs.off) connection lost, trying again"
      let long = "\(text) (\(Times.span(now - since)))"
      let look = Look(.red, isBold: true)
      return (long.unicodeScalars.count <= room ? long : "\(glyphs.off) trying again", look)
    }
    guard let heardAt = readings.heardAt else { return ("connecting", Look(.yellow)) }
    if now - heardAt > Self.silence {
      return ("\(glyphs.off) no news for \(Times.span(now - heardAt))", Look(.yellow, isBold: true))
    }
    return ("\(glyphs.on) connected", Look(.green))
  }

  /// The last row: the keys, as many as there is room for.
  func drawKeys(on grid: inout Grid) {
    let line = grid.area.rows(from: grid.size.rows - 1)
    var keys = [("q", "quit"), ("?", "help"), ("space", heldAt == nil ? "pause" : "go on")]
    keys += [("u", settings.units.rawValue), ("f", settings.coordinates.rawValue)]
    keys += [("+ -", "scale")]
    var column = 1
    for (key, meaning) in keys
    where column + key.count + meaning.count + 1 < line.columns {
      column = grid.write(key, in: line, column: column, .bold)
      column = grid.write(meaning, in: line, column: column + 1, .dim) + 3
    }
  }

  /// What each key does, over the rest.
  func drawHelp(on grid: inout Grid) {
    let scale = MonitorSettings.scales
    let lines: [(key: String, meaning: String)] = [
      ("q", "quit (so does Ctrl-C)"), ("space", "hold the picture, or go on"),
      ("u", "metric, imperial, nautical"), ("f", "decimal, dms, utm, maidenhead"),
      ("+ -", "graph: \(Int(scale[0])) to \(Int(scale[scale.count - 1])) m/s²"),
      ("?", "this help; any key closes it"),
    ]
    let size = Area(row: 0, column: 0, rows: lines.count + 2, columns: 40)
    let area = Area(
      row: max(0, (grid.size.rows - size.rows) / 2),
      column: max(0, (grid.size.columns - size.columns) / 2), rows: size.rows,
      columns: min(size.columns, grid.size.columns))
    grid.clear(area)
    drawFrame(on: &grid, area, title: "Keys")
    for (row, line) in lines.enumerated() {
      grid.write(line.key, in: area.inside, row: row, column: 1, .bold)
      grid.write(glyphs.shown(line.meaning), in: area.inside, row: row, column: 7)
    }
  }

  /// What is left to say where nothing fits.
  func drawTooSmall(on grid: inout Grid) {
    let least = Layout.smallest
    let texts = [
      "too small:", "\(grid.size.columns)x\(grid.size.rows), needs \(least.columns)x\(least.rows)",
    ]
    let first = max(0, (grid.size.rows - texts.count) / 2)
    for (row, text) in texts.enumerated() {
      grid.writeCentred(text, in: grid.area, row: first + row)
    }
  }
}
