internal import BearingModel

/// From what the daemon makes of a sensor back to what the sensor itself measures.
struct SensorFrame: Sendable {
  private let inverse: Matrix3
  private let correction: AxisCorrection

  /// Nil when the sensor's matrix is none.
  init?(_ sensor: Sensor) {
    guard let inverse = Matrix3(sensor.mountMatrix)?.inverse else { return nil }
    self.inverse = inverse * (sensor.signNegated ? -1 : 1)
    correction = AxisCorrection(
      bias: Self.vector(sensor.bias) ?? .zero, factor: Self.vector(sensor.scaleFactor) ?? .one)
  }

  /// The vector in the sensor's own axes, by its driver's scale.
  func undo(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    inverse(vector) / correction.factor + correction.bias
  }

  private static func vector(_ numbers: [Double]?) -> SIMD3<Double>? {
    guard let numbers, numbers.count == 3 else { return nil }
    return SIMD3(numbers[0], numbers[1], numbers[2])
  }
}
