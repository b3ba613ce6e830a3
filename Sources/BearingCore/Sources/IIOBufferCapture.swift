internal import BearingModel
internal import Glibc

/// One run of reading the kernel's buffer, from opening the device to the first error or the end.
struct IIOBufferCapture: IIOSession {
  /// Nanoseconds without a sample after which the buffer is given up.
  static let silentTime = 2 * Nanoseconds.second
  /// Periods of the sensor that this lasts at least.
  static let silentPeriods = 3.0
  /// Looks in that time. `poll` does not wake when the device is unplugged (Linux 6.1): only reading
  /// tells. And what was waited for is added up, so that a suspended machine has not been silent.
  static let looks = 4
  /// Scans that are read at a time.
  static let readAtOnce = 64
  /// Nanoseconds to wait when the device is said to be readable and is not.
  static let spuriousDelay = 10 * Nanoseconds.millisecond

  private let opened: IIOOpenedSensor
  private let modes: IIOModes
  private let node: IIOBufferNode
  private var setup: IIOBufferSetup

  /// Opens the device node of a sensor; nothing is set yet.
  init(
    _ opened: IIOOpenedSensor, tree: IIOTree, modes: IIOModes, originals: IIOOriginals?
  ) throws(IIOFailure) {
    self.opened = opened
    self.modes = modes
    guard let nodes = tree.nodes, let files = IIOBufferFiles(opened.folder) else {
      throw .unreadable(reason: "the sensor has no buffer")
    }
    do throws(SystemError) {
      node = try IIOBufferNode("\(nodes)/\(opened.folder.identifier)")
    } catch {
      let others = error.code == EBUSY ? "; another program reads it" : ""
      throw .unreadable(reason: "cannot \(error)\(others)")
    }
    setup = IIOBufferSetup(opened, files: files, tree: tree, originals: originals)
  }

  mutating func run(
    _ port: SourcePort<SensorReport, SensorDemand>, sampled: () -> Void
  ) throws(IIOFailure) {
    let layout = try setup.choose(timer: modes.mode == .trigger)
    var times = IIOScanTimes(start: .now())
    while !port.isStopping {
      if try setup.fill(atLeast: port.demand.rate) {
        node.prepare(capacity: Self.readAtOnce * layout.size)
        times.rate = setup.rate
        port.post(
          state: .running(
            mode: modes.mode.rawValue, rate: setup.rate, reason: modes.reason, files: node.path))
      }
      try read(layout, &times, port, sampled)
    }
  }

  /// Reads until the port wants something.
  private func read(
    _ layout: IIOScanLayout, _ times: inout IIOScanTimes,
    _ port: SourcePort<SensorReport, SensorDemand>, _ sampled: () -> Void
  ) throws(IIOFailure) {
    let period = Double(Nanoseconds.second) / setup.rate
    let silentTime = max(Self.silentTime, Int64(Self.silentPeriods * period))
    let look = silentTime / Int64(Self.looks)
    var silent: Int64 = 0
    while true {
      let event = port.wait(readable: node.descriptor, until: .now() + look)
      if event == .control { return }
      if try node.read(), post(layout, &times, port) {
        silent = 0
        sampled()
        continue
      }
      if event == .readable, port.wait(until: .now() + Self.spuriousDelay) == .control { return }
      silent += event == .readable ? Self.spuriousDelay : look
      if silent >= look * Int64(Self.looks) { throw silence(silentTime) }
    }
  }

  /// Puts the sensor's own settings back.
  mutating func end() { setup.restore() }

  /// Posts the whole scans that were read; whether there was one.
  private func post(
    _ layout: IIOScanLayout, _ times: inout IIOScanTimes,
    _ port: SourcePort<SensorReport, SensorDemand>
  ) -> Bool {
    let now = BootTime.now()
    let offset = setup.clock.offset()
    let count = node.count / layout.size
    for index in 0..<count {
      let start = index * layout.size
      let stamp = layout.timestamp.map { field in
        BootTime(nanoseconds: field.value(in: node.bytes, at: start) &+ offset)
      }
      let time = times.next(stamp, later: count - 1 - index, now: now)
      port.post(sample: opened.report(layout.raw(in: node.bytes, at: start), at: time))
    }
    node.drop(count * layout.size)
    return count > 0
  }

  private func silence(_ time: Int64) -> IIOFailure {
    guard opened.folder.isThere else { return .gone }
    return .silent(reason: "\(node.path) gave nothing for \(time / Nanoseconds.second) s")
  }
}
