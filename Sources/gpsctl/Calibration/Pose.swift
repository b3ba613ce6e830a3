/// How the device is held while a sensor is calibrated: one of its axes points up.
enum Pose: String, CaseIterable, Sendable {
  // The words that orientation and tilt have.
  case normal, bottomUp, rightUp, leftUp, faceUp, faceDown

  /// Those that a matrix needs: one for each axis.
  static let three: [Pose] = [.normal, .rightUp, .faceUp]

  /// The direction that points up, in the device's axes.
  var up: SIMD3<Double> {
    switch self {
    case .normal: SIMD3(0, 1, 0)
    case .bottomUp: SIMD3(0, -1, 0)
    case .rightUp: SIMD3(1, 0, 0)
    case .leftUp: SIMD3(-1, 0, 0)
    case .faceUp: SIMD3(0, 0, 1)
    case .faceDown: SIMD3(0, 0, -1)
    }
  }

  /// What a person is to do.
  var instruction: String {
    switch self {
    case .normal: "stand the display upright, as you read it"
    case .bottomUp: "stand the display on its head, its bottom edge up"
    case .rightUp: "stand the display on its side, its right edge up"
    case .leftUp: "stand the display on its other side, its left edge up"
    case .faceUp: "lay the display flat, its face up"
    case .faceDown: "lay the display flat, its face down"
    }
  }
}
