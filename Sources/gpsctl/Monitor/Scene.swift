internal import BearingModel

/// What a picture is drawn from. Drawing is a function of this and the screen's size alone.
struct Scene: Sendable {
  let readings: Readings
  let settings: MonitorSettings
  /// The present on the monitor's clock.
  let now: Duration
  let glyphs: Glyphs
  /// When the picture was held; nil while it follows.
  let heldAt: Duration?

  init(_ state: MonitorState, now: Duration, glyphs: Glyphs) {
    readings = state.shown
    settings = state.settings
    heldAt = state.held?.at
    self.now = now
    self.glyphs = glyphs
  }

  /// Longer than a daemon that is well says nothing: it repeats itself each second.
  static let silence: Duration = .seconds(5)

  /// Why what is shown may be of the past, whatever the daemon said last; nil when it is not.
  var doubt: String? {
    if heldAt != nil { return "paused" }
    if readings.interruptedSince != nil { return "connection lost" }
    if let heardAt = readings.heardAt, now - heardAt > Self.silence { return "no news" }
    return nil
  }

  /// Whether the position is of now.
  var isPositionCurrent: Bool { doubt == nil && readings.locationState == .live }

  /// The picture for a screen.
  func picture(_ size: Size) -> Grid {
    var grid = Grid(size)
    let layout = Layout(size)
    guard !layout.panels.isEmpty else {
      drawTooSmall(on: &grid)
      return grid
    }
    drawTitle(on: &grid)
    for (panel, area) in layout.panels {
      switch panel {
      case .position: drawPosition(on: &grid, in: area)
      case .essentials: drawEssentials(on: &grid, in: area)
      case .sky: drawSky(on: &grid, in: area)
      case .signals: drawSignals(on: &grid, in: area)
      case .acceleration: drawAcceleration(on: &grid, in: area)
      case .orientation: drawOrientation(on: &grid, in: area)
      }
    }
    drawKeys(on: &grid)
    if settings.showsHelp { drawHelp(on: &grid) }
    return grid
  }

  // MARK: What all panels use

  /// Draws a frame with a title; returns what is left of the title's row.
  @discardableResult
  func drawFrame(
    on grid: inout Grid, _ area: Area, title: String, right: String = "", footer: String = ""
  ) -> Area {
    let frame = glyphs.frame
    let (top, bottom, last) = (area.row, area.endRow - 1, area.endColumn - 1)
    for column in area.column..<area.endColumn {
      grid.put(frame.level, row: top, column: column, .dim)
      grid.put(frame.level, row: bottom, column: column, .dim)
    }
    for row in area.row..<area.endRow {
      grid.put(frame.upright, row: row, column: area.column, .dim)
      grid.put(frame.upright, row: row, column: last, .dim)
    }
    grid.put(frame.corners[0], row: top, column: area.column, .dim)
    grid.put(frame.corners[1], row: top, column: last, .dim)
    grid.put(frame.corners[2], row: bottom, column: last, .dim)
    grid.put(frame.corners[3], row: bottom, column: area.column, .dim)
    let line = area.columns(from: 2, count: area.columns - 4)
    let end = grid.write(" \(glyphs.shown(title)) ", in: line, .bold)
    let room = line.columns - end
    if !right.isEmpty, right.unicodeScalars.count + 2 <= room {
      grid.writeAtRight(" \(glyphs.shown(right)) ", in: line)
    }
    if !footer.isEmpty {
      grid.writeAtRight(" \(glyphs.shown(footer)) ", in: line, row: area.rows - 1, .dim)
    }
    return line.columns(from: end)
  }

  /// Writes a text over as many rows as it takes, broken between words, or in a word that is longer
  /// than a row.
  func writeWrapped(_ text: String, on grid: inout Grid, in area: Area, _ look: Look) {
    guard area.columns > 0 else { return }
    var (row, column) = (0, 0)
    for word in glyphs.shown(text).split(separator: " ") {
      var rest = word[...]
      if column > 0, column + rest.count > area.columns { (row, column) = (row + 1, 0) }
      while rest.count > area.columns {
        grid.write(rest.prefix(area.columns), in: area, row: row, look)
        rest = rest.dropFirst(area.columns)
        row += 1
      }
      column = grid.write(rest, in: area, row: row, column: column, look) + 1
    }
  }

  /// The look of a state by the wire's word for it.
  static func look(ofState word: String) -> Look {
    switch Style.colour(ofState: word) {
    case .green: Look(.green, isBold: true)
    case .yellow: Look(.yellow, isBold: true)
    case .red: Look(.red, isBold: true)
    case .grey, nil: .dim
    }
  }

  /// A state in words: `noReceiver` reads `no receiver`.
  static func words(_ state: String) -> String {
    state.map { $0.isUppercase ? " \($0.lowercased())" : String($0) }.joined()
  }
}
