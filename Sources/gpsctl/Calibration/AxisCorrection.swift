/// What makes each axis of a sensor give gravity in every pose: factor · (value − bias).
struct AxisCorrection: Sendable, Equatable {
  /// Metres per second squared, to be taken away first.
  var bias: SIMD3<Double>
  /// Without a unit, to multiply with then.
  var factor: SIMD3<Double>

  static let identity = AxisCorrection(bias: .zero, factor: .one)

  /// Below this the directions of three pairs of poses mix the axes too much to tell them apart: a
  /// sensor that is turned by up to 30° about one axis is above it.
  private static let leastSeparation = 0.5

  func callAsFunction(_ value: SIMD3<Double>) -> SIMD3<Double> { factor * (value - bias) }

  /// From the six poses, each as measured by the sensor: only their lengths count, so that it does
  /// not matter how well they were held.
  ///
  /// Each length is to be `gravity`: with p = factor² and q = −2 · factor² · bias, scaled to 1 on the
  /// right, Σ p·v² + q·v = 1 is linear. Nil when the poses do not tell the axes apart.
  init?(_ measured: [Pose: SIMD3<Double>], gravity: Double) {
    let pairs: [(Pose, Pose)] = [(.rightUp, .leftUp), (.normal, .bottomUp), (.faceUp, .faceDown)]
    var squares: [SIMD3<Double>] = []
    var equations: [[Double]] = []
    for (one, other) in pairs {
      guard let above = measured[one], let below = measured[other] else { return nil }
      let direction = (above - below) / (above - below).length
      squares.append(direction * direction)
      for value in [above / gravity, below / gravity] {
        equations.append([
          value.x * value.x, value.y * value.y, value.z * value.z, value.x, value.y, value.z, 1,
        ])
      }
    }
    let separation = Matrix3(squares[0], squares[1], squares[2]).determinant
    guard abs(separation) >= Self.leastSeparation, let solved = Self.solve(equations) else {
      return nil
    }
    let (p, q) = (
      SIMD3(solved[0], solved[1], solved[2]), SIMD3(solved[3], solved[4], solved[5])
    )
    guard p.min() > 0 else { return nil }
    let centre = -q / (2 * p)
    let right = 1 + (p * centre * centre).sum()
    bias = centre * gravity
    factor = (p / right).squareRoot()
  }

  init(bias: SIMD3<Double>, factor: SIMD3<Double>) {
    self.bias = bias
    self.factor = factor
  }

  /// Gauss' elimination with the largest pivot of a column; nil when there is no one solution.
  private static func solve(_ equations: [[Double]]) -> [Double]? {
    var rows = equations
    let count = rows.count
    for column in 0..<count {
      guard let pivot = (column..<count).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }),
        abs(rows[pivot][column]) > 1e-9
      else { return nil }
      rows.swapAt(column, pivot)
      for row in 0..<count where row != column {
        let share = rows[row][column] / rows[column][column]
        for index in column...count { rows[row][index] -= share * rows[column][index] }
      }
    }
    return (0..<count).map { rows[$0][count] / rows[$0][$0] }
  }
}
