import BearingModel
import Testing

@testable import BearingClient
@testable import gpsctl

/// What events and keys make of the monitor.
@Suite struct MonitorStateTests {
  private static let now = MonitorFixture.now

  private func line(_ row: Int, of state: MonitorState, after time: Duration = .zero) -> String {
    MonitorFixture.picture(of: state, 40, 12, after: time).split(
      separator: "\n", omittingEmptySubsequences: false)[row].trimmingPrefix(" ").description
  }

  private func look(
    row: Int, column: Int, of state: MonitorState, after time: Duration = .zero
  ) -> Look {
    Scene(state, now: Self.now + time, glyphs: .unicode)
      .picture(Size(columns: 40, rows: 12))[row, column].look
  }

  @Test(arguments: [
    (LocationState.live, "● live", Look.Colour.green), (.stale, "○ stale", .yellow),
    (.lost, "○ lost", .red), (.suspect, "○ suspect", .red), (.searching, "○ searching", .yellow),
    (.noReceiver, "○ no receiver", .red), (.connecting, "○ connecting", .yellow),
  ])
  func `a position shows its state, and only a live one stands out`(
    word: LocationState, text: String, colour: Look.Colour
  ) {
    var state = MonitorState()
    state.readings.take(MonitorFixture.location(word), at: Self.now)
    #expect(
      line(2, of: state) == text + String(repeating: " ", count: 29 - text.count) + "0.4 s old")
    #expect(look(row: 2, column: 1, of: state) == Look(colour, isBold: true))
    #expect(look(row: 1, column: 1, of: state) == (word == .live ? .bold : .dim))
  }

  @Test func `an age goes on without news, and silence is told`() {
    var state = MonitorState()
    state.readings.take(MonitorFixture.location(.live), at: Self.now)
    #expect(
      line(2, of: state, after: .milliseconds(4500)) == "● live                       4.9 s old")
    #expect(line(2, of: state, after: .seconds(6)) == "○ no news                    6.4 s old")
    #expect(line(0, of: state, after: .seconds(6)) == "gpsctl monitor     ○ no news for 6.0 s")
    #expect(look(row: 1, column: 1, of: state, after: .seconds(6)) == .dim)
    // A repetition tells that all is well, and how old the position is.
    state.readings.take(
      MonitorFixture.location(.live, age: .seconds(6)), at: Self.now + .seconds(6))
    #expect(line(2, of: state, after: .seconds(6)) == "● live                       6.0 s old")
  }

  @Test func `a position from another boot has no age`() {
    var state = MonitorState()
    state.readings.take(MonitorFixture.location(.searching, age: nil), at: Self.now)
    #expect(line(2, of: state) == "○ searching                age unknown")
  }

  @Test func `before anything came, nothing is claimed`() {
    let state = MonitorState()
    #expect(line(0, of: state) == "gpsctl monitor              connecting")
    #expect(line(1, of: state) == "no position yet")
    #expect(line(5, of: state) == "satellites none yet")
    #expect(line(6, of: state) == "connecting")
  }

  @Test func `space holds the picture, and its age goes on`() {
    var state = MonitorFixture.state
    #expect(state.take(" ", at: Self.now) == .goOn)
    var moved = MonitorFixture.fix
    moved.latitude = 10
    state.readings.take(
      MonitorFixture.location(.live, fix: moved), at: Self.now + .seconds(2))
    #expect(line(0, of: state, after: .seconds(3)) == "gpsctl monitor       PAUSED for 3.0 s")
    #expect(line(1, of: state, after: .seconds(3)) == "46.9482412, -7.4474621")
    #expect(line(2, of: state, after: .seconds(3)) == "○ paused                     3.4 s old")
    #expect(state.take(" ", at: Self.now + .seconds(3)) == .goOn)
    #expect(line(1, of: state, after: .seconds(3)) == "10.0000000, -7.4474621")
    #expect(line(2, of: state, after: .seconds(3)) == "● live                       1.4 s old")
  }

  @Test func `u and f turn through units and formats and come back`() {
    var state = MonitorFixture.state
    var speeds: [String] = []
    var places: [String] = []
    for _ in 0..<4 {
      speeds.append(String(line(4, of: state).prefix(16)).trimmingSuffix())
      places.append(line(1, of: state))
      _ = state.take("u", at: Self.now)
      _ = state.take("f", at: Self.now)
    }
    #expect(speeds == ["speed 32.4 km/h", "speed 20.1 mph", "speed 17.5 kn", "speed 32.4 km/h"])
    #expect(
      places == [
        "46.9482412, -7.4474621", "46°56′53.67″N 7°26′50.86″W", "29T 618145.56 5200582.19",
        "IN66gw67",
      ])
    #expect(line(1, of: state) == places[0])
  }

  @Test func `plus and minus change the graph's scale within its limits`() {
    var settings = MonitorSettings()
    #expect(settings.scale == 20)
    for _ in 0..<10 { settings.zoom(in: true) }
    #expect(settings.scale == 1)
    for _ in 0..<20 { settings.zoom(in: false) }
    #expect(settings.scale == 200)
  }

  @Test(arguments: ["q", "Q"] as [Unicode.Scalar]) func `q quits, also out of help`(
    key: Unicode.Scalar
  ) {
    var state = MonitorState()
    #expect(state.take("x", at: Self.now) == .goOn)
    #expect(state.take("?", at: Self.now) == .goOn)
    #expect(state.take(key, at: Self.now) == .quit)
  }

  // MARK: Acceleration

  @Test func `samples that do not follow each other are not joined`() {
    let samples = MonitorFixture.samples
    var readings = Readings()
    readings.take(MonitorFixture.acceleration(Array(samples[0..<3])), at: Self.now)
    readings.take(MonitorFixture.acceleration(Array(samples[5..<7]), dropped: 2), at: Self.now)
    #expect(readings.trace.samples.map { $0?.sequence } == [0, 1, 2, nil, 5, 6])
    #expect(readings.trace.step == 0.05)
    readings.take(
      MonitorFixture.acceleration(Array(samples[5..<7]), isRepeated: true), at: Self.now)
    #expect(readings.trace.samples.count == 6)
    readings.take(
      StreamEvent<AccelerationUpdate>.interrupted(.connectionLost(reason: "")), at: Self.now)
    #expect(readings.trace.newest == nil)
    readings.take(MonitorFixture.acceleration([], state: .stale), at: Self.now)
    #expect(readings.trace.samples.map { $0?.sequence } == [0, 1, 2, nil, 5, 6, nil])
  }

  @Test func `only as many samples are kept as the widest screen shows`() {
    var trace = Trace()
    for index in 0..<10_000 {
      trace.add(AccelerationSample(sequence: index, bootTimestamp: index, x: 0, y: 0, z: 0))
    }
    #expect((Trace.capacity...2 * Trace.capacity).contains(trace.samples.count))
    #expect(trace.newest?.sequence == 9999)
  }

  @Test(arguments: [
    (AccelerometerState.noSensor, "no sensor"), (.starting, "starting"), (.failed, "failed"),
    (.off, "off"),
  ])
  func `a sensor that gives nothing says why`(word: AccelerometerState, text: String) {
    var state = MonitorFixture.state
    state.readings.take(MonitorFixture.acceleration([], state: word), at: Self.now)
    state.readings.take(MonitorFixture.pose(.undefined, .undefined, state: word), at: Self.now)
    #expect(line(6, of: state) == text)
    #expect(line(7, of: state) == "orientation: \(text)")
  }
}

extension String {
  fileprivate func trimmingSuffix() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
