public import BearingModel

/// What one location stream's filters want and remember: a flat record that can be stored as bytes.
///
/// A value of 0 is no filter. Callers have refused negative and non-finite values before.
public struct LocationFilter: BitwiseCopyable, Sendable, Equatable {
  /// The shortest time between two deliveries, in nanoseconds; 0 is none.
  public var minInterval: Int64
  /// The shortest distance from the fix delivered last, in metres; 0 is none.
  public var distanceFilter: Double
  /// The largest horizontalAccuracy that is let through, in metres; 0 is none.
  public var maximumAccuracy: Double
  /// Whether the caller left minInterval out, so that it is the user's preference.
  public private(set) var prefersInterval: Bool
  /// Whether the caller left distanceFilter out, so that it is the user's preference.
  public private(set) var prefersDistance: Bool

  private var deliveredReceipt: Int64 = 0
  private var deliveredLatitude: Double = 0
  private var deliveredLongitude: Double = 0
  private var hasDelivered: Bool = false
  private var beyondCount: UInt8 = 0

  /// A tenth of minInterval may be missing, for the jitter of receivers.
  static var intervalToleranceShare: Int64 { 10 }
  /// A fifth of the receiver's period may be missing, so that no extra fix of a fast one gets in.
  static var periodToleranceShare: Int64 { 5 }
  /// No more than half a second may be missing.
  static var largestTolerance: Int64 { 500 * Nanoseconds.millisecond }
  /// Fixes in a row that must lie beyond the limit before a stationary device is said to have moved.
  static var stationaryCount: UInt8 { 3 }
  /// Wander of a place whose accuracy gpsd computed from geometry, in accuracies.
  static var stationaryFactorDop: Double { 2 }
  /// Wander of a place whose accuracy the receiver estimates, in accuracies.
  static var stationaryFactorReceiver: Double { 3 }

  /// Filters in the wire's units: milliseconds and metres; 0 is none, and so is nil until `prefer`.
  public init(
    minInterval milliseconds: Int? = nil, distanceFilter: Double? = nil,
    maximumAccuracy: Double? = nil
  ) {
    let (interval, overflow) = Int64(milliseconds ?? 0).multipliedReportingOverflow(
      by: Nanoseconds.millisecond)
    minInterval = overflow ? .max : interval
    self.distanceFilter = distanceFilter ?? 0
    self.maximumAccuracy = maximumAccuracy ?? 0
    prefersInterval = milliseconds == nil
    prefersDistance = distanceFilter == nil
  }

  /// Takes what the caller left out from the user's preferences.
  public mutating func prefer(_ preferences: StreamPreferences) {
    if prefersInterval { minInterval = preferences.minInterval }
    if prefersDistance { distanceFilter = preferences.distanceFilter }
  }

  /// The same filters with nothing delivered yet.
  public var forgetful: LocationFilter {
    var filter = self
    filter.hasDelivered = false
    filter.beyondCount = 0
    return filter
  }

  /// Whether a fix passes; one that does becomes the reference of the later ones.
  ///
  /// Not to be asked about refined fixes, which no filter sees.
  /// `receipt` is when the fix was received, `medianPeriod` the receiver's period in nanoseconds or
  /// nil while unknown, `stationary` whether the device is at rest by `LocationEngine.isStationary`.
  public mutating func evaluate(
    _ fix: Fix, receipt: BootTime, medianPeriod: Int64?, stationary: Bool
  ) -> FilterVerdict {
    if maximumAccuracy > 0 {
      guard let accuracy = fix.horizontalAccuracy, accuracy <= maximumAccuracy else {
        return .held(by: .maximumAccuracy, value: fix.horizontalAccuracy, limit: maximumAccuracy)
      }
    }
    guard hasDelivered else {
      noteDelivered(fix, receipt: receipt)
      return .passed
    }
    let distance = distanceFilter > 0 ? distanceFromDelivered(fix) : 0
    let restLimit = countBeyond(fix, distance: distance, stationary: stationary)
    let elapsed = receipt.nanoseconds - deliveredReceipt
    let needed = minInterval - Self.tolerance(of: minInterval, medianPeriod)
    if minInterval > 0, elapsed < needed {
      return .held(by: .minInterval, value: milliseconds(elapsed), limit: milliseconds(needed))
    }
    if distanceFilter > 0 {
      guard distance >= distanceFilter else {
        return .held(by: .distanceFilter, value: distance, limit: distanceFilter)
      }
      if stationary, beyondCount < Self.stationaryCount {
        return .held(by: .stationary, value: distance, limit: restLimit)
      }
    }
    noteDelivered(fix, receipt: receipt)
    return .passed
  }

