/// Where each part of the picture stands, for any size of screen.
struct Layout: Equatable, Sendable {
  /// A part of the picture.
  enum Panel: Equatable, Sendable {
    case position, sky, signals, acceleration, orientation
    /// Position, satellites, acceleration and orientation in a line or two each, without frames.
    case essentials
  }

  /// The least that shows anything.
  static let smallest = Size(columns: 40, rows: 12)
  /// What fits the longest coordinates, with a frame.
  private static let positionColumns = 34
  /// A frame and the most that there is to say.
  private static let positionRows = 13
  private static let signalColumns = 21
  private static let essentialRows = 7

  /// The parts from the top left; none when the screen is too small.
  private(set) var panels: [(panel: Panel, area: Area)] = []

  static func == (a: Layout, b: Layout) -> Bool {
    a.panels.map(\.panel) == b.panels.map(\.panel) && a.panels.map(\.area) == b.panels.map(\.area)
  }

  init(_ size: Size) {
    guard size.columns >= Self.smallest.columns, size.rows >= Self.smallest.rows else { return }
    // A row for the title, one for the keys.
    let body = Area(row: 1, column: 0, rows: size.rows - 2, columns: size.columns)
    if size.columns < 60 || size.rows < 20 {
      stack(in: body)
    } else if size.rows >= 36 {
      spread(in: body)
    } else {
      twoBands(in: body)
    }
  }

  /// Position, sky and signals above acceleration and orientation.
  private mutating func twoBands(in body: Area) {
    let lowerRows = max(6, min(body.rows - Self.positionRows, body.rows * 2 / 5))
    let upper = body.rows(from: 0, count: body.rows - lowerRows)
    let lower = body.rows(from: upper.rows)
    add(.position, upper.columns(from: 0, count: Self.positionColumns))
    skyAndSignals(in: upper.columns(from: Self.positionColumns))
    let poseColumns = max(18, min(lower.rows * 2 + 8, lower.columns / 3))
    add(.acceleration, lower.columns(from: 0, count: lower.columns - poseColumns))
    add(.orientation, lower.columns(from: lower.columns - poseColumns))
  }

  /// As two bands, with the orientation below the position and the acceleration over all columns.
  private mutating func spread(in body: Area) {
    let lowerRows = body.rows / 3
    let upper = body.rows(from: 0, count: body.rows - lowerRows)
    let left = upper.columns(from: 0, count: max(Self.positionColumns, upper.columns / 4))
    add(.position, left.rows(from: 0, count: Self.positionRows))
    skyAndSignals(in: upper.columns(from: left.columns))
    add(.orientation, left.rows(from: Self.positionRows))
    add(.acceleration, body.rows(from: upper.rows))
  }

  /// The sky as round as it gets, and the signals in what is left, if that is enough.
  private mutating func skyAndSignals(in area: Area) {
    let round = 2 * (area.rows - 2) + 2
    let skyColumns = min(round, area.columns - Self.signalColumns)
    guard skyColumns >= 20 else {
      add(.sky, area)
      return
    }
    add(.sky, area.columns(from: 0, count: skyColumns))
    add(.signals, area.columns(from: skyColumns))
  }

  /// For narrow and for low screens: the essentials, and below them what there is room for.
  private mutating func stack(in body: Area) {
    if body.columns >= 2 * Self.smallest.columns, body.rows < 18 {
      add(.essentials, body.columns(from: 0, count: Self.smallest.columns))
      add(.acceleration, body.columns(from: Self.smallest.columns))
      return
    }
    add(.essentials, body.rows(from: 0, count: Self.essentialRows))
    var rest = body.rows(from: Self.essentialRows)
    if rest.rows >= 22 {
      skyAndSignals(in: rest.rows(from: 0, count: rest.rows - 8))
      rest = rest.rows(from: rest.rows - 8)
    }
    add(.acceleration, rest)
  }

  private mutating func add(_ panel: Panel, _ area: Area) {
    panels.append((panel, area))
  }
}
