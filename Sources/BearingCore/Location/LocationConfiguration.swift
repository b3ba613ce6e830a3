extension LocationEngine {
  /// Every constant of the position rules, in one place, with its default.
  ///
  /// Durations are in nanoseconds on CLOCK_BOOTTIME unless the name says otherwise.
  public struct Configuration: Sendable, Equatable {
    // MARK: Epochs

    /// How long an epoch's first report waits for better ones when their number is not known.
    public var epochWait = 250 * Nanoseconds.millisecond
    /// How far apart, in metres, two places of one time are two epochs: a leap second repeats a time.
    public var repeatedTimeDistance = 1.0

    // MARK: State

    /// Epochs whose steps make the median period.
    public var periodEpochs = 10
    /// A fix is live for that many periods…
    public var livePeriods: Int64 = 3
    /// …but at least that long.
    public var liveAtLeast = 2 * Nanoseconds.second
    /// A fix is stale until then, and lost after.
    public var staleUntil = 30 * Nanoseconds.second

    // MARK: FixPlausibility

    /// Metres that a fix may be off whatever the time since the last one.
    public var reachDistance = 200.0
    /// Metres per second that nothing a civil receiver rides on exceeds (515 m/s by export rules).
    public var reachSpeed = 500.0
    /// After that long without a fix any place is accepted.
    public var anyPlaceAfter = 600 * Nanoseconds.second
    /// Fixes in a row that confirm a far place.
    public var confirmingFixes = 3
    /// The time that those must span.
    public var confirmingSpan = 2 * Nanoseconds.second

    // MARK: Frozen receiver

    /// Identical fixes that are suspect while the device is shaken.
    public var frozenFixes = 30
    /// The time that those must span.
    public var frozenSpan = 30 * Nanoseconds.second
    /// Standard deviation of the acceleration, in m/s², above which the device is being moved.
    public var frozenDeviation = 1.0

    // MARK: Accuracy

    /// gpsd's range error in metres with differential correction, by which it multiplies hdop for 95 %.
    public var rangeErrorDifferential = 4.75
    /// gpsd's range error in metres without, by which it multiplies hdop for 95 %.
    public var rangeErrorPlain = 19.0
    /// How near to such a product an error is gpsd's own.
    public var rangeErrorTolerance = 0.01
    /// From the radius of 95 % to that of 68 % of a circular normal distribution:
    /// sqrt(ln(1 − 0.68) / ln(1 − 0.95)).
    public var dopFactor = 0.617
    /// Fixes in a row on the other side that change a receiver's basis.
    public var basisFixes = 5
    /// By what a receiver's own errors are multiplied, by its name in gpsd; 1 for any other.
    public var receiverFactors: [String: Double] = [:]

    // MARK: Course

    /// Metres per second from which there is a course.
    public var courseFromSpeed = 1.0
    /// Metres per second below which there is none any more.
    public var courseUntilSpeed = 0.5

    // MARK: Stationary

    /// Metres per second that a device at rest never shows.
    public var restSpeed = 1.0
    /// Metres per second that the median over `restWindow` is below at rest.
    public var restMedianSpeed = 0.5
    /// The window of that median.
    public var restWindow = 10 * Nanoseconds.second
    /// Metres per second that the median over `restShortWindow` is below at rest.
    public var restShortMedianSpeed = 0.6
    /// The window of that median.
    public var restShortWindow = 2 * Nanoseconds.second

    // MARK: UTC

    /// 3D fixes in a row whose time is right before it is trusted.
    public var trustFixes = 3
    /// How far a step of UTC may be from that of receipt.
    public var trustStep = 500 * Nanoseconds.millisecond
    /// UTC in nanoseconds since 1970 before which no time is true: when the program was built.
    public var trustFrom: Int64 = BuildDate.nanoseconds
    /// How long after that; a receiver's 1024 weeks are 19.6 years.
    public var trustSpan = 15 * 31_557_600 * Nanoseconds.second
    /// How far UTC may be from a synchronised system clock.
    public var trustClock = 86_400 * Nanoseconds.second

    // MARK: Receivers

    /// Receivers by preference, by their names in gpsd; others follow in gpsd's order.
    public var receivers: [String] = []
    /// A receiver without a fix for that long is left for another that has one.
    public var leaveAfter = 5 * Nanoseconds.second
    /// A preferred receiver is taken again after that long of good fixes.
    public var returnAfter = 30 * Nanoseconds.second

    /// Marks every fix: the source is a simulation or a recording.
    public var simulated = false

    /// All defaults.
    public init() {}
  }
}
