import BearingModel
import Foundation
import Testing

@testable import gpsctl

/// What pictures are made of.
@Suite struct MonitorDrawingTests {
  // MARK: Layout

  @Test func `panels keep to the screen and off each other at every size`() {
    for columns in 1...240 {
      for rows in 1...80 {
        let panels = Layout(Size(columns: columns, rows: rows)).panels
        #expect(panels.isEmpty == (columns < 40 || rows < 12))
        var taken: Set<Int> = []
        for (panel, area) in panels {
          #expect(area.rows >= 3 && area.columns >= 18, "\(panel) at \(columns)x\(rows)")
          #expect(area.column >= 0 && area.endColumn <= columns)
          #expect(area.row >= 1 && area.endRow <= rows - 1)
          for corner in [
            (area.row, area.column), (area.row, area.endColumn - 1),
            (area.endRow - 1, area.column), (area.endRow - 1, area.endColumn - 1),
          ] { #expect(taken.insert(corner.0 * 1000 + corner.1).inserted) }
        }
        if !panels.isEmpty {
          #expect(panels.contains { $0.panel == .position || $0.panel == .essentials })
          #expect(panels.contains { $0.panel == .acceleration })
        }
      }
    }
  }

  @Test(arguments: [
    (
      Size(columns: 80, rows: 24),
      [Layout.Panel.position, .sky, .signals, .acceleration, .orientation]
    ),
    (Size(columns: 60, rows: 20), [.position, .sky, .acceleration, .orientation]),
    (Size(columns: 200, rows: 60), [.position, .sky, .signals, .orientation, .acceleration]),
    (Size(columns: 120, rows: 15), [.essentials, .acceleration]),
    (Size(columns: 40, rows: 40), [.essentials, .sky, .acceleration]),
    (Size(columns: 40, rows: 12), [.essentials, .acceleration]),
  ])
  func `a screen shows as much as it has room for`(size: Size, panels: [Layout.Panel]) {
    #expect(Layout(size).panels.map(\.panel) == panels)
  }

  // MARK: Dots

  /// Numbered as Unicode's chapter on Braille does: 1 to 3 and 7 down the left, 4 to 6 and 8 down
  /// the right; dot n is bit n − 1 above U+2800.
  @Test(arguments: [
    (0, 0, 1), (0, 1, 2), (0, 2, 3), (1, 0, 4), (1, 1, 5), (1, 2, 6), (0, 3, 7), (1, 3, 8),
  ])
  func `a dot is where Braille has it`(x: Int, y: Int, number: Int) {
    var picture = DotPicture(columns: 3, rows: 2)
    picture.set(2 + x, 4 + y, .bold)
    var grid = Grid(Size(columns: 3, rows: 2))
    picture.draw(on: &grid, at: grid.area, .unicode)
    #expect(grid[1, 1].character.value == 0x2800 + 1 << (number - 1))
    #expect(grid[1, 1].look == .bold)
    #expect(grid.text.count { !$0.isWhitespace } == 1)
  }

  @Test func `dots outside of the picture are left out`() {
    var picture = DotPicture(columns: 2, rows: 1)
    picture.line(from: (-10, 0), to: (10, 0), .plain)
    picture.set(0, 4, .plain)
    var grid = Grid(Size(columns: 4, rows: 3))
    picture.draw(on: &grid, at: grid.area.rows(from: 1).columns(from: 1), .unicode)
    #expect(grid.text == "\n ⠉⠉\n")
  }

  @Test(arguments: [
    (0.0, ""), (0.5, "█████"), (1.0, "██████████"), (7.0, "██████████"), (-1.0, ""),
    (0.26, "██▋"), (0.0125, "▏"),
  ])
  func `a bar is as long as its part`(part: Double, text: String) {
    #expect(Glyphs.unicode.bar(part, length: 10) == text)
  }

  // MARK: Sky

  /// Places by the definition of a sky plot: azimuth clockwise from the top, the zenith in the
  /// middle, the horizon around.
  @Test(arguments: [
    (90.0, 0.0, 0.0, 0.0), (0, 0, 0, -1), (0, 90, 1, 0), (0, 180, 0, 1), (0, 270, -1, 0),
    (45, 90, 0.5, 0), (30, 225, -0.4714, 0.4714), (-5, 90, 1, 0),
  ])
  func `a satellite stands at its azimuth and elevation`(
    elevation: Double, azimuth: Double, right: Double, down: Double
  ) throws {
    var satellite = Satellite(constellation: "QZSS", identifier: 7, used: true)
    satellite.elevation = elevation
    satellite.azimuth = azimuth
    var state = MonitorState()
    state.readings.take(
      MonitorFixture.satellites(Sky(bootTimestamp: 0, satellites: [satellite])),
      at: MonitorFixture.now)
    let scene = Scene(state, now: MonitorFixture.now, glyphs: .unicode)
    var grid = Grid(Size(columns: 63, rows: 33))  // inside: 61 by 31 cells, 122 by 124 dots
    scene.drawSky(on: &grid, in: grid.area)
    let lines = grid.text.split(separator: "\n").map { Array($0) }
    let row = try #require(lines.firstIndex { $0.contains("J") })
    let column = try #require(lines[row].firstIndex(of: "J"))
    #expect(abs(Double(row) - (16 + down * 15)) <= 1)
    #expect(abs(Double(column) - (31 + right * 30)) <= 1)
    #expect(grid[row, column].look == Look(.green, isBold: true))
  }

  @Test func `more satellites than rows are told by number, the strongest used ones shown`() {
    var state = MonitorState()
    let satellites = (1...30).map { index in
      var satellite = Satellite(constellation: "GPS", identifier: index, used: index % 2 == 0)
      satellite.signal = Double(index)
      return satellite
    }
    state.readings.take(
      MonitorFixture.satellites(Sky(bootTimestamp: 0, satellites: satellites)),
      at: MonitorFixture.now)
    var grid = Grid(Size(columns: 21, rows: 6))
    Scene(state, now: MonitorFixture.now, glyphs: .ascii).drawSignals(on: &grid, in: grid.area)
    #expect(
      grid.text == """
        +- Signals -- dBHz -+
        |*G26  #####     26 |
        |*G28  #####     28 |
        |*G30  #####     30 |
        |... and 27 more    |
        +---------- * used -+
        """)
  }

