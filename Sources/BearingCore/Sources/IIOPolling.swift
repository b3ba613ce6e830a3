internal import BearingModel

/// One run of polling, from opening the files to the first error or the end.
struct IIOPolling: IIOSession {
  /// Hertz between which a sensor is polled.
  static let rates = 0.001...1000.0

  private let opened: IIOOpenedSensor
  private let modes: IIOModes
  private let x: IIORawFile
  private let y: IIORawFile
  private let z: IIORawFile
  private let rate: IIORateControl
  private var settings: IIOSettings

  /// Opens the files of a sensor.
  init(
    _ opened: IIOOpenedSensor, modes: IIOModes, originals: IIOOriginals?
  ) throws(IIOFailure) {
    self.opened = opened
    self.modes = modes
    x = try IIORawFile(opened.folder, "in_accel_x_raw")
    y = try IIORawFile(opened.folder, "in_accel_y_raw")
    z = try IIORawFile(opened.folder, "in_accel_z_raw")
    var attributes = IIOAttributes(opened.folder)
    rate = IIORateControl(&attributes)
    settings = IIOSettings(opened.folder, file: originals)
  }

  mutating func run(
    _ port: SourcePort<SensorReport, SensorDemand>, sampled: () -> Void
  ) throws(IIOFailure) {
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
    port.post(
      state: .running(
        mode: modes.mode.rawValue, rate: rate, reason: modes.reason,
        files: "\(opened.folder.path)/in_accel_*_raw"))
    return SamplingClock(rate: rate)
  }

  /// Puts the sensor's own rate back.
  mutating func end() { settings.restore() }

  private mutating func grant(_ wanted: Double) -> Double {
    let wanted = min(max(wanted, Self.rates.lowerBound), Self.rates.upperBound)
    return min(wanted, rate.set(atLeast: wanted, in: &settings) ?? wanted)
  }

  /// Posts one sample; gives the nanoseconds that reading it took.
  private func sample(
    _ port: SourcePort<SensorReport, SensorDemand>
  ) throws(IIOFailure) -> Int64 {
    let before = BootTime.now()
    let raw = (try x.read(), try y.read(), try z.read())
    let took = BootTime.now() - before
    port.post(sample: opened.report(raw, at: before + took / 2))
    return took
  }
}
