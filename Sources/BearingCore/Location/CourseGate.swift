/// Withholds the course of a device that hardly moves, which is noise.
struct CourseGate: Sendable {
  private let openSpeed: Double
  private let closeSpeed: Double
  private var isOpen = false

  init(_ configuration: LocationEngine.Configuration) {
    openSpeed = configuration.courseFromSpeed
    closeSpeed = configuration.courseUntilSpeed
  }

  /// The course in degrees, 0 up to but not 360; nil while too slow or when there is none.
  mutating func course(track: Double?, speed: Double?) -> Double? {
    guard let speed else { return nil }
    if speed >= openSpeed { isOpen = true }
    if speed < closeSpeed { isOpen = false }
    guard isOpen, let track, (0...360).contains(track) else { return nil }
    return track == 360 ? 0 : track
  }
}