  // MARK: Orientation

  /// Which edge's middle is highest, for gravity along each axis.
  @Test(arguments: [
    (Slab.Vector(x: 0, y: 9.8, z: 0), "top"), (Slab.Vector(x: 0, y: -9.8, z: 0), "bottom"),
    (Slab.Vector(x: 9.8, y: 0, z: 0), "right"), (Slab.Vector(x: -9.8, y: 0, z: 0), "left"),
    (Slab.Vector(x: 9, y: 2, z: 3), "right"), (Slab.Vector(x: 1, y: -8, z: -4), "bottom"),
    (Slab.Vector(x: 0, y: 0.2, z: 9.8), "top"),
  ])
  func `the edge that points up is drawn on top`(up: Slab.Vector, edge: String) {
    let slab = Slab(up: up, orientation: .normal)
    let edges = [
      "top": Slab.Vector(x: 0, y: 1, z: 0), "bottom": .init(x: 0, y: -1, z: 0),
      "left": .init(x: -1, y: 0, z: 0), "right": .init(x: 1, y: 0, z: 0),
    ]
    let highest = edges.max { slab.seen($0.value).y < slab.seen($1.value).y }
    #expect(highest?.key == edge)
  }

  @Test(arguments: [
    (Orientation.normal, Tilt.vertical, true), (.leftUp, .tiltedUp, true),
    (.rightUp, .faceUp, true), (.normal, .faceDown, false), (.undefined, .faceUp, true),
  ])
  func `the screen is drawn when its face is to be seen`(
    orientation: Orientation, tilt: Tilt, isSeen: Bool
  ) throws {
    let up = try #require(Slab.up(orientation, tilt))
    #expect(Slab(up: up, orientation: orientation).lines.count == (isSeen ? 8 : 4))
  }

  @Test func `a turn keeps lengths and puts up where it is`() {
    let up = Slab.Vector(x: 3, y: -4, z: 2)
    let slab = Slab(up: up, orientation: .undefined)
    let seen = slab.seen(up)
    #expect(abs(seen.length - up.length) < 1e-12)
    // Seen from above by 0.35 radians: straight up leans to the reader by that.
    #expect(abs(seen.x) < 1e-12)
    #expect(abs(seen.y - up.length * cos(0.35)) < 1e-12)
    #expect(abs(seen.z - up.length * sin(0.35)) < 1e-12)
  }

  @Test(arguments: [
    (0.0, "N", "↑"), (22, "N", "↑"), (23, "NE", "↗"), (90, "E", "→"), (181, "S", "↓"),
    (337, "NW", "↖"), (338, "N", "↑"), (359.9, "N", "↑"), (360, "N", "↑"),
  ])
  func `a course has the nearest of eight directions`(
    course: Double, name: String, arrow: String
  ) {
    #expect(Compass.name(of: course) == name)
    #expect(Glyphs.unicode.arrow(towards: course) == arrow)
  }
}
