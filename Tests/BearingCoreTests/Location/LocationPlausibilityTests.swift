import BearingModel
import Testing

@testable import BearingCore

@Suite struct LocationPlausibilityTests {
  private func drive() -> LocationDrive {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    drive.position(50, 8)
    return drive
  }

  @Test(
    "A fix is within reach up to 200 m and 500 m/s",
    arguments: [(699.0, true), (701.0, false)])
  func reach(metres: Double, isAccepted: Bool) {
    let drive = drive()
    drive.wait(Nanoseconds.second)
    // A degree of latitude at 50° is 111 229 m on WGS84.
    drive.position(50 + metres / 111_229, 8)
    #expect(drive.fixes.count == (isAccepted ? 2 : 1))
    #expect(drive.engine.state == (isAccepted ? .live : .suspect))
  }

  @Test("A far place is accepted at its third fix in a row, the two before never")
  func confirmed() {
    let drive = drive()
    for index in 0..<3 {
      drive.wait(Nanoseconds.second)
      drive.position(51 + Double(index) / 10_000, 8)
    }
    #expect(drive.fixes.map(\.latitude) == [50, 51.0002])
    #expect(drive.states == [.connecting, .searching, .live, .suspect, .live])
  }

  @Test("Three fixes of a fast receiver do not confirm a far place before 2 s")
  func confirmedByTime() {
    let drive = drive()
    for _ in 0..<20 {
      drive.wait(seconds: 0.1)
      drive.position(51, 8)
    }
    #expect(drive.fixes.count == 1)
    drive.wait(seconds: 0.1)
    drive.position(51, 8)
    #expect(drive.fixes.map(\.latitude) == [50, 51])
  }

  @Test("A fix near the accepted one ends the count of far ones")
  func countEnds() {
    let drive = drive()
    for latitude in [51, 51, 50.0001, 51, 51] {
      drive.wait(Nanoseconds.second)
      drive.position(latitude, 8)
    }
    #expect(drive.fixes.map(\.latitude) == [50, 50.0001])
    drive.wait(Nanoseconds.second)
    drive.position(51, 8)
    #expect(drive.fixes.count == 3)
  }

  @Test("Far fixes that are far from each other confirm nothing")
  func scattered() {
    let drive = drive()
    for latitude in [51.0, 52, 53, 54, 55] {
      drive.wait(Nanoseconds.second)
      drive.position(latitude, 8)
    }
    #expect(drive.fixes.count == 1)
    #expect(drive.engine.state == .suspect)
  }

  @Test("After 10 minutes any place is accepted", arguments: [599.0, 601.0])
  func afterTenMinutes(seconds: Double) {
    let drive = drive()
    drive.wait(seconds: seconds)
    drive.position(-33, 151)
    #expect(drive.fixes.count == (seconds > 600 ? 2 : 1))
  }

  @Test("A UTC that rose lengthens the time, one that fell or leapt more than a day does not")
  func utcLengthens() {
    for (step, isAccepted) in [(3600, true), (-3600, false), (100_000, false)] {
      let drive = LocationDrive()
      drive.connect(["/dev/a"])
      let time = LocationDrive.buildDate
      drive.position(50, 8) { $0.time = time }
      drive.wait(Nanoseconds.second)
      drive.position(60, 8) { $0.time = time + Int64(step) * Nanoseconds.second }
      drive.wait(Nanoseconds.second)
      #expect(drive.fixes.count == (isAccepted ? 2 : 1))
    }
  }

  @Test("0, 0 is kept within reach of the last fix, and confirms nothing")
  func zero() {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    drive.position(0.001, 0)
    drive.wait(Nanoseconds.second)
    drive.position(0, 0)
    #expect(drive.fixes.map(\.latitude) == [0.001, 0])

    let far = self.drive()
    for _ in 0..<700 {
      far.wait(Nanoseconds.second)
      far.position(0, 0)
    }
    #expect(far.fixes.count == 1)
    #expect(far.engine.state == .suspect)
  }

  @Test("Suspicion ends with silence: what is not claimed any more is only old")
  func suspicionEnds() {
    let drive = drive()
    drive.position(51, 8)
    #expect(drive.engine.state == .suspect)
    drive.wait(seconds: 31)
    #expect(drive.engine.state == .lost)
    #expect(drive.engine.deadline == nil)
  }

  @Test("A receiver that repeats itself while it is shaken is suspect")
  func frozen() {
    let drive = drive()
    drive.motion(isStill: false, deviation: 1.5)
    for _ in 0..<31 {
      drive.wait(Nanoseconds.second)
      drive.position(50, 8)
    }
    #expect(drive.engine.state == .suspect)
    drive.wait(Nanoseconds.second)
    drive.position(50.00001, 8)
    #expect(drive.engine.state == .live)
  }

  @Test(
    "It takes 30 identical fixes and 30 s of them",
    arguments: [(30, 1.0, false), (31, 1.0, true), (29, 2.0, false), (30, 2.0, true)])
  func frozenBounds(count: Int, step: Double, isSuspect: Bool) {
    let drive = drive()
    drive.motion(isStill: false, deviation: 1.5)
    for number in 1...count {
      drive.wait(seconds: step)
      drive.position(50, 8)
      if number < count { #expect(drive.engine.state == .live) }
    }
    #expect(drive.engine.state == (isSuspect ? .suspect : .live))
  }

  @Test(
    "Identical fixes at rest, or while it is not known to move, are legal",
    arguments: [0.1, nil])
  func identicalIsLegal(deviation: Double?) {
    let drive = drive()
    for _ in 0..<60 {
      drive.motion(isStill: nil, deviation: deviation)
      drive.wait(Nanoseconds.second)
      drive.position(50, 8)
    }
    #expect(drive.states == [.connecting, .searching, .live])
  }

  @Test("A short rest starts the count of identical fixes anew")
  func restStartsAnew() {
    let drive = drive()
    for second in 0..<50 {
      drive.motion(isStill: false, deviation: second == 25 ? 0.5 : 1.5)
      drive.wait(Nanoseconds.second)
      drive.position(50, 8)
    }
    #expect(drive.states == [.connecting, .searching, .live])
  }
}
