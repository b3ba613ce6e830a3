import Foundation
import Testing

@testable import BearingCore

@Suite struct ApproximateGridTests {
  private static let grid = ApproximateGrid(shift: 700, turn: 123.4)

  /// Places all over, near the poles and the antimeridian among them.
  private static func places(_ count: Int, seed: UInt64) -> [(latitude: Double, longitude: Double)]
  {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { index in
      let latitude = asin(2 * random.uniform() - 1) * 180 / .pi
      let longitude = 360 * random.uniform() - 180
      switch index % 10 {
      case 0: return (90 - random.uniform() * 0.05, longitude)
      case 1: return (-90 + random.uniform() * 0.05, longitude)
      case 2: return (latitude, 180 - random.uniform() * 0.01)
      default: return (latitude, longitude)
      }
    }
  }

  /// A cell and its centre. Worked out apart from this code: the meridian's arc by Simpson's rule over
  /// WGS84's radius of curvature, its inverse by bisection, parallels from WGS84's axis and flattening.
  struct Known {
    var place: (latitude: Double, longitude: Double)
    var cell: ApproximateGrid.Cell
    var centre: ApproximateGrid.Centre

    init(
      _ latitude: Double, _ longitude: Double, _ row: Int, _ column: Int, _ middle: Double,
      _ meridian: Double, _ accuracy: Double
    ) {
      place = (latitude, longitude)
      cell = ApproximateGrid.Cell(row: row, column: column)
      centre = ApproximateGrid.Centre(latitude: middle, longitude: meridian, accuracy: accuracy)
    }
  }

  @Test(arguments: [
    Known(46.9, 7.4, 7599, 4983, 46.901837279, 7.410061976, 1414.3387),
    Known(0.0001, -0.0001, 5001, 6868, 0.003023042, -0.001457231, 1414.1962),
    Known(-33.86, 151.21, 3127, 12706, -33.855791954, 151.219679414, 1414.3010),
    Known(-17, 179.9999, 4061, 16154, -16.994204087, -179.99745409, 1414.2489),
    Known(-17, -179.9999, 4061, 16154, -16.994204087, -179.99745409, 1414.2489),
    Known(71.2, 25.8, 8952, 2684, 71.195251362, 25.784933621, 1414.5856),
    Known(89.9, 10, 9996, 13, 89.895863154, 7.951351351, 1466.3826),
    Known(-89.97, 45, 2, 6, -89.961501954, 43.742857143, 1553.8581),
    Known(89.99, -100, 10_001, 0, 90, 0, 2631.4586),
    Known(-89.99, 45, 1, 0, -90, 0, 3300),
  ])
  func cellsAreAsDefined(_ known: Known) {
    let cell = Self.grid.cell(
      latitude: known.place.latitude, longitude: known.place.longitude, previous: nil)
    #expect(cell == known.cell)
    #expect(Self.grid.contains(cell))
    let centre = Self.grid.centre(of: cell)
    #expect(abs(centre.latitude - known.centre.latitude) < 1e-8)
    #expect(abs(centre.longitude - known.centre.longitude) < 1e-8)
    #expect(abs(centre.accuracy - known.centre.accuracy) < 1e-3)
  }

  @Test func theStatedAccuracyHoldsTheTruePlace() {
    for place in Self.places(20_000, seed: 1) {
      let cell = Self.grid.cell(
        latitude: place.latitude, longitude: place.longitude, previous: nil)
      let centre = Self.grid.centre(of: cell)
      let distance = Geodesic.distance(
        fromLatitude: centre.latitude, longitude: centre.longitude, toLatitude: place.latitude,
        longitude: place.longitude)
      #expect(distance <= centre.accuracy + 1, "\(place)")
      #expect(centre.accuracy >= 1400 && centre.accuracy <= 4000)
      #expect(abs(centre.longitude) <= 180)
    }
  }

