import Glibc

/// Three rows of three numbers.
struct Matrix3: Sendable, Equatable {
  static let identity = Matrix3(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))

  var rows: [SIMD3<Double>]

  init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
    rows = [first, second, third]
  }

  /// From nine numbers, row by row; nil when they are not nine.
  init?(_ numbers: [Double]) {
    guard numbers.count == 9 else { return nil }
    rows = stride(from: 0, to: 9, by: 3).map {
      SIMD3(numbers[$0], numbers[$0 + 1], numbers[$0 + 2])
    }
  }

  /// Row by row.
  var numbers: [Double] { rows.flatMap { [$0.x, $0.y, $0.z] } }

  var determinant: Double { (rows[0] * Self.cross(rows[1], rows[2])).sum() }

  var transpose: Matrix3 {
    Matrix3(column(0), column(1), column(2))
  }

  /// Nil when the rows span no space.
  var inverse: Matrix3? {
    let determinant = determinant
    guard abs(determinant) > 1e-9 else { return nil }
    let cofactors = Matrix3(
      Self.cross(rows[1], rows[2]), Self.cross(rows[2], rows[0]), Self.cross(rows[0], rows[1]))
    return cofactors.transpose * (1 / determinant)
  }

  func callAsFunction(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((rows[0] * vector).sum(), (rows[1] * vector).sum(), (rows[2] * vector).sum())
  }

  static func * (matrix: Matrix3, factor: Double) -> Matrix3 {
    Matrix3(matrix.rows[0] * factor, matrix.rows[1] * factor, matrix.rows[2] * factor)
  }

  static func + (lhs: Matrix3, rhs: Matrix3) -> Matrix3 {
    Matrix3(
      lhs.rows[0] + rhs.rows[0], lhs.rows[1] + rhs.rows[1], lhs.rows[2] + rhs.rows[2])
  }

  /// The nearest rotation or reflection, by Newton's iteration for the polar decomposition (Higham,
  /// Computing the polar decomposition, 1986); nil when the rows span no space.
  var nearestOrthogonal: Matrix3? {
    var nearest = self
    // It converges quadratically: twenty steps are more than any matrix needs.
    for _ in 0..<20 {
      guard let inverse = nearest.inverse else { return nil }
      nearest = (nearest + inverse.transpose) * 0.5
    }
    return nearest
  }

  /// Degrees by which one rotation is turned against another.
  func angle(to other: Matrix3) -> Double {
    let trace = zip(rows, other.rows).reduce(0) { $0 + ($1.0 * $1.1).sum() }
    return acos(Swift.max(-1, Swift.min(1, (trace - 1) / 2))) * 180 / .pi
  }

  /// The 24 rotations that take axes to axes.
  static let rightAngled: [Matrix3] = {
    let axes = [SIMD3(1.0, 0, 0), SIMD3(0, 1.0, 0), SIMD3(0, 0, 1.0)]
    let signed = axes + axes.map { -$0 }
    return signed.flatMap { first in
      signed.filter { ($0 * first).sum() == 0 }.map { second in
        Matrix3(first, second, cross(first, second))
      }
    }
  }()

  private func column(_ index: Int) -> SIMD3<Double> {
    SIMD3(rows[0][index], rows[1][index], rows[2][index])
  }

  private static func cross(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      left.y * right.z - left.z * right.y, left.z * right.x - left.x * right.z,
      left.x * right.y - left.y * right.x)
  }
}

extension SIMD3<Double> {
  /// Its length.
  var length: Double { (self * self).sum().squareRoot() }

  /// Degrees between two directions.
  func angle(to other: SIMD3<Double>) -> Double {
    acos(Swift.max(-1, Swift.min(1, (self * other).sum() / (length * other.length)))) * 180 / .pi
  }
}
