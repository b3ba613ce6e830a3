internal import BearingModel

/// Tells whether a receiver's errors are its own or gpsd's at 95 %, and makes both radii of 68 %.
struct AccuracyEstimator: Sendable {
  private let configuration: LocationEngine.Configuration
  private let receiverFactor: Double
  private var isDop = false
  private var otherSideCount = 0

  init(_ configuration: LocationEngine.Configuration, receiver: String?) {
    self.configuration = configuration
    receiverFactor = receiver.flatMap { configuration.receiverFactors[$0] } ?? 1
  }

  /// Counts one fix's horizontal error against the receiver's newest hdop.
  ///
  /// One match is no proof, as a receiver's own estimate may hit it by chance, and with some
  /// sentence orders gpsd's belongs to the epoch before: so the basis changes after some in a row.
  mutating func note(_ report: PositionReport, hdop: Double?) {
    guard let error = Self.horizontalError(report) else { return }
    let looksDop = hdop.map { isRangeError(error, hdop: $0) } ?? false
    guard looksDop != isDop else {
      otherSideCount = 0
      return
    }
    otherSideCount += 1
    if otherSideCount >= configuration.basisFixes {
      isDop = looksDop
      otherSideCount = 0
    }
  }

  /// Writes a report's accuracies into its fix.
  func apply(_ report: PositionReport, to fix: inout Fix) {
    fix.horizontalAccuracy = radius(Self.horizontalError(report))
    fix.accuracyBasis = fix.horizontalAccuracy == nil ? .unknown : isDop ? .dop : .receiver
    fix.verticalAccuracy = radius(report.epv)
    fix.speedAccuracy = radius(report.eps)
    fix.courseAccuracy = radius(report.epd)
  }

  private static func horizontalError(_ report: PositionReport) -> Double? {
    if let eph = positive(report.eph) { return eph }
    guard let x = positive(report.epx), let y = positive(report.epy) else { return nil }
    return positive((x * x + y * y).squareRoot())
  }

  /// An error of 0 says that it is not known: nothing is exact.
  private static func positive(_ error: Double?) -> Double? {
    guard let error, error.isFinite, error > 0 else { return nil }
    return error
  }

  private func radius(_ error: Double?) -> Double? {
    Self.positive(error).map { $0 * (isDop ? configuration.dopFactor : receiverFactor) }
  }

  private func isRangeError(_ error: Double, hdop: Double) -> Bool {
    [configuration.rangeErrorPlain, configuration.rangeErrorDifferential].contains { metres in
      let product = metres * hdop
      return (error - product).magnitude <= configuration.rangeErrorTolerance * product
    }
  }
}
