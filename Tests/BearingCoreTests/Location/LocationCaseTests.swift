import BearingModel
import Foundation
import Testing

@testable import BearingCore

/// Situations that broke software of this kind: gpsd 3.22's stream of each, and what is right.
@Suite struct LocationCaseTests {
  /// Distances are right to a centimetre.
  private let tolerance = 0.01

  @Test("One time that comes as three TPVs is one fix, the best of them")
  func firstEpochIsOneFix() throws {
    let drive = try LocationCase.play("01-first-epoch-three-tpvs")
    #expect(drive.fixes.count == 5)
    #expect(drive.fixes.map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(drive.fixes.allSatisfy { $0.refined == nil && $0.dimensions == 3 })
    #expect(drive.fixes.first?.altitude == 50.0)
    #expect(drive.fixes.first?.ellipsoidalAltitude == 95.0)
    #expect(drive.states == [.connecting, .searching, .live, .noReceiver])
  }

  @Test("A date decades off blocks no position and is not trusted")
  func rolloverBlocksNothing() throws {
    let drive = try LocationCase.play("02-week-rollover-2080")
    #expect(drive.fixes.count == 8)
    var places: [Double] = []
    for fix in drive.fixes where places.last != fix.latitude { places.append(fix.latitude) }
    #expect(places.count == 7)
    let untrusted = drive.fixes.filter { ($0.timestamp ?? 0) < 1_609_459_200_000_000 }
    #expect(untrusted.count == 5)
    #expect(untrusted.allSatisfy { !$0.timestampTrusted })
    #expect(drive.fixes.suffix(3).map(\.timestampTrusted) == [false, false, true])
  }

  @Test("Exactly 0, 0 out of nowhere is no fix")
  func nullIslandIsNoFix() throws {
    let drive = try LocationCase.play("03-null-island")
    #expect(drive.states == [.connecting, .searching, .suspect, .live, .noReceiver])
    #expect(drive.fixes.count == 3)
    #expect(abs(drive.fixes.steps.reduce(0, +) - 22.230) < tolerance)
  }

  @Test("One coordinate that is exactly 0 is an ordinary fix")
  func oneZeroIsOrdinary() throws {
    let drive = try LocationCase.play("04-equator-and-greenwich-zero")
    #expect(drive.fixes.count == 8)
    #expect(drive.fixes.map(\.latitude) == [-0.0002, -0.0001, 0, 0.0001, 51, 51, 51, 51])
    #expect(drive.fixes.suffix(4).map(\.longitude) == [-0.0002, -0.0001, 0, 0.0001])
    let expected = [11.057, 11.057, 11.057, 6_320_673.626, 7.020, 7.020, 7.020]
    for (step, right) in zip(drive.fixes.steps, expected) { #expect(abs(step - right) < tolerance) }
  }

  @Test(
    "A distance filter counts right across 180 degrees and over the pole",
    arguments: [
      ("05-antimeridian-eastbound", 50.0, [0, 3, 6, 9], 11, 21.297),
      ("06-over-the-north-pole", 30.0, [0, 3, 6], 9, 11.169),
    ])
  func distanceFilterAtTheSeams(
    name: String, filter: Double, delivered: [Int], fixes: Int, step: Double
  ) throws {
    let drive = try LocationCase.play(name, filter: LocationFilter(distanceFilter: filter))
    #expect(drive.fixes.count == fixes)
    #expect(drive.fixes.steps.allSatisfy { abs($0 - step) < tolerance })
    #expect(drive.verdicts.indices.filter { drive.verdicts[$0].passed } == delivered)
  }

  @Test("A tunnel gives states and no position, and old accuracies stand as they came")
  func tunnelGivesStates() throws {
    let drive = try LocationCase.play(
      "07-mode-flap-3-1-2-3", filter: LocationFilter(maximumAccuracy: 100))
    #expect(drive.states == [.connecting, .searching, .live, .lost, .live, .noReceiver])
    #expect(
      drive.fixes.map(\.horizontalAccuracy) == [19, 19, 19, 1899.81, 95, 95, 19])
    #expect(drive.verdicts.map(\.passed) == [true, true, true, false, true, true, true])
    #expect(drive.fixes.map(\.dimensions) == [3, 3, 3, 2, 2, 3, 3])
    #expect(drive.fixes[3].altitude == nil && drive.fixes[4].altitude == nil)
    #expect(drive.fixes[2].latitude == 46.0002)
  }

  @Test("Reports with only a mode are no fix and have no time")
  func modeOnlyIsNoFix() throws {
    let drive = try LocationCase.play("08-cold-start-tpv-has-only-mode")
    #expect(drive.states == [.connecting, .searching, .live, .noReceiver])
    let first = try #require(drive.fixes.first)
    #expect(first.latitude == 46 && first.longitude == -30)
    #expect(first.timestamp == 1_796_040_000_000_000)
    #expect(drive.fixes.map(\.horizontalAccuracy) == [1899.81, 19, 19])
  }

