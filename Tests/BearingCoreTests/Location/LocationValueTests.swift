import BearingModel
import Testing

@testable import BearingCore

@Suite struct LocationValueTests {
  private func drive(
    _ change: (inout LocationEngine.Configuration) -> Void = { _ in }
  ) -> LocationDrive {
    let drive = LocationDrive(change)
    drive.connect(["/dev/a"])
    return drive
  }

  private func sky(_ drive: LocationDrive, hdop: Double) {
    var sky = SkyReport(receipt: drive.now)
    sky.hdop = hdop
    drive.report(.sky(sky))
  }

  private func fix(_ drive: LocationDrive, eph: Double? = nil) {
    drive.position(50, 8) {
      $0.eph = eph
      $0.epv = 10
      $0.eps = 20
      $0.epd = 40
    }
    drive.wait(Nanoseconds.second)
  }

  @Test("Errors that gpsd made of hdop become 68 % after five in a row", arguments: [19.0, 4.75])
  func dopBasis(rangeError: Double) throws {
    let drive = drive()
    sky(drive, hdop: 1.2)
    for _ in 0..<6 { fix(drive, eph: rangeError * 1.2 * 1.009) }
    #expect(
      drive.fixes.map(\.accuracyBasis) == [.receiver, .receiver, .receiver, .receiver, .dop, .dop])
    #expect(drive.fixes[3].horizontalAccuracy == rangeError * 1.2 * 1.009)
    let last = try #require(drive.fixes.last)
    let horizontal = try #require(last.horizontalAccuracy)
    #expect(abs(horizontal - 0.617 * rangeError * 1.2 * 1.009) < 1e-9)
    #expect(last.verticalAccuracy == 6.17)
    #expect(last.speedAccuracy == 12.34)
    #expect(last.courseAccuracy == 24.68)
  }

  @Test("Four of gpsd's errors and one of the receiver's change no basis")
  func basisNeedsFiveInARow() {
    let drive = drive()
    sky(drive, hdop: 1)
    for index in 0..<25 { fix(drive, eph: index % 5 == 4 ? 3 : 19) }
    #expect(drive.fixes.allSatisfy { $0.accuracyBasis == .receiver })
  }

  @Test("Beyond 1 % of a product, and without a sky, an error is the receiver's own")
  func receiverBasis() {
    let drive = drive { $0.receiverFactors = ["/dev/a": 1.5] }
    for _ in 0..<6 { fix(drive, eph: 19) }
    sky(drive, hdop: 1)
    for _ in 0..<6 { fix(drive, eph: 19.2) }
    #expect(drive.fixes.allSatisfy { $0.accuracyBasis == .receiver })
    #expect(drive.fixes[0].horizontalAccuracy == 28.5)
    #expect(drive.fixes[0].verticalAccuracy == 15)
  }

  @Test("An error of 0 or none is unknown; epx and epy stand in for eph")
  func horizontalErrors() {
    let drive = drive()
    fix(drive)
    fix(drive, eph: 0)
    drive.position(50, 8) { $0.epx = 3 }
    drive.position(50, 8) {
      $0.epx = 3
      $0.epy = 4
    }
    #expect(drive.fixes.map(\.horizontalAccuracy) == [nil, nil, nil, 5])
    #expect(
      drive.fixes.map(\.accuracyBasis) == [.unknown, .unknown, .unknown, .receiver])
    #expect(drive.fixes.last?.verticalAccuracy == nil)
  }

  @Test("The course opens at 1 m/s and closes below half of it")
  func courseGate() {
    let drive = drive()
    for speed in [0.9, 1.0, 0.6, 0.5, 0.49, 0.9, 2] {
      drive.position(50, 8) {
        $0.speed = speed
        $0.track = 90
      }
    }
    #expect(drive.fixes.map(\.course) == [nil, 90, 90, 90, nil, nil, 90])
  }

  @Test("A course needs a speed and a track, and 360 is 0")
  func courseParts() {
    let drive = drive()
    drive.position(50, 8) { $0.track = 90 }
    drive.position(50, 8) { $0.speed = 5 }
    drive.position(50, 8) {
      $0.speed = 5
      $0.track = 360
    }
    #expect(drive.fixes.map(\.course) == [nil, nil, 0])
  }

  @Test("Quality, heights, climb, variation and the receiver's name reach the fix")
  func values() throws {
    let drive = drive { $0.simulated = true }
    drive.position(50, 8, receiver: "/dev/a") {
      $0.status = 4
      $0.altitudeMSL = -3
      $0.altitudeHAE = 44
      $0.climb = -0.5
      $0.magneticVariation = -15.8
    }
    let fix = try #require(drive.fixes.first)
    #expect(fix.quality == .rtkFloat)
    #expect(fix.altitude == -3)
    #expect(fix.ellipsoidalAltitude == 44)
    #expect(fix.climb == -0.5)
    #expect(fix.magneticVariation == -15.8)
    #expect(fix.receiver == "/dev/a")
    #expect(fix.simulated)
    #expect(fix.bootTimestamp == 5_000_000_000)
  }

  @Test("UTC is trusted from the third 3D fix whose steps match those of receipt")
  func trust() {
    let drive = drive()
    let start = LocationDrive.buildDate + 86_400 * Nanoseconds.second
    var time = start
    for (step, mode) in [(0, 3), (1, 3), (1, 3), (1, 2), (1, 3), (3, 3), (1, 3), (1, 3)] {
      time += Int64(step) * Nanoseconds.second
      drive.position(50, 8, mode: mode) { $0.time = time }
      drive.wait(Nanoseconds.second)
    }
    #expect(
      drive.fixes.map(\.timestampTrusted) == [
        false, false, true, true, true, false, false, true,
      ])
  }

  @Test(
    "A step of UTC may be half a second off that of receipt",
    arguments: [(1500, true), (500, true), (1501, false), (499, false)] as [(Int64, Bool)])
  func trustStep(milliseconds: Int64, isTrusted: Bool) {
    let drive = drive()
    let start = LocationDrive.buildDate + 86_400 * Nanoseconds.second
    for index in 0..<3 {
      drive.position(50, 8) {
        $0.time = start + Int64(index) * milliseconds * Nanoseconds.millisecond
      }
      drive.wait(Nanoseconds.second)
    }
    #expect(drive.fixes.map(\.timestampTrusted) == [false, false, isTrusted])
  }

  @Test(
    "UTC before the build, 15 years after it, or a day off a set clock is not trusted",
    arguments: [
      (-10, nil, false), (86_400, nil, true), (15 * 31_557_600 + 10, nil, false),
      (86_400, 0, true), (86_400, 86_500, false), (86_400, -86_300, true),
    ] as [(Int, Int?, Bool)])
  func trustRange(seconds: Int, clockAhead: Int?, isTrusted: Bool) {
    let drive = drive()
    let start = LocationDrive.buildDate + Int64(seconds) * Nanoseconds.second
    if let clockAhead {
      let utc = start + Int64(clockAhead) * Nanoseconds.second
      drive.setClock(offset: utc - drive.now.nanoseconds)
    }
    for index in 0..<4 {
      drive.position(50, 8) { $0.time = start + Int64(index) * Nanoseconds.second }
      drive.wait(Nanoseconds.second)
    }
    #expect(drive.fixes.count == 4)
    #expect(drive.fixes.last?.timestampTrusted == isTrusted)
  }

  @Test("The sky keeps its satellites through a SKY with dilutions alone")
  func skyStaysFull() throws {
    let drive = drive()
    var full = SkyReport(receipt: drive.now)
    full.hdop = 1
    full.pdop = 2
    var satellite = SatelliteReport(prn: 65, used: true)
    satellite.gnss = 6
    satellite.svid = 1
    satellite.signal = 40
    full.satellites = [satellite, SatelliteReport(prn: 12, used: false)]
    drive.report(.sky(full))
    drive.wait(Nanoseconds.second)
    sky(drive, hdop: 1.5)
    let kept = try #require(drive.engine.sky)
    #expect(kept.horizontalDilution == 1.5)
    #expect(kept.positionDilution == 2)
    #expect(kept.visible == 2 && kept.used == 1)
    #expect(kept.satellites.map(\.constellation) == ["GLONASS", "unknown"])
    #expect(kept.satellites.map(\.identifier) == [1, 12])
    #expect(kept.bootTimestamp == 5_000_000_000)
    #expect(drive.events.count { if case .sky = $0 { true } else { false } } == 2)
  }

  /// gpsd's STATUS_ numbers, as its gps.h has them.
  @Test(
    "Each of gpsd's words for how a fix was made is told, and others are not",
    arguments: [
      (0, .unknown), (1, .normal), (2, .dgps), (3, .rtkFixed), (4, .rtkFloat), (5, .deadReckoning),
      (6, .gnssDeadReckoning), (7, .timeOnly), (8, .simulated), (9, .ppsFix), (10, nil), (-1, nil),
      (nil, nil),
    ] as [(Int?, FixQuality?)])
  func qualities(status: Int?, quality: FixQuality?) {
    let drive = drive()
    drive.position(50, 8) { $0.status = status }
    #expect(drive.fixes.map(\.quality) == [quality])
  }

  /// u-blox' gnssId numbers, which gpsd passes on.
  @Test(
    "Each constellation has its name, and what is none is unknown",
    arguments: [
      (0, "GPS"), (1, "SBAS"), (2, "Galileo"), (3, "BeiDou"), (4, "IMES"), (5, "QZSS"),
      (6, "GLONASS"), (7, "NavIC"), (8, "unknown"), (-1, "unknown"), (nil, "unknown"),
    ] as [(Int?, String)])
  func constellations(number: Int?, name: String) {
    let drive = drive()
    var satellite = SatelliteReport(prn: 1, used: true)
    satellite.gnss = number
    var sky = SkyReport(receipt: drive.now)
    sky.satellites = [satellite]
    drive.report(.sky(sky))
    #expect(drive.engine.sky?.satellites.map(\.constellation) == [name])
  }
}
