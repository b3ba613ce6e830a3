internal import BearingModel

/// One stream of motion. Flat.
struct MotionSubscription: Subscription {
  let stream: StreamID
  var heartbeat: Heartbeat
  var lastSent: BootTime
}

/// What one sensor's samples say of the device's motion, and who wants to know.
struct MotionFeed {
  /// Hertz that motion asks the sensor for: a tap is shorter than any slower rate shows.
  static let rate = 100.0

  var hub = Hub<MotionSubscription>()
  private var detector = MotionDetector()
  /// What was told last.
  private(set) var current = Motion.unknown
  /// When that was sampled; nil before the first.
  private(set) var since: BootTime?

  /// Takes in a sample of a sensor that gives `rate` hertz; gives what is new.
  mutating func add(_ sample: AccelerationSample, rate: Double) -> [Motion] {
    let time = BootTime(nanoseconds: Int64(sample.bootTimestamp) * Nanoseconds.microsecond)
    let told = detector.add(x: sample.x, y: sample.y, z: sample.z, at: time, rate: rate)
    if let last = told.last {
      current = last
      since = time
    }
    return told
  }

  /// The sensor stops: what comes later is not compared with what was.
  mutating func reset() {
    detector = MotionDetector()
    current = .unknown
    since = nil
  }

  /// The machine was suspended: what comes later is not compared with what was, and until it says
  /// something, what was told stands.
  mutating func resume() { detector = MotionDetector() }

  /// Whether the device is still; nil until that is known.
  var isStill: Bool? {
    switch detector.base {
    case .still: true
    case .moving: false
    default: nil
    }
  }

  /// Standard deviation of the acceleration over 2 s, in m/s², all axes together; nil until known.
  var deviation: Double? { detector.variance?.squareRoot() }
}
