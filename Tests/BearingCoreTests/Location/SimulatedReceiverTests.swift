import Foundation
import Testing

@testable import BearingCore

@Suite struct SimulatedReceiverTests {
  /// Metres between two places near each other, on a sphere.
  private static func metres(_ one: SimulatedVehicle, _ other: SimulatedVehicle) -> Double {
    let degree = 6_371_008.8 * Double.pi / 180
    let north = (other.latitude - one.latitude) * degree
    let east = (other.longitude - one.longitude) * degree * cos(one.latitude * .pi / 180)
    return (north * north + east * east).squareRoot()
  }

  @Test(
    "The vehicle turns, stops and climbs on its round, moves as fast as it says, and comes back")
  func round() throws {
    var vehicle = SimulatedVehicle()
    let start = vehicle
    var places = [vehicle]
    // In steps of a second, until it is where it began.
    repeat {
      vehicle.move(seconds: 1)
      places.append(vehicle)
    } while places.count < 1000
      && (places.count < 60 || Self.metres(vehicle, start) > 15 || abs(vehicle.course - 10) > 1)
    #expect(places.count < 400, "it is back")

    // Each leg's course, in order; between them it turns by 30 degrees in a second at most.
    var courses: [Double] = []
    for (last, place) in zip(places, places.dropFirst()) {
      let turn = (place.course - last.course + 540).truncatingRemainder(dividingBy: 360) - 180
      #expect(abs(turn) <= 30.001)
      if abs(turn) < 1e-9, courses.last != place.course { courses.append(place.course) }
    }
    let legs: [Double] = [10, 55, 100, 145, 190, 235, 280, 325]
    #expect(
      courses.count == legs.count && zip(courses, legs).allSatisfy { abs($0 - $1) < 1e-6 },
      "\(courses)")

    // Three stops, one of twelve seconds.
    let isAtRest = places.map { $0.speed == 0 }
    #expect(zip(isAtRest.dropFirst(), isAtRest.dropFirst(2)).count { !$0 && $1 } == 3)
    let rests = places.split { $0.speed > 0 }.map(\.count)
    #expect(rests.max() ?? 0 >= 11)

    let heights = places.map(\.altitude)
    #expect((heights.max() ?? 0) - (heights.min() ?? 0) > 10)
    #expect((places.map(\.speed).max() ?? 0) > 19)
    for (last, place) in zip(places, places.dropFirst()) where Self.metres(place, start) > 30 {
      let (low, high) = (min(last.speed, place.speed), max(last.speed, place.speed))
      #expect((low - 2...high + 2).contains(Self.metres(last, place)))
    }
  }

  @Test("It searches for two seconds, and then gives fixes that say that they are simulated")
  func searches() throws {
    let start = BootTime.now()
    let rig = try SourceRig(SimulatedReceiver(rate: 10), GnssDemand())
    let first = try #require(
      rig.first { report -> PositionReport? in
        if case .position(let position) = report, position.latitude != nil { position } else { nil }
      })
    #expect(first.receipt - start >= 2_000_000_000)
    #expect(first.mode == 3 && first.receiver == "simulated" && first.status == 8)
    #expect(rig.stop())
  }
}
