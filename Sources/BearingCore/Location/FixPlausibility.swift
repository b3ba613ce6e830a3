/// Holds back fixes that nothing could have moved to, until they are confirmed.
struct FixPlausibility: Sendable {
  /// A fix as far as reach is concerned.
  private struct Point: Sendable {
    var place: Place
    var receipt: BootTime
    var time: Int64?

    init(_ report: PositionReport, at place: Place) {
      self.place = place
      receipt = report.receipt
      time = report.time
    }
  }

  private let configuration: LocationEngine.Configuration
  private var accepted: Point?
  private var heldFirst: Point?
  private var heldLast: Point?
  private var heldCount = 0

  init(_ configuration: LocationEngine.Configuration) {
    self.configuration = configuration
  }

  /// Whether a report at `place` is accepted as a fix; if not it is held back for good.
  mutating func accepts(_ report: PositionReport, at place: Place) -> Bool {
    let point = Point(report, at: place)
    if place.isZero {
      guard let accepted, isWithinReach(point, of: accepted) else { return false }
      accept(point)
      return true
    }
    if let accepted, elapsed(from: accepted, to: point) <= configuration.anyPlaceAfter,
      !isWithinReach(point, of: accepted), !confirms(point)
    {
      return false
    }
    accept(point)
    return true
  }

  /// Whether a better report of the epoch accepted last is near enough to be the same place.
  mutating func acceptsRefinement(_ report: PositionReport, at place: Place) -> Bool {
    let point = Point(report, at: place)
    guard let accepted, isWithinReach(point, of: accepted) else { return false }
    accept(point)
    return true
  }

  /// The time that passed between a fix and the accepted one before it, in nanoseconds.
  ///
  /// That of receipt or, when both have a UTC that rose by at most a day, the larger of the two:
  /// a recording may be played fast.
  private func elapsed(from earlier: Point, to later: Point) -> Int64 {
    let byReceipt = later.receipt - earlier.receipt
    guard let before = earlier.time, let after = later.time else { return byReceipt }
    let (byUTC, overflow) = after.subtractingReportingOverflow(before)
    guard !overflow, byUTC > 0, byUTC <= configuration.largestUTCStep else { return byReceipt }
    return max(byReceipt, byUTC)
  }

  private func isWithinReach(_ point: Point, of earlier: Point) -> Bool {
    let seconds = Double(elapsed(from: earlier, to: point)) / Double(Nanoseconds.second)
    let reach = configuration.reachDistance + configuration.reachSpeed * seconds
    return earlier.place.distance(to: point.place) <= reach
  }

  /// Counts a far fix; true when it completes a row that is a place of its own.
  private mutating func confirms(_ point: Point) -> Bool {
    if let heldLast, isWithinReach(point, of: heldLast) {
      heldCount += 1
    } else {
      heldFirst = point
      heldCount = 1
    }
    heldLast = point
    guard let heldFirst, heldCount >= configuration.confirmingFixes else { return false }
    return elapsed(from: heldFirst, to: point) >= configuration.confirmingSpan
  }

  private mutating func accept(_ point: Point) {
    accepted = point
    heldFirst = nil
    heldLast = nil
    heldCount = 0
  }
}
