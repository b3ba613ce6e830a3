internal import BearingModel

/// Reads one accelerometer.
///
/// It polls the raw files: every sensor has them. Modes that use the kernel's buffer are to come
/// before this one, which stays for sensors without.
struct IIOCapture: Source {
  /// The wire's word for this way of sampling.
  static let pollingMode = "polling"
  /// Hertz between which a sensor is polled.
  static let polled = 0.001...1000
  /// Nanoseconds before the first new attempt after a failure; each next one waits twice as long.
  static let firstDelay = 100 * Nanoseconds.millisecond
  /// Nanoseconds between attempts at most.
  static let longestDelay = 5 * Nanoseconds.second

  let tree: IIOTree
  let sensor: DiscoveredSensor

  var summary: String { "\(sensor.sensor.identifier) (\(sensor.sensor.name))" }
  var isSimulated: Bool { sensor.sensor.simulated }

  func run(_ port: SourcePort<SensorReport, SensorDemand>) {
    var delay = Self.firstDelay
    while !port.isStopping {
      do throws(IIORawFile.Failure) {
        var session = try IIOPolling(tree: tree, sensor: sensor)
        defer { session.end() }
        try session.run(port) { delay = Self.firstDelay }
      } catch {
        guard case .unreadable(let reason) = error else {
          port.post(state: .gone)
          return
        }
        port.post(state: .failing(reason: reason))
        pause(delay, port)
        delay = min(2 * delay, Self.longestDelay)
      }
    }
  }

  private func pause(_ delay: Int64, _ port: SourcePort<SensorReport, SensorDemand>) {
    let end = BootTime.now() + delay
    while !port.isStopping, port.wait(until: end) != .deadline {}
  }
}

/// One run of polling, from opening the files to the first error or the end.
struct IIOPolling {
  private let calibration: IIOCalibration
  private let frame: IIOFrame
  private let x: IIORawFile
  private let y: IIORawFile
  private let z: IIORawFile
  private var rate: IIORateControl

  /// Opens the sensor under the name that it has now: a replug may have given it another.
  init(tree: IIOTree, sensor: DiscoveredSensor) throws(IIORawFile.Failure) {
    guard let folder = Self.folder(of: sensor, in: tree) else { throw .gone }
    var attributes = IIOAttributes(folder)
    switch IIOCalibration.read(&attributes) {
    case .success(let read): calibration = read
    case .failure(let problem): throw .unreadable(reason: problem.reason)
    }
    do throws(TextProblem) {
      frame = IIOFrame(
        matrix: try MountMatrix(sensor.sensor.mountMatrix),
        source: IIOFrame.Source(rawValue: sensor.sensor.mountMatrixSource) ?? .none,
        isNegated: sensor.sensor.signNegated)
    } catch {
      throw .unreadable(reason: "the mount matrix of \(folder.path) \(error.reason)")
    }
    x = try IIORawFile("\(folder.path)/in_accel_x_raw")
    y = try IIORawFile("\(folder.path)/in_accel_y_raw")
    z = try IIORawFile("\(folder.path)/in_accel_z_raw")
    rate = IIORateControl(&attributes)
  }

  /// Posts samples until the port says stop. `sampled` is called after each.
  mutating func run(
    _ port: SourcePort<SensorReport, SensorDemand>, sampled: () -> Void
  ) throws(IIORawFile.Failure) {
    while !port.isStopping {
      var pace = PollingPace(wanted: grant(port.demand.rate))
      var clock = begin(pace.rate, port)
      while true {
        let next = clock.next(after: .now())
        guard port.wait(until: next) == .deadline else { break }
        if pace.note(try sample(port)) { clock = begin(pace.rate, port) }
        sampled()
      }
    }
  }

  private func begin(
    _ rate: Double, _ port: SourcePort<SensorReport, SensorDemand>
  ) -> SamplingClock {
    port.post(state: .running(mode: IIOCapture.pollingMode, rate: rate))
    return SamplingClock(rate: rate)
  }

  /// Puts the sensor's own rate back.
  mutating func end() { rate.restore() }

  private mutating func grant(_ wanted: Double) -> Double {
    let wanted = min(
      max(wanted, IIOCapture.polled.lowerBound), IIOCapture.polled.upperBound)
    return min(wanted, rate.set(atLeast: wanted) ?? wanted)
  }

  /// Posts one sample; gives the nanoseconds that reading it took.
  private func sample(
    _ port: SourcePort<SensorReport, SensorDemand>
  ) throws(IIORawFile.Failure) -> Int64 {
    let before = BootTime.now()
    let raw = (try x.read(), try y.read(), try z.read())
    let took = BootTime.now() - before
    let vector = frame.apply(calibration.vector(raw))
    port.post(
      sample: .sample(
        time: before + took / 2, x: vector.x, y: vector.y, z: vector.z,
        isSaturated: calibration.isSaturated(raw)))
    return took
  }

  private static func folder(of sensor: DiscoveredSensor, in tree: IIOTree) -> IIOFolder? {
    guard let folders = try? tree.devices() else { return nil }
    let accelerometers = folders.filter { IIOSensor.isAccelerometer($0) }
    let paths = IIOPlace.distinct(accelerometers.map(IIOSensor.path))
    return zip(accelerometers, paths).first { $1 == sensor.sensor.path }?.0
  }
}
