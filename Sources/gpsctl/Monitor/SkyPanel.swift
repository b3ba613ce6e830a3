internal import BearingModel
import Glibc

extension Scene {
  /// Satellites this old are those of the past.
  private static let oldSky: Duration = .seconds(10)

  /// Whether the satellites are of now.
  private var isSkyCurrent: Bool {
    guard doubt == nil, let time = readings.skyTime else { return false }
    return now - time < Self.oldSky
  }

  var skyLook: Look { isSkyCurrent ? .plain : .dim }

  /// How many there are, in a line.
  var skySummary: String {
    if case .refused = readings.link(.sky) { return "not for you" }
    guard let sky = readings.sky else { return "none yet" }
    let dilution = sky.horizontalDilution.map { ", HDOP \(fixedPoint($0, decimals: 1))" } ?? ""
    return "\(sky.used) of \(sky.visible) used\(dilution)"
  }

  /// The sky from above: north up, the horizon around, each satellite where it stands.
  func drawSky(on grid: inout Grid, in area: Area) {
    let dilution = readings.sky?.horizontalDilution.map { "HDOP \(fixedPoint($0, decimals: 1))" }
    let count = readings.sky.map { "\($0.used) of \($0.visible) used" } ?? ""
    drawFrame(on: &grid, area, title: "Sky", right: count, footer: dilution ?? "")
    let inside = area.inside
    if case .refused(let reason) = readings.link(.sky) {
      writeWrapped(reason, on: &grid, in: inside.columns(from: 1, count: inside.columns - 2), .dim)
      return
    }
    var picture = DotPicture(columns: inside.columns, rows: inside.rows)
    let dome = Dome(width: picture.width, height: picture.height)
    guard dome.radius >= 4 else { return }
    picture.circle(x: dome.x, y: dome.y, radius: dome.radius, gap: 2, .dim)
    if dome.radius >= 16 {
      for elevation in [30.0, 60.0] {
        let radius = dome.radius * (90 - elevation) / 90
        picture.circle(x: dome.x, y: dome.y, radius: radius, gap: 6, .dim)
      }
    }
    picture.draw(on: &grid, at: inside, glyphs)
    drawDirections(on: &grid, in: inside, dome)
    drawSatellites(on: &grid, in: inside, dome)
  }

  private func drawDirections(on grid: inout Grid, in area: Area, _ dome: Dome) {
    for (letter, azimuth) in [("N", 0.0), ("E", 90.0), ("S", 180.0), ("W", 270.0)] {
      let place = dome.cell(elevation: 0, azimuth: azimuth)
      grid.write(letter, in: area, row: place.row, column: place.column, .bold)
    }
    let zenith = dome.cell(elevation: 90, azimuth: 0)
    grid.write("+", in: area, row: zenith.row, column: zenith.column, .dim)
  }

  private func drawSatellites(on grid: inout Grid, in area: Area, _ dome: Dome) {
    var taken: Set<Dome.Place> = []
    // The last ones drawn are on top and have had the last say on room for their numbers.
    let placed = satellitesInOrder.reversed().compactMap { satellite in
      satellite.elevation.flatMap { elevation in
        satellite.azimuth.map {
          (satellite: satellite, place: dome.cell(elevation: elevation, azimuth: $0))
        }
      }
    }
    for (satellite, place) in placed {
      let look = look(of: satellite)
      grid.write(
        Self.letter(of: satellite), in: area, row: place.row, column: place.column, look)
      taken.insert(place)
    }
    for (satellite, place) in placed.reversed() {
      let number = String(satellite.identifier)
      let cells = (1...number.count).map { Dome.Place(row: place.row, column: place.column + $0) }
      let isFree = cells.allSatisfy { !taken.contains($0) && $0.column < area.columns }
      guard isFree else { continue }
      grid.write(
        number, in: area, row: place.row, column: place.column + 1, look(of: satellite))
      taken.formUnion(cells)
    }
  }

