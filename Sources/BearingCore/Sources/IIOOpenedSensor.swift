internal import BearingModel

/// A sensor that is about to be read: where it is now, and what makes vectors of its raw values.
struct IIOOpenedSensor {
  let folder: IIOFolder
  private var calibration: IIOCalibration
  private let frame: IIOFrame

  /// Finds the sensor under the name that it has now: a replug may have given it another.
  init(_ sensor: DiscoveredSensor, in tree: IIOTree, _ paths: IIOPaths) throws(IIOFailure) {
    guard let folder = Self.folder(of: sensor, in: tree, paths) else { throw .gone }
    self.folder = folder
    var attributes = IIOAttributes(folder)
    switch IIOCalibration.read(&attributes) {
    case .success(let read): calibration = read
    case .failure(let problem): throw .unreadable(reason: problem.reason)
    }
    if let bias = Self.vector(sensor.sensor.bias) { calibration.bias = bias }
    if let factor = Self.vector(sensor.sensor.scaleFactor) { calibration.scaleFactor = factor }
    do throws(TextProblem) {
      frame = IIOFrame(
        matrix: try MountMatrix(sensor.sensor.mountMatrix),
        source: IIOFrame.Source(rawValue: sensor.sensor.mountMatrixSource) ?? .none,
        isNegated: sensor.sensor.signNegated)
    } catch {
      throw .unreadable(reason: "the mount matrix of \(folder.path) \(error.reason)")
    }
  }

  /// The sample of these raw values.
  func report(_ raw: (Int64, Int64, Int64), at time: BootTime) -> SensorReport {
    let vector = frame.apply(calibration.vector(raw))
    return .sample(
      time: time, x: vector.x, y: vector.y, z: vector.z,
      isSaturated: calibration.isSaturated(raw))
  }

  private static func vector(_ numbers: [Double]?) -> SIMD3<Double>? {
    guard let numbers, numbers.count == 3 else { return nil }
    return SIMD3(numbers[0], numbers[1], numbers[2])
  }

  private static func folder(
    of sensor: DiscoveredSensor, in tree: IIOTree, _ paths: IIOPaths
  ) -> IIOFolder? {
    guard let folders = try? tree.devices() else { return nil }
    let accelerometers = folders.filter { IIOSensor.isAccelerometer($0) }
    // Not the others if need be: their drivers may not answer.
    if let same = accelerometers.first(where: { $0.identifier == sensor.sensor.identifier }),
      paths.path(at: same.spot) == sensor.sensor.path
    {
      return same
    }
    let all = paths.distinct(accelerometers.map { ($0.spot, IIOSensor.path($0)) })
    return zip(accelerometers, all).first { $1 == sensor.sensor.path }?.0
  }
}
