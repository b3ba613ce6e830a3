import BearingModel

@testable import BearingClient
@testable import gpsctl

/// A monitor after events that are the same each time.
enum MonitorFixture {
  /// When a picture is looked at, on the monitor's clock.
  static let now: Duration = .seconds(100)

  static var fix: Fix {
    var fix = Fix(sequence: 7, latitude: 46.9482412, longitude: -7.4474621)
    fix.timestamp = 1_777_777_777_700_000  // 2026-05-03 03:09:37.7 UTC
    fix.timestampTrusted = true
    fix.dimensions = 3
    fix.quality = .dgps
    fix.horizontalAccuracy = 2.5
    fix.accuracyBasis = .dop
    fix.altitude = 540.84
    fix.verticalAccuracy = 4
    fix.speed = 9
    fix.course = 100
    fix.climb = -0.27
    fix.receiver = "/dev/ttyACM0"
    return fix
  }

  static var sky: Sky {
    func satellite(
      _ constellation: String, _ identifier: Int, elevation: Double?, azimuth: Double?,
      signal: Double?, used: Bool = true
    ) -> Satellite {
      var satellite = Satellite(
        constellation: constellation, identifier: identifier, used: used)
      satellite.elevation = elevation
      satellite.azimuth = azimuth
      satellite.signal = signal
      return satellite
    }
    var sky = Sky(
      bootTimestamp: 0,
      satellites: [
        satellite("GPS", 12, elevation: 45, azimuth: 0, signal: 50),
        satellite("GLONASS", 3, elevation: 45, azimuth: 270, signal: 25),
        satellite("Galileo", 30, elevation: 0, azimuth: 120, signal: 12.5, used: false),
        satellite("BeiDou", 5, elevation: 45, azimuth: 180, signal: nil),
        satellite("GPS", 2, elevation: nil, azimuth: nil, signal: 37.5),
      ])
    sky.horizontalDilution = 0.84
    return sky
  }

  /// x rises from 0 to 9.75 in steps of 0.25, y is gravity's, z falls to −5.
  static var samples: [AccelerationSample] {
    (0..<40).map { index in
      AccelerationSample(
        sequence: index, bootTimestamp: 50_000 * index, x: 0.25 * Double(index), y: 9.81,
        z: -5 * Double(index) / 39)
    }
  }

  /// A state in which all is well.
  static var state: MonitorState {
    var state = MonitorState()
    state.readings.take(location(.live), at: now)
    state.readings.take(satellites(sky), at: now)
    state.readings.take(acceleration(samples), at: now)
    state.readings.take(pose(.normal, .tiltedUp), at: now)
    return state
  }

  static func location(
    _ state: LocationState, fix: Fix? = fix, age: Duration? = .milliseconds(400)
  ) -> StreamEvent<LocationUpdate> {
    .update(LocationUpdate(state: state, fix: fix, age: age, isRepeated: false, dropped: 0))
  }

  static func satellites(
    _ sky: Sky, age: Duration = .milliseconds(900)
  ) -> StreamEvent<SkyUpdate> {
    .update(SkyUpdate(state: .live, sky: sky, age: age, isRepeated: false, dropped: 0))
  }

  static func acceleration(
    _ samples: [AccelerationSample], state: AccelerometerState = .live, dropped: Int = 0,
    isRepeated: Bool = false
  ) -> StreamEvent<AccelerationUpdate> {
    .update(
      AccelerationUpdate(
        state: state, sensor: "iio:device0", actualRate: 20, samples: samples,
        isRepeated: isRepeated, dropped: dropped))
  }

  static func pose(
    _ orientation: Orientation, _ tilt: Tilt, state: AccelerometerState = .live
  ) -> StreamEvent<OrientationUpdate> {
    .update(
      OrientationUpdate(
        state: state, sensor: "iio:device0", orientation: orientation, tilt: tilt,
        isRepeated: false))
  }

  /// The picture of a state as text.
  static func picture(
    of state: MonitorState = state, _ columns: Int, _ rows: Int, glyphs: Glyphs = .unicode,
    after time: Duration = .zero
  ) -> String {
    Scene(state, now: now + time, glyphs: glyphs)
      .picture(Size(columns: columns, rows: rows)).text
  }
}
