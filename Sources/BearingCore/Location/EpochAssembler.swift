/// Makes one fix of the reports that gpsd gives for one time, and says when it is to be delivered.
///
/// gpsd learns only in its first cycle which sentence ends an epoch, so the first one comes as
/// several reports, the earliest without altitude; later ones mostly as one.
struct EpochAssembler: Sendable {
  /// What a report did.
  struct Outcome {
    /// The epoch before this one, when it was still waiting.
    var closed: Epoch?
    /// The report's own epoch, when it is due now.
    var due: Epoch?
    /// A better report of an epoch that was delivered.
    var refined: PositionReport?
  }

  /// Reports of one time.
  struct Epoch: Sendable {
    /// The report that wins so far: the last of the highest mode that has a position.
    var best: PositionReport?
    /// The highest mode of any report.
    var highestMode: Int
    /// When the first report came.
    let start: BootTime
    /// When the last report came.
    var end: BootTime
    fileprivate let time: Int64?
    fileprivate var count = 1
    fileprivate var isDelivered = false

    fileprivate init(_ report: PositionReport) {
      best = report.place == nil ? nil : report
      highestMode = report.mode
      start = report.receipt
      end = report.receipt
      time = report.time
    }

    fileprivate mutating func add(_ report: PositionReport) {
      count += 1
      end = report.receipt
      highestMode = max(highestMode, report.mode)
      if report.place != nil, report.mode >= best?.mode ?? 0 { best = report }
    }
  }

  private let wait: Int64
  private let repeatedTimeDistance: Double
  private var current: Epoch?
  /// Reports of the last epoch that had time and position.
  private var expectedCount: Int?

  init(_ configuration: LocationEngine.Configuration) {
    wait = configuration.epochWait
    repeatedTimeDistance = configuration.repeatedTimeDistance
  }

  /// When the waiting epoch is due; nil when none waits.
  var deadline: BootTime? {
    guard let current, !current.isDelivered else { return nil }
    return current.start + wait
  }

  /// The waiting epoch, if it is due at `now`.
  mutating func takeDue(at now: BootTime) -> Epoch? {
    guard let deadline, now >= deadline else { return nil }
    return takeWaiting()
  }

  /// The waiting epoch, due or not: nothing more will come for it.
  mutating func takeWaiting() -> Epoch? {
    guard var epoch = current, !epoch.isDelivered else { return nil }
    epoch.isDelivered = true
    current = epoch
    return epoch
  }

  /// Adds a report to its epoch.
  mutating func add(_ report: PositionReport) -> Outcome {
    var outcome = Outcome()
    if var epoch = current, let time = report.time, epoch.time == time,
      !isRepeatedTime(report, of: epoch)
    {
      let before = epoch.best
      epoch.add(report)
      current = epoch
      if !epoch.isDelivered {
        if epoch.count == expectedCount { outcome.due = takeWaiting() }
      } else if let best = epoch.best, best.isBetter(than: before) {
        if before == nil { outcome.due = epoch } else { outcome.refined = best }
      }
      return outcome
    }
    outcome.closed = close()
    current = Epoch(report)
    if report.time == nil || expectedCount == 1 { outcome.due = takeWaiting() }
    if report.time == nil { current = nil }
    return outcome
  }

  /// Ends the epoch and learns from it how many reports to expect of the next.
  private mutating func close() -> Epoch? {
    let waiting = takeWaiting()
    if let current, current.time != nil, current.best != nil { expectedCount = current.count }
    current = nil
    return waiting
  }

  private func isRepeatedTime(_ report: PositionReport, of epoch: Epoch) -> Bool {
    guard expectedCount == 1, let here = report.place, let there = epoch.best?.place else {
      return false
    }
    return there.distance(to: here) > repeatedTimeDistance
  }
}

extension PositionReport {
  /// Where it says the receiver is; nil when it has no fix or no valid position.
  var place: Place? {
    guard mode >= 2, let latitude, let longitude,
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return nil }
    return Place(latitude: latitude, longitude: longitude)
  }

  /// Whether it has any altitude.
  var hasAltitude: Bool { altitudeMSL != nil || altitudeHAE != nil }

  /// Whether it says more of its epoch than `other`: a higher mode, or an altitude where none was.
  fileprivate func isBetter(than other: PositionReport?) -> Bool {
    guard let other else { return true }
    return mode > other.mode || (hasAltitude && !other.hasAltitude)
  }
}

/// A valid position in degrees.
struct Place: Sendable, Equatable {
  var latitude: Double
  var longitude: Double

  /// Metres to another place.
  func distance(to other: Place) -> Double {
    Geodesic.distance(
      fromLatitude: latitude, longitude: longitude,
      toLatitude: other.latitude, longitude: other.longitude)
  }

  /// Whether both coordinates are exactly 0, as unset ones are.
  var isZero: Bool { latitude == 0 && longitude == 0 }
}
