import BearingModel
import Testing

@testable import BearingCore

@Suite struct LocationStateTests {
  private func live() -> LocationDrive {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    for second in 0..<5 {
      drive.position(50 + Double(second) / 10_000, 8) {
        $0.time = Int64(second) * Nanoseconds.second
      }
      drive.wait(Nanoseconds.second)
    }
    return drive
  }

  @Test("Silence makes a live fix stale after three periods and lost after 30 s")
  func ages() {
    let drive = live()
    #expect(drive.engine.state == .live)
    #expect(drive.engine.medianPeriod == Nanoseconds.second)
    drive.wait(seconds: 1.99)  // 2.99 s after the fix
    #expect(drive.engine.state == .live)
    drive.wait(seconds: 0.02)
    #expect(drive.engine.state == .stale)
    drive.wait(seconds: 26.98)
    #expect(drive.engine.state == .stale)
    drive.wait(seconds: 0.02)
    #expect(drive.engine.state == .lost)
    #expect(drive.states == [.connecting, .searching, .live, .stale, .lost])
    #expect(drive.engine.deadline == nil)
    #expect(drive.engine.lastFix?.sequence == 5)
  }

  @Test("A slow receiver's fix is live for three of its periods, also beyond 30 s")
  func slowReceiver() {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    for _ in 0..<4 {
      drive.position(50, 8)
      drive.wait(seconds: 15)
    }
    #expect(drive.engine.state == .live)
    drive.wait(seconds: 29.9)
    #expect(drive.engine.state == .live)
    drive.wait(seconds: 0.2)
    #expect(drive.engine.state == .lost)
  }

  @Test("A fast receiver's fix is live for 2 s")
  func fastReceiver() {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    for _ in 0..<20 {
      drive.wait(seconds: 0.1)
      drive.position(50, 8)
    }
    drive.wait(seconds: 1.99)
    #expect(drive.engine.state == .live)
    drive.wait(seconds: 0.02)
    #expect(drive.engine.state == .stale)
  }

  @Test("The period is the median step of the last ten fixes")
  func period() {
    var rhythm = Rhythm(epochs: 10)
    var moment = BootTime(nanoseconds: 0)
    var medians: [Int64?] = []
    for step in [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 5, 5, 5, 1] as [Int64] {
      moment = moment + step * Nanoseconds.second
      rhythm.note(moment)
      medians.append(rhythm.median.map { $0 / Nanoseconds.second })
    }
    // Nine steps: at the fifth of the long ones they are the more.
    #expect(medians == [nil] + Array(repeating: 1, count: 15) + [5, 5])
  }

  @Test("A receiver that says it has no fix is lost at once, before the first it is searching")
  func lostByMode() {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    drive.position(0, 0, mode: 1)
    #expect(drive.engine.state == .searching)
    drive.position(50, 8)
    #expect(drive.engine.state == .live)
    drive.position(50, 8, mode: 1)
    #expect(drive.engine.state == .lost)
    drive.position(50, 8, mode: 2)
    #expect(drive.states == [.connecting, .searching, .live, .lost, .live])
  }

  @Test("A mode of 3 without position changes nothing")
  func modeWithoutPosition() {
    let drive = live()
    let before = drive.events
    drive.position(.nan, 8) { $0.latitude = nil }
    drive.position(91, 8)
    drive.position(50, 180.5)
    drive.position(.infinity, 8)
    #expect(drive.events == before)
  }

  @Test("A connection that ends is connecting, and the new one searches until its own fix")
  func reconnect() {
    let drive = live()
    drive.report(.connecting(detail: "gone"))
    #expect(drive.engine.state == .connecting)
    #expect(drive.engine.detail == "gone")
    drive.report(.connected)
    #expect(drive.engine.state == .connecting)
    drive.report(.receivers([]))
    drive.report(.receivers(["/dev/a"]))
    #expect(
      drive.states.suffix(4) == [.live, .connecting, .noReceiver, .searching])
    drive.position(50.0005, 8)
    #expect(drive.engine.state == .live)
    #expect(drive.fixes.map(\.sequence) == [1, 2, 3, 4, 5, 6])
  }

  @Test("A fix that waits for its epoch's end is delivered before the connection's end is told")
  func waitingFixIsDelivered() {
    let drive = LocationDrive()
    drive.connect(["/dev/a"])
    drive.position(50, 8) { $0.time = 1 }
    #expect(drive.fixes.isEmpty)
    drive.report(.connecting(detail: ""))
    #expect(drive.fixes.count == 1)
    #expect(drive.states == [.connecting, .searching, .live, .connecting])
  }

  @Test("Stopped, it is off and asks for no time")
  func stopped() {
    let drive = live()
    drive.stop()
    #expect(drive.engine.state == .off)
    #expect(drive.engine.deadline == nil)
    drive.position(50, 8)
    #expect(drive.fixes.count == 5)
  }

  @Test("A state comes before the fix that made it")
  func stateComesFirst() {
    let drive = live()
    let state = drive.events.firstIndex(of: .state(.live))
    let fix = drive.events.firstIndex { if case .fix = $0 { true } else { false } }
    #expect(state != nil && fix != nil)
    if let state, let fix { #expect(state + 1 == fix) }
  }
}
