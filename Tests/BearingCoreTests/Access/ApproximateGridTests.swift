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
