/// How a sensor is mounted: what turns its axes into those of the device.
struct MountMatrix: Sendable, Equatable {
  /// Below this share of what rows of their lengths could span, three rows span no space.
  static let flatness = 1e-6

  /// The sensor sits as the device does.
  static let identity = MountMatrix(
    rows: [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)])

  private let rows: [SIMD3<Double>]

  private init(rows: [SIMD3<Double>]) {
    self.rows = rows
  }

  /// From nine numbers, row by row.
  ///
  /// Throws what is wrong with them: not nine, not finite, or not invertible.
  init(_ numbers: [Double]) throws(TextProblem) {
    guard numbers.count == 9 else {
      throw TextProblem("has \(numbers.count) numbers where a matrix has 9")
    }
    guard numbers.allSatisfy(\.isFinite) else {
      throw TextProblem("has a number that is not finite")
    }
    rows = [0, 3, 6].map { SIMD3(numbers[$0], numbers[$0 + 1], numbers[$0 + 2]) }
    let volume = (rows[0] * Self.cross(rows[1], rows[2])).sum()
    let most = rows.reduce(1) { $0 * ($1 * $1).sum().squareRoot() }
    guard abs(volume) > Self.flatness * most else {
      throw TextProblem("cannot be inverted: its rows span no space")
    }
  }

  /// From text such as `0, 1, 0; -1, 0, 0; 0, 0, 1`: blanks anywhere but inside a number.
  init(parsing text: some BidirectionalCollection<UInt8>) throws(TextProblem) {
    let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw TextProblem("\(quoted(text)) has \(parts.count) rows where a matrix has 3")
    }
    var numbers: [Double] = []
    for part in parts {
      let fields = part.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      guard fields.count == 3 else {
        throw TextProblem(
          "\(quoted(text)) has a row of \(fields.count) numbers where a matrix has 3")
      }
      for field in fields { numbers.append(try NumberText.decimal(field)) }
    }
    do throws(TextProblem) {
      try self.init(numbers)
    } catch {
      throw TextProblem("\(quoted(text)) \(error.reason)")
    }
  }

  /// Nine numbers, row by row.
  var numbers: [Double] { rows.flatMap { [$0.x, $0.y, $0.z] } }

  /// The vector in the device's axes: each row dotted with the sensor's (the kernel's convention,
  /// Documentation/ABI/testing/sysfs-bus-iio, mount_matrix).
  func apply(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((rows[0] * vector).sum(), (rows[1] * vector).sum(), (rows[2] * vector).sum())
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}
