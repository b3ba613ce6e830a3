public import BearingModel

/// What one running sensor's reports mean: its state, its samples, how the device is held.
///
/// Pure: it reads no clock and does no I/O. Its owner passes reports and the time, arms a timer for
/// `deadline`, and tells its streams what an outcome says has changed.
public struct SensorEngine: Sendable {
  /// Nanoseconds without a sample after which a sensor of any rate counts as stale.
  static let staleTime = 2 * Nanoseconds.second
  /// Periods of the sensor without a sample after which it counts as stale, if that is longer.
  static let stalePeriods = 3.0

  /// What came of a report or a timer.
  public struct Outcome: Sendable, Equatable {
    /// A new sample; its state is the engine's after this outcome.
    public var sample: AccelerationSample?
    /// `state` is another.
    public var stateChanged = false
    /// `detail` is another, with the same state or not.
    public var detailChanged = false
    /// `orientation` or `tilt` is another.
    public var orientationChanged = false
    /// `mode` or `rate` is another.
    public var rateChanged = false
    /// The sensor was unplugged: its source has ended.
    public var isGone = false
  }

  /// Off until it is started.
  public private(set) var state: AccelerometerState = .off
  /// Why the state is what it is, for people; empty when there is nothing to say.
  public private(set) var detail = ""
  /// How it is sampled; empty until it says.
  public private(set) var mode = ""
  /// Why it is not sampled in a better way, for people; nil for the best.
  public private(set) var modeReason: String?
  /// Hertz that were granted; nil until it says.
  public private(set) var rate: Double?
  /// The newest sample since the start.
  public private(set) var last: AccelerationSample?
  /// Which edge of the display points up.
  public var orientation: Orientation { detector.orientation }
  /// How the display is tilted.
  public var tilt: Tilt { detector.tilt }

  /// The files that are read; empty where there is none, or until it says.
  private var files = ""
  private var scale: [Double]
  private var detector = OrientationDetector()
  private var plausibility: Plausibility
  private var sequence = 0
  /// When the last sample came, or the sensor was last started: from here it can go stale.
  private var alive = BootTime(nanoseconds: 0)

  /// An engine for `sensor`, off.
  public init(sensor: Sensor) {
    scale = sensor.scale
    plausibility = Plausibility(scale: sensor.scale)
  }

  /// The sensor was found again, perhaps with another scale.
  public mutating func replace(_ sensor: Sensor) {
    scale = sensor.scale
    plausibility = Plausibility(scale: scale)
  }

  /// Somebody listens, or the sensor came back: it is being switched on. Orientation starts as undefined again.
  public mutating func start(now: BootTime) -> Outcome {
    guard state == .off || state == .noSensor else { return Outcome() }
    detector = OrientationDetector()
    plausibility = Plausibility(scale: scale)
    last = nil
    alive = now
    return change(to: .starting, "")
  }

  /// Nobody listens any more.
  public mutating func stop() -> Outcome {
    forgetMode()
    return change(to: .off, "")
  }

  /// The machine was suspended until now, and the sensor set up anew: it has as long to answer as
  /// after a start.
  public mutating func resume(now: BootTime) {
    alive = now
  }

  /// Takes what the source posted; after `stop` it is ignored.
  public mutating func handle(_ report: SensorReport, now: BootTime) -> Outcome {
    guard state != .off, state != .noSensor else { return Outcome() }
    switch report {
    case .running(let mode, let rate, let reason, let files):
      modeReason = reason
      self.files = files
      return run(mode: mode, rate: rate, now: now)
    case .sample(let time, let x, let y, let z, let isSaturated):
      return take(time: time, x: x, y: y, z: z, isSaturated: isSaturated, now: now)
    case .failing(let reason): return change(to: .failed, reason)
    case .gone:
      detector = OrientationDetector()
      forgetMode()
      var outcome = change(to: .noSensor, "the sensor was unplugged")
      outcome.isGone = true
      return outcome
    }
  }

  /// The time went on to `now`: a sensor that gives nothing becomes stale.
  public mutating func expire(now: BootTime) -> Outcome {
    guard let deadline, now >= deadline else { return Outcome() }
    let seconds = (now - alive) / Nanoseconds.second
    return change(to: .stale, naming("the sensor gave nothing for \(seconds) s"))
  }

  /// When `expire` is next to be called; nil when time alone changes nothing.
  public var deadline: BootTime? {
    guard state == .starting || state == .live else { return nil }
    guard let rate, rate > 0 else { return alive + Self.staleTime }
    let periods = Int64(Self.stalePeriods * Double(Nanoseconds.second) / rate)
    return alive + max(Self.staleTime, periods)
  }

  private mutating func forgetMode() {
    rate = nil
    mode = ""
    modeReason = nil
    files = ""
  }

  /// A fault, with the files that it shows in.
  private func naming(_ fault: String) -> String { files.isEmpty ? fault : "\(fault): \(files)" }

  private mutating func run(mode: String, rate: Double, now: BootTime) -> Outcome {
    var outcome = Outcome()
    if state == .failed {
      outcome = change(to: .starting, "")
    }
    alive = now
    outcome.rateChanged = self.mode != mode || self.rate != rate
    self.mode = mode
    self.rate = rate
    return outcome
  }

  private mutating func take(
    time: BootTime, x: Double, y: Double, z: Double, isSaturated: Bool, now: BootTime
  ) -> Outcome {
    alive = now
    let fault = plausibility.judge(x: x, y: y, z: z, isSaturated: isSaturated, time: time)
    var outcome = fault.map { change(to: .stale, naming($0.rawValue)) } ?? change(to: .live, "")
    // JSON has no infinity, and no mean recovers from it.
    if fault == .impossible { return outcome }
    if fault == nil { outcome.orientationChanged = detector.add(x: x, y: y, z: z, time: time) }
    sequence += 1
    let sample = AccelerationSample(
      sequence: sequence, bootTimestamp: time.microseconds, x: x, y: y, z: z)
    last = sample
    outcome.sample = sample
    return outcome
  }

  private mutating func change(to state: AccelerometerState, _ detail: String) -> Outcome {
    var outcome = Outcome()
    outcome.stateChanged = self.state != state
    outcome.detailChanged = self.detail != detail
    self.state = state
    self.detail = detail
    return outcome
  }
}
