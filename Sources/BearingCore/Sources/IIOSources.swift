internal import BearingModel

/// Accelerometers in Linux' IIO tree.
public struct IIOSources: AccelerometerSources {
  /// The one place where the machine's own sysfs is.
  static let machineRoot = "/sys"
  /// The one place where the machine's own device nodes are.
  static let machineDevices = "/dev"

  private let tree: IIOTree
  private let database: IIODatabase
  private let configured: IIOConfigured?
  private let preferred: String?
  private let isSimulated: Bool
  private let memory = IIOModeMemory()
  private let originals: IIOOriginals?
  private let paths = IIOPaths()
  let readers = IIOReaders()

  /// Sensors as `[Accelerometer]` of the configuration has them.
  ///
  /// A tree or a database other than the machine's own marks all that comes from it as simulated.
  /// A mount matrix, bias and scale of the configuration are for the sensor that answers those who name none.
  /// What a killed daemon has left changed, and `originals` has on file, is put back meanwhile.
  public init(_ settings: AccelerometerSettings, originals: IIOOriginals? = nil) {
    let isMachine = IIOTree(root: settings.sysfsRoot).root == Self.machineRoot
    // Another tree's sensors are not the ones that this machine's nodes belong to.
    let areMachineNodes = settings.deviceRoot == Self.machineDevices
    let nodes = isMachine || !areMachineNodes ? settings.deviceRoot : nil
    tree = IIOTree(root: settings.sysfsRoot, nodes: nodes)
    database =
      settings.udevRoot.map(IIODatabase.folder) ?? (isMachine ? IIODatabase.udev : .none)
    configured = IIOConfigured(settings)
    preferred = settings.sensor
    isSimulated =
      !isMachine || settings.udevRoot != nil || !areMachineNodes
    self.originals = originals
    originals?.putBackAll(in: tree)
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
    IIOCapture(tree: tree, sensor: sensor, paths: paths, memory: memory, originals: originals)
  }

  // MARK: For the discovery

  /// The devices that are accelerometers.
  func accelerometers() throws(SystemError) -> [IIOFolder] {
    try tree.devices().filter(IIOSensor.isAccelerometer)
  }

  /// Reads what there is to know of a sensor; blocks for as long as its driver does.
  @Sendable func read(_ folder: IIOFolder, _ progress: IIOProgress) -> IIOReading {
    originals?.putBack(folder.identifier, in: tree)
    func sensor(_ configured: IIOConfigured?) -> DiscoveredSensor {
      IIOSensor.read(
        folder, in: tree, database: database, configured: configured, isSimulated: isSimulated,
        progress: progress)
    }
    return IIOReading(plain: sensor(nil), configured: configured.map(sensor))
  }

  /// What is known of a sensor whose reading has come that far, and no farther in time.
  func silent(_ folder: IIOFolder, _ progress: IIOProgress) -> DiscoveredSensor {
    IIOSensor.silent(folder, progress, isSimulated: isSimulated)
  }

  /// The sensors in `folders` that were read, told apart, with the configuration for the one that it
  /// means.
  func assemble(_ folders: [IIOFolder], _ readings: [IIOReading]) -> [DiscoveredSensor] {
    var found = readings.map(\.plain)
    let paths = paths.distinct(zip(folders, found).map { ($0.spot, $1.sensor.path) })
    for index in found.indices { found[index].sensor.path = paths[index] }
    if case .sensor(let chosen) = SensorChooser.choose(
      from: found, named: nil, configured: preferred),
      let index = found.firstIndex(of: chosen), var configured = readings[index].configured
    {
      configured.sensor.path = paths[index]
      found[index] = configured
    }
    return found
  }
}
