internal import Glibc

/// The grid of cells, about 2 km wide, that approximate callers are given the centres of.
///
/// No noise is drawn: averaging noise finds the true place, averaging a cell's centre gives the
/// centre. The grid's origin is a secret of the machine, drawn once, so that a cell's border does not
/// lie at a place that others know.
struct ApproximateGrid: Sendable, Equatable {
  /// Height of a row, and nearly the width of a column, in metres.
  static var cellSize: Double { 2000 }
  /// How far past its border a position must be to leave its cell, in cells.
  static var hysteresis: Double { 0.1 }

  /// One cell: a row from the south pole and a column in it. In the rows at the poles there is only
  /// column 0, a round cell around the pole.
  struct Cell: Sendable, Hashable {
    var row: Int
    var column: Int
  }

  /// What callers are told of a cell.
  struct Centre: Sendable, Equatable {
    /// Degrees.
    var latitude: Double
    /// Degrees, −180 to 180.
    var longitude: Double
    /// The least horizontal accuracy that holds all of the cell, in metres.
    var accuracy: Double
  }

  /// Metres by which the rows are shifted, 0 up to 2000; secret.
  let shift: Double
  /// Degrees by which the columns are shifted, 0 up to 360; secret.
  let turn: Double

  /// The length of a meridian from pole to pole on WGS84, in metres.
  private static let meridian = Geodesic.distance(
    fromLatitude: -90, longitude: 0, toLatitude: 90, longitude: 0)

  /// The grid with this secret origin.
  init(shift: Double, turn: Double) {
    self.shift = shift
    self.turn = turn
  }

  /// A grid with an origin drawn from the system's random numbers.
  static func drawn() -> ApproximateGrid {
    ApproximateGrid(shift: .random(in: 0..<cellSize), turn: .random(in: 0..<360))
  }

  // MARK: Cells

  /// The cell of a position, given the one that it was in before; nil when there was none.
  func cell(latitude: Double, longitude: Double, previous: Cell?) -> Cell {
    let arc = Self.arc(latitude)
    if let previous, stays(in: previous, arc: arc, longitude: longitude) { return previous }
    let row = clampedRow(arc)
    if isPolar(row) { return Cell(row: row, column: 0) }
    let count = columns(inRow: row)
    return Cell(row: row, column: min(Int(columnPosition(longitude, count)), count - 1))
  }

  /// The centre of a cell and how far it reaches.
  func centre(of cell: Cell) -> Centre {
    if isPolar(cell.row) {
      let isSouth = cell.row == firstRow
      let radius = isSouth ? upperArc(cell.row) : Self.meridian - lowerArc(cell.row)
      return Centre(latitude: isSouth ? -90 : 90, longitude: 0, accuracy: radius)
    }
    let count = columns(inRow: cell.row)
    let longitude = 360 * (Double(cell.column) + 0.5) / Double(count) - turn
    let low = Self.latitude(lowerArc(cell.row))
    let high = Self.latitude(upperArc(cell.row))
    let widest = max(Self.circumference(low), Self.circumference(high)) / Double(count)
    return Centre(
      latitude: middleLatitude(cell.row), longitude: longitude - 360 * (longitude / 360).rounded(),
      accuracy: hypot(Self.cellSize, widest) / 2)
  }

  /// Whether the grid has such a cell.
  func contains(_ cell: Cell) -> Bool {
    guard (firstRow...lastRow).contains(cell.row) else { return false }
    return isPolar(cell.row)
      ? cell.column == 0 : (0..<columns(inRow: cell.row)).contains(cell.column)
  }

  private func stays(in cell: Cell, arc: Double, longitude: Double) -> Bool {
    let slack = Self.hysteresis * Self.cellSize
    if isPolar(cell.row) {
      return cell.row == firstRow
        ? arc <= upperArc(cell.row) + slack : arc >= lowerArc(cell.row) - slack
    }
    guard arc >= lowerArc(cell.row) - slack, arc <= upperArc(cell.row) + slack else { return false }
    let count = Double(columns(inRow: cell.row))
    var offset = columnPosition(longitude, Int(count)) - Double(cell.column) - 0.5
    offset -= count * (offset / count).rounded()
    return abs(offset) <= 0.5 + Self.hysteresis
  }

  // MARK: Rows

  /// The partial row at each pole is one with its neighbour: these are the rows left.
  private var firstRow: Int { 1 }
  private var lastRow: Int { rowIndex(Self.meridian) - 1 }

  private func isPolar(_ row: Int) -> Bool { row <= firstRow || row >= lastRow }

  private func rowIndex(_ arc: Double) -> Int {
    Int(((arc + shift) / Self.cellSize).rounded(.down))
  }

  private func clampedRow(_ arc: Double) -> Int { max(firstRow, min(lastRow, rowIndex(arc))) }

  /// Metres from the south pole to the row's southern and northern border.
  private func lowerArc(_ row: Int) -> Double { Double(row) * Self.cellSize - shift }
  private func upperArc(_ row: Int) -> Double { Double(row + 1) * Self.cellSize - shift }

  private func middleLatitude(_ row: Int) -> Double {
    Self.latitude((lowerArc(row) + upperArc(row)) / 2)
  }

  // MARK: Columns

  private func columns(inRow row: Int) -> Int {
    max(1, Int((Self.circumference(middleLatitude(row)) / Self.cellSize).rounded()))
  }

  /// Where a longitude is among `count` columns: 0 up to `count`.
  private func columnPosition(_ longitude: Double, _ count: Int) -> Double {
    let turns = (longitude + turn) / 360
    return Double(count) * (turns - turns.rounded(.down))
  }

  // MARK: WGS84

  /// Metres along the meridian from the south pole to a latitude.
  private static func arc(_ latitude: Double) -> Double {
    Geodesic.distance(fromLatitude: -90, longitude: 0, toLatitude: latitude, longitude: 0)
  }

  /// The latitude at that many metres from the south pole.
  private static func latitude(_ arc: Double) -> Double {
    Geodesic.destination(fromLatitude: -90, longitude: 0, course: 0, distance: arc).latitude
  }

  /// The length of a parallel in metres: 2π·a·cos φ / √(1 − e²·sin² φ).
  private static func circumference(_ latitude: Double) -> Double {
    let equatorialRadius = 6_378_137.0
    let eccentricitySquared = 0.00669437999014
    let radians = latitude * .pi / 180
    let sine = sin(radians)
    return 2 * .pi * equatorialRadius * cos(radians)
      / (1 - eccentricitySquared * sine * sine).squareRoot()
  }
}
