import BearingModel
import Testing

@testable import BearingCore

@Suite struct LocationReceiversTests {
  private func drive(_ order: [String] = []) -> LocationDrive {
    let drive = LocationDrive { $0.receivers = order }
    drive.connect(["/dev/a", "/dev/b"])
    return drive
  }

  /// Seconds in which each of `names` gives a fix.
  private func run(_ drive: LocationDrive, seconds: Int, _ names: String...) {
    for _ in 0..<seconds {
      for name in names { drive.position(50, name == "/dev/a" ? 8 : 8.0001, receiver: name) }
      drive.wait(Nanoseconds.second)
    }
  }

  @Test("The configured order says which receiver is used, else gpsd's")
  func order() {
    #expect(drive().engine.activeReceiver == "/dev/a")
    #expect(drive(["/dev/x", "/dev/b"]).engine.activeReceiver == "/dev/b")
  }

  @Test("Only the receiver in use gives fixes")
  func onlyOne() {
    let drive = drive()
    run(drive, seconds: 10, "/dev/a", "/dev/b")
    #expect(drive.fixes.count == 10)
    #expect(drive.fixes.allSatisfy { $0.receiver == "/dev/a" })
    #expect(drive.receivers == ["/dev/a"])
  }

  @Test("A receiver without a fix for 5 s is left, and taken again after 30 s of good ones")
  func switches() {
    let drive = drive()
    run(drive, seconds: 3, "/dev/a", "/dev/b")
    run(drive, seconds: 4, "/dev/b")
    #expect(drive.engine.activeReceiver == "/dev/a")
    run(drive, seconds: 1, "/dev/b")
    #expect(drive.engine.activeReceiver == "/dev/b")
    run(drive, seconds: 30, "/dev/a", "/dev/b")
    #expect(drive.engine.activeReceiver == "/dev/b")
    run(drive, seconds: 1, "/dev/a", "/dev/b")
    #expect(drive.engine.activeReceiver == "/dev/a")
    #expect(drive.receivers == ["/dev/a", "/dev/b", "/dev/a"])
    #expect(drive.fixes.last?.receiver == "/dev/a")
  }

  @Test("A gap of 5 s starts the preferred receiver's 30 s anew")
  func gapStartsAnew() {
    let drive = drive()
    run(drive, seconds: 6, "/dev/b")
    #expect(drive.engine.activeReceiver == "/dev/b")
    run(drive, seconds: 20, "/dev/a", "/dev/b")
    run(drive, seconds: 6, "/dev/b")
    run(drive, seconds: 30, "/dev/a", "/dev/b")
    #expect(drive.engine.activeReceiver == "/dev/b")
    run(drive, seconds: 2, "/dev/a", "/dev/b")
    #expect(drive.engine.activeReceiver == "/dev/a")
  }

  @Test("A receiver that is gone is left at once")
  func gone() {
    let drive = drive()
    run(drive, seconds: 3, "/dev/a", "/dev/b")
    drive.report(.receivers(["/dev/b"]))
    #expect(drive.engine.activeReceiver == "/dev/b")
    run(drive, seconds: 1, "/dev/b")
    #expect(drive.fixes.last?.receiver == "/dev/b")
    #expect(!drive.states.contains(.noReceiver))
  }

  @Test("Each receiver's errors are judged by its own sky")
  func ownSky() {
    let drive = drive()
    for _ in 0..<6 {
      for (name, hdop) in [("/dev/a", 1.0), ("/dev/b", 2.0)] {
        var sky = SkyReport(receipt: drive.now)
        sky.receiver = name
        sky.hdop = hdop
        drive.report(.sky(sky))
      }
      drive.position(50, 8, receiver: "/dev/a") { $0.eph = 38 }
      drive.wait(Nanoseconds.second)
    }
    #expect(drive.fixes.allSatisfy { $0.accuracyBasis == .receiver })
    #expect(drive.engine.sky?.horizontalDilution == 1)
  }
}
