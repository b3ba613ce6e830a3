/// Tells a device at rest from one that moves, so that a place that wanders is no movement.
struct StationaryDetector: Sendable {
  /// More than any receiver gives in the long window.
  private static let capacity = 256

  private let configuration: LocationEngine.Configuration
  private var samples: [(receipt: BootTime, speed: Double)] = []
  private var newestSpeed: Double?

  /// Whether the accelerometer says that the device is still; nil when it does not run.
  var accelerometerIsStill: Bool?

  /// Whether the device is at rest, as of the newest fix.
  private(set) var isStationary = false

  init(_ configuration: LocationEngine.Configuration) {
    self.configuration = configuration
  }

  /// Takes a fix's speed in m/s; nil when it has none.
  mutating func note(speed: Double?, at receipt: BootTime) {
    newestSpeed = speed
    samples.removeAll { receipt - $0.receipt > configuration.restWindow }
    if let speed {
      if samples.count == Self.capacity { samples.removeFirst() }
      samples.append((receipt, speed))
    }
    isStationary = bySpeed(at: receipt) || byAccelerometer
  }

  private func bySpeed(at now: BootTime) -> Bool {
    guard let newestSpeed, newestSpeed < configuration.restSpeed else { return false }
    return medianSpeed(over: configuration.restWindow, at: now) < configuration.restMedianSpeed
      && medianSpeed(over: configuration.restShortWindow, at: now)
        < configuration.restShortMedianSpeed
  }

  private var byAccelerometer: Bool {
    accelerometerIsStill == true && (newestSpeed ?? 0) < configuration.restSpeed
  }

  private func medianSpeed(over window: Int64, at now: BootTime) -> Double {
    let speeds = samples.filter { now - $0.receipt <= window }.map(\.speed).sorted()
    guard !speeds.isEmpty else { return .infinity }
    let middle = speeds.count / 2
    return speeds.count % 2 == 1 ? speeds[middle] : (speeds[middle - 1] + speeds[middle]) / 2
  }
}
