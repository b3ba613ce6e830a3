internal import BearingModel

/// How a sensor is mounted and what its axes need, from poses in which gravity was measured.
struct Calibration: Sendable, Equatable {
  /// Metres per second squared: standard gravity. The real one differs by up to 0.3 %.
  static let standardGravity = 9.80665
  /// Degrees from a mount at right angles up to which it is taken for one: nobody holds a device
  /// more exactly, and chips are soldered that way.
  static let rightAngle = 10.0
  /// Degrees that a pose may be off.
  static let poseTolerance = 20.0
  /// Degrees that the angle between two poses may be off, before bias and scale are known.
  private static let pairTolerance = 40.0
  /// The share of gravity that a pose may be off.
  private static let lengthTolerance = 0.3
  /// Metres per second squared, and a share: a sensor that needs more is broken, or the poses were.
  private static let largestBias = 3.0
  private static let factors = 0.8...1.25

  /// Why poses give no calibration.
  struct Fault: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// Turns the sensor's axes into those of the device: a proper rotation.
  let matrix: Matrix3
  /// Whether it is one of the 24 at right angles.
  let isRightAngled: Bool
  /// What the axes need; nil when the poses do not tell.
  let correction: AxisCorrection?
  /// Degrees that each pose was off.
  let residuals: [Pose: Double]

  /// From the means of each pose, in metres per second squared, in the sensor's own axes.
  ///
  /// Needs a pose for each axis of the device; bias and scale need all six.
  init(_ measured: [Pose: SIMD3<Double>]) throws(Fault) {
    try Self.check(measured)
    let correction = AxisCorrection(measured, gravity: Self.standardGravity)
    self.correction = correction
    if let correction { try Self.check(correction) }
    let corrected = measured.mapValues { (correction ?? .identity)($0) }
    let seen = Matrix3(
      try Self.axis(.rightUp, .leftUp, corrected), try Self.axis(.normal, .bottomUp, corrected),
      try Self.axis(.faceUp, .faceDown, corrected))
    guard let rotation = seen.nearestOrthogonal else {
      throw Fault("the poses have no three directions; hold each as it is described")
    }
    guard rotation.determinant > 0 else {
      throw Fault(
        "the poses are mirrored, as no sensor is: two that are opposite were swapped, such as left"
          + " and right; begin again")
    }
    var nearest = Matrix3.identity
    for candidate in Matrix3.rightAngled
    where candidate.angle(to: rotation) < nearest.angle(to: rotation) {
      nearest = candidate
    }
    isRightAngled = nearest.angle(to: rotation) <= Self.rightAngle
    let matrix = isRightAngled ? nearest : rotation
    self.matrix = matrix
    residuals = Dictionary(
      uniqueKeysWithValues: corrected.map { ($0, matrix($1).angle(to: $0.up)) })
    if let worst = residuals.max(by: { $0.value < $1.value }), worst.value > Self.poseTolerance {
      throw Fault(
        "the pose \(worst.key.rawValue) is \(degrees(worst.value)) from what the others say; hold it"
          + " anew: \(worst.key.instruction)")
    }
  }

  /// The direction that the sensor sees for an axis of the device, from one pose or two.
  private static func axis(
    _ above: Pose, _ below: Pose, _ measured: [Pose: SIMD3<Double>]
  ) throws(Fault) -> SIMD3<Double> {
    let directions = [measured[above], measured[below].map { -$0 }].compactMap { $0 }
    guard !directions.isEmpty else {
      throw Fault("a pose is missing: \(above.rawValue) or \(below.rawValue)")
    }
    let sum = directions.reduce(.zero, +)
    return sum / sum.length
  }

  /// Whether what was measured so far can be poses of one sensor: each gravity, and as far from each
  /// other as they should be, roughly.
  static func check(_ measured: [Pose: SIMD3<Double>]) throws(Fault) {
    let poses = Pose.allCases.filter { measured[$0] != nil }
    for pose in poses {
      let length = measured[pose]?.length ?? 0
      guard abs(length / standardGravity - 1) <= lengthTolerance else {
        throw Fault(
          "in the pose \(pose.rawValue) the sensor gave \(decimals(length)) m/s², which is not gravity"
            + " (\(decimals(standardGravity))); was it moved?")
      }
    }
    for (index, one) in poses.enumerated() {
      for other in poses[(index + 1)...] {
        guard let first = measured[one], let second = measured[other] else { continue }
        let (seen, meant) = (first.angle(to: second), one.up.angle(to: other.up))
        guard abs(seen - meant) <= pairTolerance else {
          throw Fault(
            "the poses \(one.rawValue) and \(other.rawValue) are \(degrees(seen)) apart and not"
              + " \(degrees(meant)); hold them anew: \(one.instruction); \(other.instruction)")
        }
      }
    }
  }

  private static func check(_ correction: AxisCorrection) throws(Fault) {
    for (index, axis) in ["x", "y", "z"].enumerated() {
      guard abs(correction.bias[index]) <= largestBias, factors.contains(correction.factor[index])
      else {
        throw Fault(
          "the sensor's \(axis) axis would need a bias of \(decimals(correction.bias[index])) m/s² and"
            + " a factor of \(decimals(correction.factor[index])), which is no error of a sensor that"
            + " works; begin again")
      }
    }
  }
}

private func degrees(_ angle: Double) -> String { "\(fixedPoint(angle, decimals: 0))°" }
private func decimals(_ value: Double) -> String { fixedPoint(value, decimals: 2) }
