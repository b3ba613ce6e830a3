internal import BearingModel

/// Decides from fix to fix whether the device is inside a circle, by two sums of evidence.
///
/// A sum grows with how clearly a fix lies on its side, measured in accuracies, and shrinks with
/// fixes on the other: noise at the edge, spikes and gaps settle nothing, a real crossing does
/// within seconds. A flat record that could be stored as it stands.
struct RegionWatch: BitwiseCopyable, Sendable {
  /// The least accuracy that a fix is taken to have, in metres.
  private static var leastAccuracy: Double { 5 }
  /// The margin outside the circle, as a share of its radius, and its bounds in metres.
  private static var marginShare: Double { 0.1 }
  private static var leastMargin: Double { 10 }
  private static var largestMargin: Double { 20 }
  /// Accuracies beyond the margin at which a fix begins to speak for outside.
  private static var outsideOffset: Double { 1.25 }
  /// A fix less accurate than this many metres, and than the radius, never speaks for inside.
  private static var vagueAccuracy: Double { 100 }
  /// Sums at which the device is inside, or outside.
  private static var insideSum: Double { 1.5 }
  private static var outsideSum: Double { 2.5 }

  /// What one fix brought about.
  enum Change: Sendable, Equatable {
    case enter, exit
  }

  private let latitude: Double
  private let longitude: Double
  private let radius: Double
  private let dwell: Int64
  private(set) var state: RegionState
  private var insideEvidence = 0.0
  private var outsideEvidence = 0.0
  private var previous: FixMoment?
  /// Since when it is inside; nil while it is not.
  private(set) var insideSince: BootTime?
  /// Whether the stay that goes on had its dwell event.
  private(set) var isDwellTold: Bool

  /// A watch of `region`, in the state that it is known to be in.
  ///
  /// - Parameters:
  ///   - now: When the watch starts.
  ///   - isDwellTold: Whether the stay that goes on had its event already.
  ///   - insideSince: When the stay that goes on began; nil counts it from now.
  init(
    _ region: Region, now: BootTime, isDwellTold: Bool = false, insideSince: BootTime? = nil
  ) {
    latitude = region.latitude
    longitude = region.longitude
    radius = region.radius
    let (dwell, overflow) = Int64(region.dwell ?? 0).multipliedReportingOverflow(
      by: Nanoseconds.millisecond)
    self.dwell = overflow ? .max : dwell
    state = region.state
    self.insideSince = region.state == .inside ? insideSince ?? now : nil
    self.isDwellTold = isDwellTold
  }

  /// Takes in an accepted fix; gives what to tell. Not for refined or repeated fixes.
  mutating func note(_ fix: Fix, at moment: FixMoment) -> Change? {
    let weight: Double
    if let previous {
      let seconds = Double(moment.elapsed(since: previous)) / Double(Nanoseconds.second)
      weight = max(0, min(1, seconds))
    } else {
      weight = 1
    }
    previous = moment
    guard let horizontalAccuracy = fix.horizontalAccuracy else { return nil }
    let accuracy = max(horizontalAccuracy, Self.leastAccuracy)
    let margin = max(Self.leastMargin, min(Self.largestMargin, Self.marginShare * radius))
    let distance = Geodesic.distance(
      fromLatitude: latitude, longitude: longitude, toLatitude: fix.latitude,
      longitude: fix.longitude)
    let outside = (distance - radius - margin) / accuracy - Self.outsideOffset
    var inside = (radius - distance) / accuracy
    if horizontalAccuracy > max(radius, Self.vagueAccuracy) { inside = min(inside, 0) }
    outsideEvidence = max(0, outsideEvidence + weight * max(-1, min(1, outside)))
    insideEvidence = max(0, insideEvidence + weight * max(-1, min(1, inside)))
    return decide(at: moment.receipt)
  }

  private mutating func decide(at receipt: BootTime) -> Change? {
    if state != .inside, insideEvidence >= Self.insideSum {
      change(to: .inside)
      insideSince = receipt
      isDwellTold = false
      return .enter
    }
    if state != .outside, outsideEvidence >= Self.outsideSum {
      let was = state
      change(to: .outside)
      insideSince = nil
      return was == .inside ? .exit : nil
    }
    return nil
  }

  private mutating func change(to new: RegionState) {
    state = new
    insideEvidence = 0
    outsideEvidence = 0
  }

  /// When a dwell is to be told if nothing changes; nil when none is.
  var deadline: BootTime? {
    guard dwell > 0, !isDwellTold, let insideSince else { return nil }
    return insideSince.nanoseconds > .max - dwell ? nil : insideSince + dwell
  }

  /// Whether the dwell is to be told now; once a stay.
  mutating func takeDwell(at now: BootTime) -> Bool {
    guard let deadline, now >= deadline else { return false }
    isDwellTold = true
    return true
  }
}