  @Test("Positions without time are each delivered, without a time")
  func noTimeIsDelivered() throws {
    let drive = try LocationCase.play("09-gga-only-mode3-without-time")
    let places = Set(drive.fixes.map(\.latitude))
    #expect(places == [46, 46.0001, 46.0002, 46.0003, 46.0004, 46.0005])
    #expect(
      drive.fixes.allSatisfy {
        $0.timestamp == nil && $0.speed == nil && $0.course == nil && !$0.timestampTrusted
          && $0.altitude == -2.9 && $0.ellipsoidalAltitude == 47.1
      })
  }

  @Test("Heights keep their sign and their reference")
  func heightsKeepTheirSign() throws {
    let lines = try LocationCase.lines("10-negative-altitude-and-geoid")
    let sessions = Dictionary(grouping: lines.filter { $0.contains("\"TPV\"") }) { line in
      line.firstRange(of: "\"lat\":").map { String(line[$0.upperBound...].prefix(4)) } ?? ""
    }
    var heights: [[Double?]] = []
    for place in sessions.keys.sorted() {
      let drive = LocationDrive()
      drive.report(.connected)
      drive.play(sessions[place] ?? [])
      heights += drive.fixes.map { [$0.altitude, $0.ellipsoidalAltitude] }
    }
    let expected = [
      [-130.4, -115.2], [-130.4, -115.2], [2.0, -97.6], [2.0, -97.6], [-0.4, -100.0],
      [-0.4, -100.0],
    ]
    #expect(Set(heights) == Set(expected))
    #expect(heights.count == 6)
  }

  @Test(
    "A distance filter counts from the fix delivered last, not along the way",
    arguments: [(5.0, 15), (10.0, 2), (25.0, 1)])
  func anchorRule(filter: Double, deliveries: Int) throws {
    let drive = try LocationCase.play("11-stationary-drift-300s")
    #expect(drive.fixes.count == 300)
    var plain = LocationFilter(distanceFilter: filter)
    var resting = plain
    var counts = (plain: 0, resting: 0)
    for (index, fix) in drive.fixes.enumerated() {
      let receipt = BootTime(nanoseconds: Int64(index) * Nanoseconds.second)
      for isResting in [false, true] {
        let passed =
          isResting
          ? resting.evaluate(fix, receipt: receipt, medianPeriod: nil, stationary: true).passed
          : plain.evaluate(fix, receipt: receipt, medianPeriod: nil, stationary: false).passed
        if passed { isResting ? (counts.resting += 1) : (counts.plain += 1) }
      }
    }
    #expect(counts.plain == deliveries)
    #expect(counts.resting == 1)
  }

  @Test("An antenna that stands still is at rest all the time, and wandering is no movement")
  func driftIsNoMovement() throws {
    let drive = try LocationCase.play(
      "11-stationary-drift-300s", filter: LocationFilter(distanceFilter: 5))
    #expect(drive.engine.isStationary)
    #expect(drive.verdicts.count { $0.passed } == 1)
    #expect(drive.verdicts.contains { $0.filter == .stationary })
  }

  @Test("Distances from a fence's centre are exact")
  func fenceDistances() throws {
    let drive = try LocationCase.play("12-fence-edge-jitter")
    #expect(drive.fixes.count == 120)
    let centre = Fix(sequence: 0, latitude: 46, longitude: -30)
    let distances = drive.fixes.map { centre.distance(to: $0) }
    let inside = distances.map { $0 <= 100 }
    #expect(zip(inside, inside.dropFirst()).count { $0 != $1 } == 46)
    for (index, right) in [(0, 105.18), (1, 99.518), (48, 109.217), (119, 284.259)] {
      #expect(abs(distances[index] - right) < tolerance)
    }
  }

  @Test("One fix 100 km away is never delivered")
  func teleportIsHeldBack() throws {
    let drive = try LocationCase.play("13-teleport-100km-tight-eph")
    #expect(drive.fixes.count == 9)
    #expect(drive.states == [.connecting, .searching, .live, .suspect, .live, .noReceiver])
    #expect(abs(drive.fixes.steps.reduce(0, +) - 100.04) < tolerance)
  }

  @Test("A time that steps back drops nothing")
  func timeStepsBack() throws {
    let drive = try LocationCase.play(
      "14-time-steps-back", filter: LocationFilter(minInterval: 1000))
    #expect(drive.fixes.count == 10)
    #expect(drive.verdicts.allSatisfy { $0.passed })
    #expect(drive.fixes.map(\.latitude) == (0..<10).map { 46 + Double($0) / 10_000 })
  }

  @Test(
    "A minimum interval thins a 10 Hz receiver to the multiple that reaches it",
    arguments: [(1000, 6, [0, 10, 20, 30, 40, 50]), (250, 20, [0, 3, 6, 9, 12, 15])])
  func tenHertz(interval: Int, count: Int, first: [Int]) throws {
    let drive = try LocationCase.play(
      "15-ten-hz-min-interval-1s", step: 100 * Nanoseconds.millisecond,
      filter: LocationFilter(minInterval: interval))
    #expect(drive.fixes.count == 60)
    let passed = drive.verdicts.indices.filter { drive.verdicts[$0].passed }
    #expect(passed.count == count)
    #expect(Array(passed.prefix(6)) == first)
  }

  @Test("A device at rest has no course, and moving due north is a course of 0")
  func courseAtRest() throws {
    let drive = try LocationCase.play("16-course-at-rest")
    #expect(drive.fixes.count == 13)
    #expect(drive.fixes.prefix(10).allSatisfy { $0.course == nil && $0.speed != nil })
    #expect(drive.fixes.suffix(3).map(\.course) == [0, 0, 0])
  }

  @Test("A jitter of a millisecond does not halve the rate")
  func jitterDoesNotHalve() throws {
    let drive = LocationDrive()
    drive.filter = LocationFilter(minInterval: 1000)
    drive.report(.connected)
    var index = 0
    for text in try LocationCase.lines("17-interval-jitter-999ms") {
      drive.line(text)
      guard text.contains("\"TPV\"") else { continue }
      drive.wait((index % 2 == 0 ? 999 : 1001) * Nanoseconds.millisecond)
      index += 1
    }
    #expect(drive.verdicts.count == 20)
    #expect(drive.verdicts.allSatisfy { $0.passed })
  }

  @Test(
    "Each gpsd's way to give heights is read as what it means",
    arguments: [
      (0, 120.0, nil), (1, 120.0, 181.73), (2, 120.0, 181.73), (3, nil, 181.73), (4, nil, nil),
    ] as [(Int, Double?, Double?)])
  func heightsByVersion(file: Int, msl: Double?, hae: Double?) throws {
    let drive = try LocationCase.play("18-alt-fields-\(file)")
    #expect(drive.fixes.count == 2)
    #expect(drive.fixes.allSatisfy { $0.altitude == msl && $0.ellipsoidalAltitude == hae })
  }

  @Test("What gpsd does not give is absent, and an unknown accuracy passes no filter")
  func sparseIsAbsent() throws {
    let drive = try LocationCase.play(
      "19-sparse-tpv-nan-out", filter: LocationFilter(maximumAccuracy: 50))
    #expect(drive.fixes.count == 3)
    #expect(drive.verdicts.map(\.passed) == [false, true, false])
    #expect(drive.fixes.map(\.altitude) == [nil, 5, nil])
    for fix in drive.fixes {
      var writer = JSONWriter()
      writer.value(fix)
      let text = String(decoding: writer.bytes, as: UTF8.self)
      #expect(!text.lowercased().contains("nan") && !text.lowercased().contains("inf"))
      let object = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any]
      #expect(object?["latitude"] as? Double == fix.latitude)
    }
  }

  @Test("A receiver that is unplugged is gone once, and the next one starts anew")
  func unplugged() throws {
    let drive = LocationDrive()
    let lines = try LocationCase.lines("21-receiver-unplugged")
    let pause = try #require(lines.firstIndex { $0.hasPrefix("#pause") })
    drive.report(.connected)
    drive.play(Array(lines[..<pause]))
    #expect(drive.engine.deadline == nil)
    drive.wait(seconds: 30)
    #expect(drive.engine.lastFix?.latitude == 46.0002)
    drive.play(Array(lines[pause...]))
    #expect(
      drive.states == [.connecting, .searching, .live, .noReceiver, .searching, .live])
    #expect(drive.fixes.map(\.latitude) == [46, 46.0001, 46.0002, 46.0035])
    #expect(drive.receivers == ["/dev/fake0", nil, "/dev/fake1"])
  }

  @Test("Numbers are read with a decimal point whatever the locale")
  func awkwardNumbers() throws {
    let drive = try LocationCase.play("22-decimal-comma-locale")
    // Each place of this case is a session of its own: the engine holds back the far ones.
    #expect(drive.fixes.map(\.latitude) == [46.123456789])
    let lines = try LocationCase.lines("22-decimal-comma-locale").filter { $0.contains("TPV") }
    let places = lines.flatMap { line in
      let session = LocationDrive()
      session.report(.connected)
      session.play([line])
      return session.fixes.map { [$0.latitude, $0.longitude, $0.altitude] }
    }
    #expect(
      places == [
        [46.123456789, -30.987654321, -0.5], [-0.00001234, 0.5, 1234.5],
        [0.0000001, -179.9999999, 0.04],
      ])
  }
}