  /// Those the fix was made with before the others, then as systems and numbers go: an order that
  /// does not jump with each change of a signal.
  private var satellitesInOrder: [Satellite] {
    (readings.sky?.satellites ?? []).sorted {
      if $0.used != $1.used { return $0.used }
      let letters = (Self.letter(of: $0), Self.letter(of: $1))
      return letters.0 == letters.1 ? $0.identifier < $1.identifier : letters.0 < letters.1
    }
  }

  private func look(of satellite: Satellite) -> Look {
    guard isSkyCurrent, satellite.used else { return .dim }
    return Look(.green, isBold: true)
  }

  /// The system's letter as in RINEX.
  private static func letter(of satellite: Satellite) -> String {
    switch satellite.constellation {
    case "GPS": "G"
    case "GLONASS": "R"
    case "Galileo": "E"
    case "BeiDou": "C"
    case "SBAS": "S"
    case "QZSS": "J"
    case "NavIC": "I"
    default: "?"
    }
  }

  // MARK: Signals

  /// dBHz of a full bar: about the strongest there are under an open sky.
  private static let strongest = 50.0
  /// Mark, system and number, the least of a bar, dBHz, and a blank between two columns.
  private static let leastBarColumns = 18

  /// How strong each satellite's signal is.
  func drawSignals(on grid: inout Grid, in area: Area) {
    drawFrame(
      on: &grid, area, title: "Signals", right: "dBHz",
      footer: "\(glyphs.on) used")
    let inside = area.inside
    let columns = max(1, min(inside.columns / Self.leastBarColumns, 4))
    let all = satellitesInOrder
    let room = columns * inside.rows
    let shown = all.count <= room ? all : strongest(room - 1, of: all)
    let width = inside.columns / columns
    for (index, satellite) in shown.enumerated() {
      let cell = inside.columns(from: index / inside.rows * width, count: width)
      drawBar(of: satellite, on: &grid, in: cell, row: index % inside.rows)
    }
    if shown.count < all.count {
      let cell = inside.columns(from: (columns - 1) * width)
      grid.write(
        glyphs.shown("… and \(all.count - shown.count) more"), in: cell,
        row: inside.rows - 1, .dim)
    }
  }

  /// Those that matter most, in the order that they have: the used ones before all others.
  private func strongest(_ count: Int, of satellites: [Satellite]) -> [Satellite] {
    let ranked = satellites.indices.sorted {
      let (a, b) = (satellites[$0], satellites[$1])
      return a.used == b.used ? (a.signal ?? 0) > (b.signal ?? 0) : a.used
    }
    return ranked.prefix(max(0, count)).sorted().map { satellites[$0] }
  }

  private func drawBar(of satellite: Satellite, on grid: inout Grid, in cell: Area, row: Int) {
    let look = look(of: satellite)
    let mark = satellite.used ? glyphs.on : glyphs.off
    let name = "\(Self.letter(of: satellite))\(satellite.identifier)"
    grid.write("\(mark)\(name)", in: cell, row: row, look)
    guard let signal = satellite.signal else {
      grid.writeAtRight(glyphs.unknown, in: cell, row: row, end: 1, .dim)
      return
    }
    let start = 6
    let bar = glyphs.bar(signal / Self.strongest, length: cell.columns - start - 4)
    grid.write(bar, in: cell, row: row, column: start, look)
    grid.writeAtRight(fixedPoint(signal, decimals: 0), in: cell, row: row, end: 1, skyLook)
  }
}

/// The sky's half sphere on a picture of dots: a degree of elevation is as long everywhere.
private struct Dome {
  struct Place: Hashable {
    var row: Int
    var column: Int
  }

  let x: Double
  let y: Double
  let radius: Double

  init(width: Int, height: Int) {
    x = Double(width - 1) / 2
    y = Double(height - 1) / 2
    radius = min(x, y)
  }

  /// The cell of a direction in degrees; what is below the horizon is on it.
  func cell(elevation: Double, azimuth: Double) -> Place {
    let distance = radius * (90 - max(0, min(elevation, 90))) / 90
    let angle = azimuth * .pi / 180
    let place = (x: x + distance * sin(angle), y: y - distance * cos(angle))
    return Place(row: Int(place.y.rounded()) / 4, column: Int(place.x.rounded()) / 2)
  }
}
