internal import BearingModel

/// What is set for a sensor's buffer, in the order that the kernel asks for: while it is off, rate
/// and trigger and channels, then its length, then its watermark; then it is switched on.
struct IIOBufferSetup {
  /// Nanoseconds of samples that the kernel collects before it wakes the daemon: no reader sees the
  /// difference, and at high rates it saves most wake-ups.
  static let batchTime = 20 * Nanoseconds.millisecond
  /// Nanoseconds of samples that the kernel keeps while the daemon is held up.
  static let keptTime = 2 * Nanoseconds.second
  /// Scans that it keeps at least and at most.
  static let kept = 16...4096
  /// Hertz between which a sensor is run.
  static let rates = 0.001...1000.0

  private static let clockFile = "current_timestamp_clock"
  private static let on = "1"
  private static let off = "0"

  /// The clock of the scans' times.
  private(set) var clock = KernelClock.realtime
  /// Hertz that the sensor was last set to.
  private(set) var rate = 0.0

  private let folder: IIOFolder
  private let files: IIOBufferFiles
  private let tree: IIOTree
  private var settings: IIOSettings
  private let sensorRate: IIORateControl
  private var timer: IIOTimer?
  private var timerRate: IIORateControl?
  private var isFilling = false

  /// Of a sensor whose device node this process alone has open.
  init(
    _ opened: IIOOpenedSensor, files: IIOBufferFiles, tree: IIOTree, originals: IIOOriginals?
  ) {
    folder = opened.folder
    self.files = files
    self.tree = tree
    settings = IIOSettings(folder, file: originals)
    var attributes = IIOAttributes(folder)
    sensorRate = IIORateControl(&attributes)
  }

  /// Chooses trigger, channels and clock; gives the layout of the scans.
  mutating func choose(timer isTimed: Bool) throws(IIOFailure) -> IIOScanLayout {
    do throws(SystemError) {
      // Nobody else can use the buffer now: if it is on, a daemon that was killed left it so.
      settings.keep(files.enable, in: folder, as: Self.off)
      try folder.write(Self.off, to: files.enable)
      try chooseTrigger(isTimed)
      for axis in IIOSensor.axes {
        try settings.set(files.switching("in_accel_\(axis)"), in: folder, to: Self.on)
      }
    } catch {
      throw IIOFailure(error, on: folder)
    }
    // Times are welcome, and can do without.
    let stamps = files.switching(IIOScanLayout.timestampName)
    if folder.has(stamps) { try? settings.set(stamps, in: folder, to: Self.on) }
    chooseClock()
    let enabled = try files.enabled(folder)
    do throws(TextProblem) {
      return try IIOScanLayout(enabled)
    } catch {
      throw .unreadable(reason: "\(folder.path): \(error.reason)")
    }
  }

  private mutating func chooseTrigger(_ isTimed: Bool) throws(SystemError) {
    let file = IIOTrigger.current
    guard folder.has(file) else { return }
    var trigger = IIOTrigger.own(of: folder, in: tree)
    if isTimed {
      let timer = try IIOTimer(for: folder, in: tree)
      self.timer = timer
      trigger = timer.name
    }
    guard let trigger else { return }
    // A killed daemon's timer is not what the sensor had.
    let isOurs = IIOTrigger.chosen(folder).map(IIOTimer.isOurs) ?? false
    try settings.set(file, in: folder, to: trigger, original: isOurs ? "" : nil)
    if let folder = IIOTrigger.folder(named: trigger, in: tree), folder.has(IIOTrigger.rate) {
      var attributes = IIOAttributes(folder)
      // A timer takes any rate, and says none.
      let any = IIORates.range(
        least: Self.rates.lowerBound, step: 0, most: Self.rates.upperBound)
      timerRate = IIORateControl(&attributes, rates: any)
    }
  }

  private mutating func chooseClock() {
    guard folder.has(Self.clockFile) else { return }
    try? settings.set(Self.clockFile, in: folder, to: KernelClock.boottime.rawValue)
    clock = (try? folder.text(Self.clockFile)).flatMap(KernelClock.init) ?? .realtime
  }

  /// Has the buffer filled at `wanted` hertz or the next rate above that; whether it was begun anew.
  mutating func fill(atLeast wanted: Double) throws(IIOFailure) -> Bool {
    let wanted = min(max(wanted, Self.rates.lowerBound), Self.rates.upperBound)
    let isAsWanted =
      sensorRate.isSet(atLeast: wanted) && timerRate?.isSet(atLeast: wanted) ?? true
    if isFilling, isAsWanted { return false }
    stop()
    let granted = sensorRate.set(atLeast: wanted, in: &settings) ?? wanted
    rate = timerRate?.set(atLeast: wanted, in: &settings) ?? granted
    let kept = Self.scans(in: Self.keptTime, at: rate)
    let length = min(max(kept, Self.kept.lowerBound), Self.kept.upperBound)
    do throws(SystemError) {
      // What cannot be set stays as it is: then it is read in other batches.
      try? settings.set(files.length, in: folder, to: String(length))
      if folder.has(files.watermark) {
        try? settings.set(
          files.watermark, in: folder,
          to: String(max(1, Self.scans(in: Self.batchTime, at: rate))))
      }
      try folder.write(Self.on, to: files.enable)
    } catch {
      throw IIOFailure(error, on: folder)
    }
    isFilling = true
    return true
  }

  private static func scans(in time: Int64, at rate: Double) -> Int {
    Int(Double(time) * rate / Double(Nanoseconds.second))
  }

  private mutating func stop() {
    guard isFilling else { return }
    isFilling = false
    try? folder.write(Self.off, to: files.enable)
  }

  /// Switches the buffer off and puts everything back.
  mutating func restore() {
    isFilling = false
    settings.restore()
    timer?.remove()
    timer = nil
  }
}
