import BearingModel
import Testing

@testable import BearingCore

@Suite struct LocationEpochTests {
  private func drive() -> LocationDrive {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    return drive
  }

  /// One TPV of the epoch at that second.
  private func report(
    _ drive: LocationDrive, second: Int, mode: Int = 3, altitude: Double? = nil,
    latitude: Double = 50
  ) {
    drive.position(latitude, 8, mode: mode) {
      $0.time = Int64(second) * Nanoseconds.second
      $0.altitudeMSL = altitude
    }
  }

  @Test("The first epoch is delivered 250 ms after its first report")
  func firstWaits() {
    let drive = drive()
    report(drive, second: 1, mode: 2)
    drive.wait(seconds: 0.1)
    report(drive, second: 1, altitude: 9)
    drive.wait(seconds: 0.149)
    #expect(drive.fixes.isEmpty)
    drive.wait(seconds: 0.002)
    #expect(drive.fixes.map(\.altitude) == [9])
  }

  @Test("The first epoch is delivered at the next one's first report when that is sooner")
  func nextEndsIt() {
    let drive = drive()
    report(drive, second: 1, mode: 2)
    report(drive, second: 1)
    drive.wait(seconds: 0.05)
    #expect(drive.fixes.isEmpty)
    report(drive, second: 2)
    #expect(drive.fixes.map(\.dimensions) == [3])
  }

  @Test("Once an epoch's number of reports is known, the last of them delivers it")
  func knownCount() {
    let drive = drive()
    for second in 1...3 {
      for mode in [2, 3] {
        report(drive, second: second, mode: mode, altitude: mode == 3 ? 7 : nil)
        drive.wait(Nanoseconds.millisecond)
      }
      #expect(drive.fixes.count == (second == 1 ? 0 : second))
      drive.wait(seconds: 0.9)
    }
    #expect(drive.fixes.allSatisfy { $0.altitude == 7 && $0.refined == nil })
  }

  @Test("A better report of an epoch that was delivered is sent as refined, a worse one is not")
  func refined() {
    let drive = drive()
    report(drive, second: 1, mode: 2)
    drive.wait(Nanoseconds.second)
    report(drive, second: 2, mode: 2)
    #expect(drive.fixes.map(\.sequence) == [1, 2])
    report(drive, second: 2, mode: 3)
    report(drive, second: 2, mode: 2)
    report(drive, second: 2, mode: 3, altitude: 4)
    report(drive, second: 2, mode: 3, altitude: 5)
    #expect(drive.fixes.map(\.sequence) == [1, 2, 2, 2])
    #expect(drive.fixes.map(\.refined) == [nil, nil, true, true])
    #expect(drive.fixes.map(\.altitude) == [nil, nil, nil, 4])
    #expect(drive.engine.lastFix == drive.fixes.last)
  }

  @Test("A repeated time at another place is a new epoch, as in a leap second")
  func leapSecond() {
    let drive = drive()
    report(drive, second: 1)
    drive.wait(Nanoseconds.second)
    report(drive, second: 2, latitude: 50.0001)
    drive.wait(Nanoseconds.second)
    report(drive, second: 2, latitude: 50.0002)
    #expect(drive.fixes.map(\.sequence) == [1, 2, 3])
    report(drive, second: 2, latitude: 50.000_200_1)  // 11 mm: the same epoch, no better
    #expect(drive.fixes.count == 3)
  }

  @Test("The last of the highest mode that has a position wins")
  func bestWins() {
    let drive = drive()
    report(drive, second: 1, latitude: 50.0001)
    report(drive, second: 1, latitude: 50.0002)
    report(drive, second: 1, mode: 2, latitude: 50.0003)
    report(drive, second: 1, mode: 3, latitude: .nan)
    drive.wait(Nanoseconds.second)
    #expect(drive.fixes.map(\.latitude) == [50.0002])
  }

  @Test("An epoch whose first report has no fix and whose second has is delivered")
  func lateFix() {
    let drive = drive()
    for second in 1...2 {
      report(drive, second: second)
      drive.wait(Nanoseconds.second)
    }
    report(drive, second: 3, mode: 1)
    #expect(drive.engine.state == .lost)
    report(drive, second: 3)
    #expect(drive.engine.state == .live)
    #expect(drive.fixes.map(\.sequence) == [1, 2, 3])
    #expect(drive.fixes.last?.refined == nil)
  }

  @Test("Reports that came late to the loop are told by their own times")
  func lateLoop() {
    let drive = drive()
    var events: [LocationEvent] = []
    var engine = drive.engine
    let start = drive.now
    for index in 0..<4 {
      var position = PositionReport(
        receipt: start + Int64(index / 2) * Nanoseconds.second, mode: 2 + index % 2)
      position.latitude = 50
      position.longitude = 8
      position.time = Int64(index / 2) * Nanoseconds.second
      engine.handle(.position(position), at: start + 5 * Nanoseconds.second, into: &events)
    }
    let fixes = events.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
    #expect(fixes.map(\.dimensions) == [3, 3])
    #expect(fixes.allSatisfy { $0.refined == nil })
  }
}
