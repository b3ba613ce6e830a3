/// What turns a sensor's raw values into metres per second squared in its own axes.
struct IIOCalibration: Sendable, Equatable {
  /// Metres per second squared for a raw step.
  let scale: SIMD3<Double>
  /// Raw steps to add first.
  let offset: SIMD3<Double>
  /// Metres per second squared to take away then, by configuration.
  var bias = SIMD3<Double>.zero
  /// What to multiply with last, by configuration.
  var scaleFactor = SIMD3<Double>.one
  /// Each axis' layout, where the driver says it: the range of its raw values.
  let types: [IIOScanType?]

  /// One number for each axis.
  var scaleNumbers: [Double] { [scale.x, scale.y, scale.z] }

  /// Reads it; fails where a scale is missing or 0, and where one of the files cannot be read: a
  /// guess in its place would be taken for a measurement.
  static func read(_ attributes: inout IIOAttributes) -> Result<IIOCalibration, TextProblem> {
    var scale = SIMD3<Double>()
    var offset = SIMD3<Double>()
    var types: [IIOScanType?] = []
    var problem: String?
    for (index, axis) in IIOSensor.axes.enumerated() {
      let scaleNames = ["in_accel_\(axis)_scale", "in_accel_scale", "scale"]
      let read = attributes.read(scaleNames) { bytes throws(TextProblem) in
        let value = try NumberText.decimal(bytes)
        guard value != 0 else { throw TextProblem("is 0, which no sensor's scale is") }
        return value
      }
      switch read {
      case .value(let value): scale[index] = value
      case .bad(let reason): problem = problem ?? reason
      case .absent:
        problem =
          problem ?? "\(attributes.folder.path) has no scale: none of "
          + scaleNames.joined(separator: ", ")
      }
      let offsetNames = ["in_accel_\(axis)_offset", "in_accel_offset", "offset"]
      switch attributes.read(offsetNames, NumberText.decimal) {
      case .value(let value): offset[index] = value
      case .bad(let reason): problem = problem ?? reason
      case .absent: break
      }
      let layouts = ["scan_elements", "buffer0"].map { "\($0)/in_accel_\(axis)_type" }
      types.append(
        attributes.read(layouts) { bytes throws(TextProblem) in try IIOScanType(parsing: bytes) }
          .value)
    }
    if let problem { return .failure(TextProblem(problem)) }
    return .success(IIOCalibration(scale: scale, offset: offset, types: types))
  }

  /// The vector of raw values, in the sensor's axes.
  func vector(_ raw: (Int64, Int64, Int64)) -> SIMD3<Double> {
    let values = SIMD3(
      Double(value(raw.0, 0)), Double(value(raw.1, 1)), Double(value(raw.2, 2)))
    let vector = (values + offset) * scale
    // A sensor that gives zero measures nothing, and is to be known by it.
    return vector == .zero ? .zero : (vector - bias) * scaleFactor
  }

  /// Whether every axis is at an end of its range, so that the values are no measurement.
  func isSaturated(_ raw: (Int64, Int64, Int64)) -> Bool {
    isAtEnd(raw.0, 0) && isAtEnd(raw.1, 1) && isAtEnd(raw.2, 2)
  }

  private func value(_ raw: Int64, _ axis: Int) -> Int64 { types[axis]?.value(of: raw) ?? raw }

  private func isAtEnd(_ raw: Int64, _ axis: Int) -> Bool {
    guard let range = types[axis]?.range else { return false }
    let value = value(raw, axis)
    return value == range.lowerBound || value == range.upperBound
  }
}
