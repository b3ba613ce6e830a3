/// Holds back fixes that nothing could have moved to, until they are confirmed.
struct FixPlausibility: Sendable {
  /// A fix as far as reach is concerned.
  private struct Point: Sendable {
    var place: Place
    var moment: FixMoment

    init(_ report: PositionReport, at place: Place) {
      self.place = place
      moment = FixMoment(receipt: report.receipt, time: report.time)
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
    if let accepted, point.moment.elapsed(since: accepted.moment) <= configuration.anyPlaceAfter,
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

  private func isWithinReach(_ point: Point, of earlier: Point) -> Bool {
    let seconds = Double(point.moment.elapsed(since: earlier.moment)) / Double(Nanoseconds.second)
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
    return point.moment.elapsed(since: heldFirst.moment) >= configuration.confirmingSpan
  }

  private mutating func accept(_ point: Point) {
    accepted = point
    heldFirst = nil
    heldLast = nil
    heldCount = 0
  }
}