  /// Makes a fix the reference without asking, as for the first reply's fix in state live.
  public mutating func noteDelivered(_ fix: Fix, receipt: BootTime) {
    hasDelivered = true
    deliveredReceipt = receipt.nanoseconds
    deliveredLatitude = fix.latitude
    deliveredLongitude = fix.longitude
    beyondCount = 0
  }

  private func distanceFromDelivered(_ fix: Fix) -> Double {
    Geodesic.distance(
      fromLatitude: deliveredLatitude, longitude: deliveredLongitude,
      toLatitude: fix.latitude, longitude: fix.longitude)
  }

  /// Counts fixes in a row that a device at rest cannot have wandered to; gives the limit in metres.
  private mutating func countBeyond(_ fix: Fix, distance: Double, stationary: Bool) -> Double {
    guard stationary, distanceFilter > 0 else {
      beyondCount = 0
      return distanceFilter
    }
    let factor =
      fix.accuracyBasis == .dop ? Self.stationaryFactorDop : Self.stationaryFactorReceiver
    let limit = max(distanceFilter, factor * (fix.horizontalAccuracy ?? 0))
    beyondCount = distance > limit ? min(beyondCount + 1, Self.stationaryCount) : 0
    return limit
  }

  /// How much of an interval may be missing, in nanoseconds.
  static func tolerance(of interval: Int64, _ medianPeriod: Int64?) -> Int64 {
    guard let medianPeriod else { return 0 }
    return min(
      interval / intervalToleranceShare, medianPeriod / periodToleranceShare, largestTolerance)
  }

  private func milliseconds(_ nanoseconds: Int64) -> Double {
    Double(nanoseconds) / Double(Nanoseconds.millisecond)
  }
}

/// What a stream's filters said of one fix, with the numbers that explain it.
public struct FilterVerdict: BitwiseCopyable, Sendable, Equatable {
  /// The filters that a fix can be held back by; the wire's words. `queue`: it passed, and was then
  /// dropped since the reader was behind.
  public enum Filter: UInt8, BitwiseCopyable, Sendable {
    case none, minInterval, distanceFilter, maximumAccuracy, stationary, queue
  }

  /// Whether the fix is to be delivered.
  public var passed: Bool
  /// What held it back; none when it passed.
  public var filter: Filter
  /// Milliseconds for minInterval, metres for the others; NaN when there is nothing to compare.
  public var value: Double
  /// What `value` had to reach (maximumAccuracy: to stay below), in the same unit.
  public var limit: Double

  /// It is delivered.
  public static var passed: FilterVerdict {
    FilterVerdict(passed: true, filter: .none, value: .nan, limit: .nan)
  }

  /// It passed, and was dropped from the queue.
  static var lost: FilterVerdict { held(by: .queue, value: nil, limit: .nan) }

  /// Two verdicts are the same when all is, an unknown value being equal to itself.
  public static func == (lhs: FilterVerdict, rhs: FilterVerdict) -> Bool {
    lhs.passed == rhs.passed && lhs.filter == rhs.filter
      && lhs.value.bitPattern == rhs.value.bitPattern
      && lhs.limit.bitPattern == rhs.limit.bitPattern
  }

  static func held(by filter: Filter, value: Double?, limit: Double) -> FilterVerdict {
    FilterVerdict(passed: false, filter: filter, value: value ?? .nan, limit: limit)
  }
}
