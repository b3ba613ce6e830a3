internal import BearingModel

extension Scene {
  private static let axes: [(name: String, value: @Sendable (AccelerationSample) -> Double)] = [
    ("x", { $0.x }), ("y", { $0.y }), ("z", { $0.z }),
  ]
  private static let axisLooks = [Look(.red), Look(.green), Look(.cyan)]
  /// Columns at the left for the scale's numbers, and at the right for the lines' names.
  private static let margins = (left: 5, right: 4)

  private static let unit = "m/s²"
  /// Columns of the panel from which its title has room for its name.
  private static let columnsForName = 52

  /// Whether the samples are of now.
  private var isAccelerationCurrent: Bool { doubt == nil && readings.accelerationState == .live }

  /// Why there are no samples; nil while there are.
  private var accelerationTrouble: String? {
    if case .refused(let reason) = readings.link(.acceleration) { return reason }
    let word = readings.accelerationState.rawValue
    return word == "live" ? nil : word == "unknown" ? "connecting" : Self.words(word)
  }

  /// The newest sample in numbers, with the unit where it has room; or why there is none.
  func drawVector(on grid: inout Grid, in area: Area, row: Int = 0) {
    guard accelerationTrouble == nil, let sample = readings.trace.newest else {
      let look = doubt == nil ? Self.look(ofState: readings.accelerationState.rawValue) : .dim
      let text = accelerationTrouble ?? doubt ?? "waiting for samples"
      grid.write(glyphs.shown(text + " "), in: area, row: row, look)
      return
    }
    var column = 0
    for (axis, look) in zip(Self.axes, Self.axisLooks) {
      let number = fixedPoint(axis.value(sample), decimals: 2)
      let text = "\(axis.name) \(number.hasPrefix("-") ? "" : "+")\(number)"
      // As wide as any number below 100, so that the next one does not move.
      column = grid.write(
        HelpText.padded(text, to: 9), in: area, row: row, column: column,
        isAccelerationCurrent ? look : .dim)
    }
    if area.columns - column > Self.unit.count {
      grid.write(glyphs.shown(Self.unit + " "), in: area, row: row, column: column, .dim)
    }
  }

  /// The acceleration of the last while, the newest at the right.
  func drawAcceleration(on grid: inout Grid, in area: Area) {
    guard area.rows > 0 else { return }
    let hasFrame = area.rows >= 5
    var inside = area
    if hasFrame {
      inside = area.inside
      let seconds = readings.trace.step.map { step in
        "last \(fixedPoint(step * Double(2 * graph(in: inside).columns), decimals: 1)) s"
      }
      let title = area.columns < Self.columnsForName ? Self.unit : "Acceleration"
      let rest = drawFrame(on: &grid, area, title: title, footer: seconds ?? "")
      if accelerationTrouble == nil {
        drawVector(on: &grid, in: rest)
      } else {
        let text = inside.columns(from: 1, count: inside.columns - 2)
        writeWrapped(
          accelerationTrouble ?? "", on: &grid, in: text,
          Self.look(ofState: readings.accelerationState.rawValue))
        return
      }
    }
    drawScale(on: &grid, in: inside)
    drawLines(on: &grid, in: inside)
  }

  private func graph(in area: Area) -> Area {
    area.columns(
      from: Self.margins.left, count: area.columns - Self.margins.left - Self.margins.right)
  }

  private func drawScale(on grid: inout Grid, in area: Area) {
    let number = fixedPoint(settings.scale, decimals: 0)
    let labels = area.columns(from: 0, count: Self.margins.left)
    grid.writeAtRight("+\(number)", in: labels, row: 0, end: 1, .dim)
    let middle = Int(height(of: 0, in: 4 * area.rows).rounded()) / 4
    if area.rows >= 3 { grid.writeAtRight("0", in: labels, row: middle, end: 1, .dim) }
    grid.writeAtRight("-\(number)", in: labels, row: area.rows - 1, end: 1, .dim)
  }

  private func drawLines(on grid: inout Grid, in area: Area) {
    let place = graph(in: area)
    var picture = DotPicture(columns: place.columns, rows: place.rows)
    guard picture.width > 0 else { return }
    let middle = Int(height(of: 0, in: picture.height).rounded())
    for x in stride(from: 0, to: picture.width, by: 4) { picture.set(x, middle, .dim) }
    let samples = readings.trace.samples.suffix(picture.width)
    let first = picture.width - samples.count
    for (axis, look) in zip(Self.axes, Self.axisLooks).reversed() {
      let look = isAccelerationCurrent ? look : .dim
      var before: (x: Double, y: Double)?
      for (index, sample) in samples.enumerated() {
        guard let sample else {
          before = nil
          continue
        }
        let point = (
          x: Double(first + index), y: height(of: axis.value(sample), in: picture.height)
        )
        picture.line(from: before ?? point, to: point, look)
        before = point
      }
    }
    picture.draw(on: &grid, at: place, glyphs)
    guard let newest = readings.trace.newest else { return }
    for (index, axis) in Self.axes.enumerated() {
      let row = Int(height(of: axis.value(newest), in: picture.height).rounded()) / 4
      let column = area.columns - Self.margins.right + index
      grid.write(
        axis.name, in: area, row: row, column: column,
        isAccelerationCurrent ? Self.axisLooks[index] : .dim)
    }
  }

  /// The row of dots of a value; what is beyond the scale is at its edge.
  private func height(of value: Double, in rows: Int) -> Double {
    let part = max(-1, min(value / settings.scale, 1))
    return (1 - part) / 2 * Double(rows - 1)
  }
}
