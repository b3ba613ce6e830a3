internal import BearingModel

/// Finds the accelerometers of a tree: once, and again each time its demand changes.
struct IIODiscovery: Source {
  let sources: IIOSources
  let isSimulated: Bool
  let root: String

  var summary: String { "accelerometers in \(root)/bus/iio/devices" }

  func run(_ port: SourcePort<SensorListReport, SensorListDemand>) {
    while !port.isStopping {
      let revision = port.demand.revision
      do throws(SystemError) {
        if try look(port, revision) { continue }
      } catch {
        port.post(state: .failing(reason: "cannot \(error)", revision: revision))
        _ = port.wait()
      }
    }
  }

  /// Posts what is there, and once more each sensor that was slow to tell of itself, until another
  /// look is wanted; true when it was already while this one took place.
  private func look(
    _ port: SourcePort<SensorListReport, SensorListDemand>, _ revision: Int
  ) throws(SystemError) -> Bool {
    let readers = sources.readers
    let folders = try sources.accelerometers()
    try readers.begin(folders, sources.read)
    var isWantedAgain = false
    waiting: while let end = readers.end(of: folders) {
      switch port.wait(readable: readers.wake.descriptor, until: end) {
      case .readable: readers.wake.clear()
      case .deadline: break waiting
      case .control:
        if port.isStopping { return false }
        isWantedAgain = true
      }
    }
    var posted = sources.assemble(folders, readers.readings(of: folders, sources.silent))
    port.post(state: .sensors(posted, revision: revision))
    if isWantedAgain { return true }
    while case .readable = port.wait(readable: readers.wake.descriptor) {
      readers.wake.clear()
      let sensors = sources.assemble(folders, readers.readings(of: folders, sources.silent))
      if sensors != posted { port.post(state: .sensors(sensors, revision: revision)) }
      posted = sensors
    }
    return false
  }
}