  @Test func theCentreOfACellIsInThatCell() {
    for place in Self.places(5_000, seed: 2) {
      let cell = Self.grid.cell(
        latitude: place.latitude, longitude: place.longitude, previous: nil)
      let centre = Self.grid.centre(of: cell)
      #expect(
        Self.grid.cell(latitude: centre.latitude, longitude: centre.longitude, previous: nil)
          == cell)
    }
  }

  @Test func aWalkAlongABorderDoesNotFlicker() {
    // Find a border between two columns, and walk along it, 150 m to and fro across it.
    let latitude = 47.0
    var longitude = 8.0
    let first = Self.grid.cell(latitude: latitude, longitude: longitude, previous: nil)
    while Self.grid.cell(latitude: latitude, longitude: longitude, previous: nil) == first {
      longitude += 0.0001
    }
    var cell: ApproximateGrid.Cell?
    var changes = 0
    var random = SeededRandom(seed: 3)
    for _ in 0..<5_000 {
      let across = (2 * random.uniform() - 1) * 150
      let place = Geodesic.destination(
        fromLatitude: latitude, longitude: longitude, course: 90, distance: across)
      let now = Self.grid.cell(
        latitude: place.latitude, longitude: place.longitude, previous: cell)
      if let cell, cell != now { changes += 1 }
      cell = now
    }
    #expect(changes == 0)
  }

  @Test func goingThreeHundredMetresPastTheBorderChangesTheCell() {
    let latitude = 47.0
    var longitude = 8.0
    let first = Self.grid.cell(latitude: latitude, longitude: longitude, previous: nil)
    while Self.grid.cell(latitude: latitude, longitude: longitude, previous: nil) == first {
      longitude += 0.0001
    }
    let near = Geodesic.destination(
      fromLatitude: latitude, longitude: longitude, course: 90, distance: 150)
    let far = Geodesic.destination(
      fromLatitude: latitude, longitude: longitude, course: 90, distance: 300)
    #expect(
      Self.grid.cell(latitude: near.latitude, longitude: near.longitude, previous: first) == first)
    #expect(
      Self.grid.cell(latitude: far.latitude, longitude: far.longitude, previous: first) != first)
  }

  /// A tenth of a cell is 200 m in both directions; the row's borders are at 7599 and 7600 times 2000 m
  /// less the shift.
  @Test(arguments: [(199.0, true), (201, false)])
  func aTenthOfACellPastItsBorderIsTheCellStill(metres: Double, stays: Bool) {
    let cell = ApproximateGrid.Cell(row: 7599, column: 4983)
    let longitude = 7.41
    for arc in [7600 * 2000 - 700 + metres, 7599 * 2000 - 700 - metres] {
      let place = Geodesic.destination(
        fromLatitude: -90, longitude: longitude, course: longitude, distance: arc)
      let found = Self.grid.cell(latitude: place.latitude, longitude: longitude, previous: cell)
      #expect((found == cell) == stays)
    }
    // The column reaches from 4983 to 4984 times 360° / n, n being the circumference / 2000 m.
    let n = 13_715.0
    for (edge, sign) in [(4983.0, -1.0), (4984.0, 1.0)] {
      let past = edge + sign * metres / 2000
      let found = Self.grid.cell(
        latitude: 46.9018, longitude: 360 * past / n - 123.4, previous: cell)
      #expect((found == cell) == stays)
    }
  }

  /// The attack that drawing fresh noise falls to: over 200 secret grids, a user standing still.
  @Test func averagingAThousandUpdatesFindsThePlaceNoBetterThanOne() {
    var random = SeededRandom(seed: 4)
    var single: [Double] = []
    var averaged: [Double] = []
    for _ in 0..<200 {
      let grid = ApproximateGrid(
        shift: 2000 * random.uniform(), turn: 360 * random.uniform())
      let truth = (latitude: 46.9, longitude: 7.4)
      var cell: ApproximateGrid.Cell?
      var sum = (latitude: 0.0, longitude: 0.0)
      var first: Double?
      for _ in 0..<1000 {
        let place = Geodesic.destination(
          fromLatitude: truth.latitude, longitude: truth.longitude,
          course: 360 * random.uniform(), distance: 5 * abs(random.normal()))
        cell = grid.cell(latitude: place.latitude, longitude: place.longitude, previous: cell)
        guard let cell else { continue }
        let centre = grid.centre(of: cell)
        sum.latitude += centre.latitude / 1000
        sum.longitude += centre.longitude / 1000
        first = first ?? Self.distance(truth, (centre.latitude, centre.longitude))
      }
      single.append(first ?? 0)
      averaged.append(Self.distance(truth, sum))
    }
    #expect(Self.median(averaged) >= 0.95 * Self.median(single))
  }

  private static func distance(
    _ one: (latitude: Double, longitude: Double), _ other: (latitude: Double, longitude: Double)
  ) -> Double {
    Geodesic.distance(
      fromLatitude: one.latitude, longitude: one.longitude, toLatitude: other.latitude,
      longitude: other.longitude)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
