internal import BearingModel

/// Accelerometers in Linux' IIO tree.
public struct IIOSources: AccelerometerSources {
  /// The one place where the machine's own sysfs is.
  static let machineRoot = "/sys"
  /// The one place where the machine's own device nodes are.
  static let machineDevices = "/dev"

  private let tree: IIOTree
  private let database: IIODatabase
  private let configured: MountMatrix?
  private let preferred: String?
  private let isSimulated: Bool
  private let memory = IIOModeMemory()

  /// Sensors as `[Accelerometer]` of the configuration has them.
  ///
  /// A tree or a database other than the machine's own marks all that comes from it as simulated.
  /// A mount matrix of the configuration is for the sensor that answers those who name none.
  public init(_ settings: AccelerometerSettings) {
    let isMachine = IIOTree(root: settings.sysfsRoot).root == Self.machineRoot
    // Another tree's sensors are not the ones that this machine's nodes belong to.
    let areMachineNodes = settings.deviceRoot == Self.machineDevices
    let nodes = isMachine || !areMachineNodes ? settings.deviceRoot : nil
    tree = IIOTree(root: settings.sysfsRoot, nodes: nodes)
    database =
      settings.udevRoot.map(IIODatabase.folder) ?? (isMachine ? IIODatabase.udev : .none)
    configured = settings.mountMatrix.flatMap { try? MountMatrix($0) }
    preferred = settings.sensor
    isSimulated =
      !isMachine || settings.udevRoot != nil || !areMachineNodes
  }

  /// udev's for the machine's own tree: it knows nothing of another one.
  public var changes: SensorChanges {
    tree.root == Self.machineRoot
      ? .told(DeviceMonitor.Kind(subsystem: "iio", type: "iio_device")) : .seen
  }

  /// The source that finds sensors.
  public func discovery() -> any Source<SensorListReport, SensorListDemand> {
    IIODiscovery(sources: self, isSimulated: isSimulated, root: tree.root)
  }

  /// The source that reads one of the sensors that were found.
  public func capture(_ sensor: DiscoveredSensor) -> any Source<SensorReport, SensorDemand> {
    IIOCapture(tree: tree, sensor: sensor, memory: memory)
  }

  /// Reads every accelerometer of the tree.
  func sensors() throws(SystemError) -> [DiscoveredSensor] {
    let folders = try tree.devices()
    var found = read(folders, configured: nil)
    if let configured,
      case .sensor(let chosen) = SensorChooser.choose(
        from: found, named: nil, configured: preferred),
      let index = found.firstIndex(of: chosen)
    {
      found[index] = read(folders, configured: configured)[index]
    }
    return found
  }

  private func read(_ folders: [IIOFolder], configured: MountMatrix?) -> [DiscoveredSensor] {
    var found = folders.compactMap { folder in
      IIOSensor.read(
        folder, in: tree, database: database, configured: configured, isSimulated: isSimulated)
    }
    let paths = IIOPlace.distinct(found.map(\.sensor.path))
    for index in found.indices { found[index].sensor.path = paths[index] }
    return found
  }
}

/// Finds the accelerometers of a tree: once, and again each time its demand changes.
struct IIODiscovery: Source {
  let sources: IIOSources
  let isSimulated: Bool
  let root: String

  var summary: String { "accelerometers in \(root)/bus/iio/devices" }

  func run(_ port: SourcePort<SensorListReport, SensorListDemand>) {
    while !port.isStopping {
      do throws(SystemError) {
        port.post(state: .sensors(try sources.sensors()))
      } catch {
        port.post(state: .failing(reason: "cannot \(error)"))
      }
      _ = port.wait()
    }
  }
}
