internal import BearingModel

/// Reads one accelerometer, in the best way that works: see `IIOMode`.
struct IIOCapture: Source {
  /// Nanoseconds before the first new attempt after a failure; each next one waits twice as long.
  static let firstDelay = 100 * Nanoseconds.millisecond
  /// Nanoseconds between attempts at most.
  static let longestDelay = 5 * Nanoseconds.second

  let tree: IIOTree
  let sensor: DiscoveredSensor
  let paths: IIOPaths
  let memory: IIOModeMemory
  let originals: IIOOriginals?

  var summary: String { "\(sensor.sensor.identifier) (\(sensor.sensor.name))" }
  var isSimulated: Bool { sensor.sensor.simulated }

  func run(_ port: SourcePort<SensorReport, SensorDemand>) {
    var delay = Self.firstDelay
    var modes: IIOModes?
    while !port.isStopping {
      do throws(IIOFailure) {
        originals?.putBack(sensor.sensor.identifier, in: tree)
        let opened = try IIOOpenedSensor(sensor, in: tree, paths)
        var current =
          modes
          ?? IIOModes(
            IIOMode.offered(by: opened.folder, in: tree), failed: memory.failed(sensor.sensor))
        defer { modes = current }
        try sample(opened, &current, port) { delay = Self.firstDelay }
      } catch {
        guard let reason = error.reason else {
          memory.forget(sensor.sensor)
          port.post(state: .gone)
          return
        }
        port.post(state: .failing(reason: reason))
        pause(delay, port)
        delay = min(2 * delay, Self.longestDelay)
      }
    }
  }

  /// Samples in the best way that works, until the port says stop; throws what even the last one
  /// failed of.
  private func sample(
    _ opened: IIOOpenedSensor, _ modes: inout IIOModes,
    _ port: SourcePort<SensorReport, SensorDemand>, sampled: () -> Void
  ) throws(IIOFailure) {
    while true {
      let current = modes
      do throws(IIOFailure) {
        var session = try session(opened, current)
        defer { session.end() }
        var isTold = false
        try session.run(port) {
          if !isTold { memory.tell(sensor.sensor, current) }
          isTold = true
          sampled()
        }
        return
      } catch {
        if case .silent(let reason) = error {
          memory.note(sensor.sensor, current.mode, gaveNothing: reason)
        }
        guard let reason = error.reason, modes.leave(because: reason) else { throw error }
      }
    }
  }

  private func session(
    _ opened: IIOOpenedSensor, _ modes: IIOModes
  ) throws(IIOFailure) -> any IIOSession {
    switch modes.mode {
    case .polling: return try IIOPolling(opened, modes: modes, originals: originals)
    case .buffer, .trigger:
      return try IIOBufferCapture(opened, tree: tree, modes: modes, originals: originals)
    }
  }

  private func pause(_ delay: Int64, _ port: SourcePort<SensorReport, SensorDemand>) {
    let end = BootTime.now() + delay
    while !port.isStopping, port.wait(until: end) != .deadline {}
  }
}

/// One run of reading a sensor in one way.
protocol IIOSession {
  /// Posts samples until the port says stop. `sampled` is called when some have come.
  mutating func run(
    _ port: SourcePort<SensorReport, SensorDemand>, sampled: () -> Void
  ) throws(IIOFailure)

  /// Puts the sensor's own settings back.
  mutating func end()
}
