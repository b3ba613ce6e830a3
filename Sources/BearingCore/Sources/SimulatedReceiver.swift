/// A GNSS receiver that is not there: a vehicle on a hilly round with turns and stops.
public struct SimulatedReceiver: Source {
  /// Its name where gpsd would name a device.
  static var receiverName: String { "simulated" }
  /// Seconds until the first fix, as a receiver that was off a short while takes.
  private static var searchTime: Int64 { 2 * Nanoseconds.second }

  private let period: Int64

  /// A receiver that gives `rate` fixes a second.
  public init(rate: Double = 1) {
    period = Int64(Double(Nanoseconds.second) / rate)
  }

  /// For people.
  public var summary: String { "simulated receiver" }
  /// It is.
  public var isSimulated: Bool { true }

  /// Gives a fix and a sky each period until it is stopped.
  public func run(_ port: SourcePort<GnssReport, GnssDemand>) {
    port.post(state: .connected)
    port.post(state: .receivers([Self.receiverName]))
    let start = BootTime.now()
    var vehicle = SimulatedVehicle()
    var next = start
    while !port.isStopping {
      guard port.wait(until: next) == .deadline else { continue }
      let elapsed = next - start
      port.post(sample: .sky(Self.sky(after: elapsed)))
      var report = PositionReport(receipt: .now(), mode: 1)
      report.receiver = Self.receiverName
      if elapsed >= Self.searchTime { vehicle.describe(in: &report) }
      port.post(sample: .position(report))
      vehicle.move(seconds: Double(period) / Double(Nanoseconds.second))
      next = next + period
    }
  }

  /// Twelve satellites of three constellations that wander over the sky.
  private static func sky(after elapsed: Int64) -> SkyReport {
    var report = SkyReport(receipt: .now())
    report.receiver = receiverName
    report.hdop = 0.8
    report.vdop = 1.1
    report.pdop = 1.4
    report.tdop = 0.9
    let minutes = Double(elapsed) / Double(60 * Nanoseconds.second)
    report.satellites = (0..<12).map { index in
      let constellation = [0, 2, 6][index % 3]
      var satellite = SatelliteReport(prn: 1 + index * 7 % 31, used: index != 11)
      satellite.gnss = constellation
      satellite.svid = satellite.prn
      satellite.azimuth = (Double(index * 137) + minutes * 0.5)
        .truncatingRemainder(dividingBy: 360)
      satellite.elevation = 10 + Double(index * 23 % 75)
      satellite.signal = 28 + (satellite.elevation ?? 0) / 4 + Double(index % 4)
      satellite.health = 1
      return satellite
    }
    return report
  }
}

/// Where the simulated vehicle is: it follows legs of a round, slows for turns, and stops at lights.
struct SimulatedVehicle {
  /// One leg: its direction in degrees from north, length in metres, speed in m/s, slope, and the
  /// seconds for which the vehicle stands at its end.
  private typealias Leg = (
    course: Double, length: Double, speed: Double, slope: Double, stop: Double
  )

  private static let legs: [Leg] = [
    (10, 400, 14, 0.03, 0), (55, 150, 9, 0.01, 8), (100, 500, 20, -0.02, 0),
    (145, 120, 8, 0, 0), (190, 400, 14, -0.03, 12), (235, 150, 9, -0.01, 0),
    (280, 500, 20, 0.02, 0), (325, 120, 8, 0, 5),
  ]
  private static let start = (latitude: 46.948, longitude: 7.4474, altitude: 540.0)
  private static let geoidHeight = 47.6
  private static let comfort = 1.5  // m/s², to gain and lose speed
  private static let turnRate = 30.0  // degrees a second

  private(set) var latitude = start.latitude
  private(set) var longitude = start.longitude
  private(set) var altitude = start.altitude
  private(set) var speed = 0.0
  private(set) var course = legs[0].course
  private var leg = 0
  private var travelled = 0.0
  private var standing = 0.0
  private var slope = 0.0

  /// Goes on for that long, in small steps.
  mutating func move(seconds: Double) {
    var left = seconds
    while left > 0 {
      let step = min(left, 0.05)
      advance(step)
      left -= step
    }
  }

  private mutating func advance(_ seconds: Double) {
    if standing > 0 {
      standing -= seconds
      speed = 0
      return
    }
    let now = Self.legs[leg]
    let remaining = now.length - travelled
    let next = Self.legs[(leg + 1) % Self.legs.count]
    let exit = now.stop > 0 ? 0 : min(now.speed, next.speed)
    let allowed = (exit * exit + 2 * Self.comfort * max(0, remaining)).squareRoot()
    let wanted = max(min(now.speed, allowed), 0.5)
    let change = Self.comfort * seconds
    speed += max(-2 * change, min(change, wanted - speed))
    let turn = (now.course - course + 540).truncatingRemainder(dividingBy: 360) - 180
    course += max(-Self.turnRate * seconds, min(Self.turnRate * seconds, turn))
    course = (course + 360).truncatingRemainder(dividingBy: 360)
    slope = now.slope
    let distance = speed * seconds
    travelled += distance
    altitude += distance * now.slope
    (latitude, longitude) = Geodesic.destination(
      fromLatitude: latitude, longitude: longitude, course: course, distance: distance)
    if travelled >= now.length {
      leg = (leg + 1) % Self.legs.count
      travelled = 0
      standing = now.stop
      if leg == 0 { closeRound() }
    }
  }

  /// Rounding makes the round miss its start by a little: it is taken up again there.
  private mutating func closeRound() {
    latitude = Self.start.latitude
    longitude = Self.start.longitude
    altitude = Self.start.altitude
  }

  /// Fills in a report as a good receiver would.
  func describe(in report: inout PositionReport) {
    report.mode = 3
    report.status = 8
    report.time = Int64(SystemTime.nowMicroseconds()) * Nanoseconds.microsecond
    report.latitude = latitude
    report.longitude = longitude
    report.altitudeMSL = altitude
    report.altitudeHAE = altitude + Self.geoidHeight
    report.speed = speed
    report.track = course
    report.climb = speed * slope
    report.eph = 2.5
    report.epv = 4
    report.eps = 0.3
    report.epd = 2
  }
}
