import BearingModel
import Foundation
import Testing

@testable import BearingCore

@Suite struct RegionWatchTests {
  private static let region = Region(
    identifier: "home", latitude: RegionSimulation.centre.latitude,
    longitude: RegionSimulation.centre.longitude, radius: RegionSimulation.radius)

  /// The second of each change, of a receiver at 1 Hz.
  private static func changes(
    of watch: inout RegionWatch, seconds: Range<Int>, fix: (Int) -> Fix
  ) -> [(second: Int, change: RegionWatch.Change)] {
    seconds.compactMap { second in
      let moment = FixMoment(
        receipt: BootTime(nanoseconds: Int64(second) * Nanoseconds.second), time: nil)
      return watch.note(fix(second), at: moment).map { (second, $0) }
    }
  }

  private static func watch() -> RegionWatch {
    RegionWatch(region, now: BootTime(nanoseconds: 0))
  }

  struct Standing {
    var sigma: Double
    var distance: Double
    var noise: RegionSimulation.Noise
    var most: Int
  }

  /// One enter for each of ten runs is what a perfect receiver gives.
  @Test(arguments: [
    Standing(sigma: 3, distance: 8, noise: .white, most: 10),
    Standing(sigma: 6, distance: 48, noise: .white, most: 10),
    Standing(sigma: 12, distance: 35, noise: .white, most: 10),
    Standing(sigma: 20, distance: 48, noise: .white, most: 12),
    Standing(sigma: 3, distance: 8, noise: .wandering, most: 10),
    Standing(sigma: 6, distance: 48, noise: .wandering, most: 10),
    Standing(sigma: 12, distance: 35, noise: .wandering, most: 10),
    Standing(sigma: 20, distance: 48, noise: .wandering, most: 26),
  ])
  func standingStillForTenHoursMakesFewEvents(_ standing: Standing) {
    var events = 0
    for run in 0..<10 {
      var simulation = RegionSimulation(
        seed: UInt64(1 + run), sigma: standing.sigma, noise: standing.noise)
      var watch = Self.watch()
      events +=
        Self.changes(of: &watch, seconds: 0..<3600) { _ in
          simulation.fix(distance: standing.distance)
        }.count
    }
    RegionTables.print("bearingd | \(standing.noise) | σ \(standing.sigma) m | \(events)")
    #expect(events >= 10 && events <= standing.most)
  }

  @Test(arguments: [
    (3.0, 1.4, 18.0), (6, 1.4, 22), (12, 1.4, 33), (20, 1.4, 44),
    (3, 14, 7), (6, 14, 7), (12, 14, 7), (20, 14, 7),
  ])
  func leavingIsToldSoonAfterTheCrossing(sigma: Double, speed: Double, within: Double) {
    var delays: [Double] = []
    for run in 0..<200 {
      var simulation = RegionSimulation(seed: UInt64(1000 + run), sigma: sigma, noise: .white)
      var watch = Self.watch()
      let crossing = 60 + RegionSimulation.radius / speed
      let changes = Self.changes(of: &watch, seconds: 0..<600) { second in
        simulation.fix(distance: max(0, Double(second - 60) * speed))
      }
      if let exit = changes.last(where: { $0.change == .exit }) {
        delays.append(Double(exit.second) - crossing)
      }
    }
    let mean = delays.reduce(0, +) / Double(delays.count)
    RegionTables.print("exit | \(speed) m/s | σ \(sigma) m | \(mean) s")
    #expect(delays.count == 200)
    #expect(mean <= within)
  }

  @Test(arguments: [3.0, 6, 12, 20], [1.4, 14])
  func arrivingIsToldSoonAfterTheCrossing(sigma: Double, speed: Double) {
    var delays: [Double] = []
    for run in 0..<200 {
      var simulation = RegionSimulation(seed: UInt64(5000 + run), sigma: sigma, noise: .white)
      var watch = Self.watch()
      let start = 400.0
      let crossing = (start - RegionSimulation.radius) / speed
      let changes = Self.changes(of: &watch, seconds: 0..<600) { second in
        simulation.fix(distance: max(0, start - Double(second) * speed))
      }
      if let enter = changes.last(where: { $0.change == .enter }) {
        delays.append(Double(enter.second) - crossing)
      }
    }
    let mean = delays.reduce(0, +) / Double(delays.count)
    RegionTables.print("enter | \(speed) m/s | σ \(sigma) m | \(mean) s")
    #expect(delays.count == 200)
    #expect(mean <= 8)
  }

  /// A rule that decides by one fix alone.
  private static func events(of isInside: (Double, Double) -> Bool, _ standing: Standing) -> Int {
    var events = 0
    for run in 0..<10 {
      var simulation = RegionSimulation(
        seed: UInt64(1 + run), sigma: standing.sigma, noise: standing.noise)
      var wasInside = false
      for _ in 0..<3600 {
        let fix = simulation.fix(distance: standing.distance)
        let distance = Geodesic.distance(
          fromLatitude: region.latitude, longitude: region.longitude, toLatitude: fix.latitude,
          longitude: fix.longitude)
        let now = isInside(distance, fix.horizontalAccuracy ?? 0)
        if now != wasInside { events += 1 }
        wasInside = now
      }
    }
    return events
  }

  @Test(arguments: [
    Standing(sigma: 3, distance: 8, noise: .white, most: 10),
    Standing(sigma: 6, distance: 48, noise: .white, most: 10),
    Standing(sigma: 12, distance: 35, noise: .white, most: 10),
    Standing(sigma: 20, distance: 48, noise: .white, most: 10),
    Standing(sigma: 3, distance: 8, noise: .wandering, most: 10),
    Standing(sigma: 6, distance: 48, noise: .wandering, most: 10),
    Standing(sigma: 12, distance: 35, noise: .wandering, most: 10),
    Standing(sigma: 20, distance: 48, noise: .wandering, most: 23),
  ])
  func rulesThatDecideByOneFixMakeManyTimesMoreEvents(_ standing: Standing) {
    let bare = Self.events(of: { distance, _ in distance <= RegionSimulation.radius }, standing)
    let android = Self.events(
      of: { distance, accuracy in distance <= max(RegionSimulation.radius, accuracy) }, standing)
    RegionTables.print(
      "d ≤ R and d ≤ max(R, accuracy) | \(standing.noise) | σ \(standing.sigma) m | \(bare) | \(android)"
    )
    #expect(bare > 10 * standing.most)
    #expect(android > 10 * standing.most)
  }
}

/// What docs/semantics.md has in its tables.
private enum RegionTables {
  /// Prints a row when BEARING_TABLES asks for it.
  static func print(_ row: String) {
    if ProcessInfo.processInfo.environment["BEARING_TABLES"] != nil { Swift.print("| \(row) |") }
  }
}
