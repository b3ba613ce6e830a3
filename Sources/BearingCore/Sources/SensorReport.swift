public import BearingModel

/// What is asked of the source that finds sensors: to look, and to look again when this changes.
public struct SensorListDemand: Sendable, Equatable {
  /// A number that rises: another one is the wish to have the sensors posted again.
  public var revision: Int

  /// The wish of that number.
  public init(revision: Int = 0) {
    self.revision = revision
  }
}

/// What the source that finds sensors posts: with the number of the wish that was there when it began
/// to look, since a sensor may have come or gone after that.
public enum SensorListReport: Sendable, Equatable {
  /// Every accelerometer there is now, usable or not.
  case sensors([DiscoveredSensor], revision: Int)
  /// They cannot be listed now.
  case failing(reason: String, revision: Int)
}

/// One accelerometer as found: what clients see of it, and what choosing one needs.
public struct DiscoveredSensor: Sendable, Equatable {
  /// What clients see.
  public var sensor: Sensor
  /// The label or location text as given by the driver or udev; nil when there is none.
  public var label: String?
  /// Whether it belongs to something that is unplugged in use, such as a game pad.
  public var isRemovable: Bool
  /// Why it cannot be used; nil when it can.
  public var unusable: String?

  /// A sensor as found.
  public init(sensor: Sensor, label: String?, isRemovable: Bool, unusable: String?) {
    self.sensor = sensor
    self.label = label
    self.isRemovable = isRemovable
    self.unusable = unusable
  }
}

/// What is asked of the source that reads one sensor.
public struct SensorDemand: Sendable, Equatable {
  /// Hertz: the highest rate that any stream asks for.
  public var rate: Double

  /// That rate.
  public init(rate: Double) {
    self.rate = rate
  }
}

/// What the source that reads one sensor posts.
public enum SensorReport: Sendable, Equatable {
  /// Sampling started or changed: how, and the rate that was granted; why not in a better way, nil
  /// for the best; the files that are read, empty where there is none.
  case running(mode: String, rate: Double, reason: String? = nil, files: String = "")
  /// One vector in the device frame, metres per second squared, with the time of the sample.
  ///
  /// Saturated: every axis is at the limit of what the sensor can give, so it is no measurement.
  case sample(time: BootTime, x: Double, y: Double, z: Double, isSaturated: Bool = false)
  /// It cannot be read now; the source goes on trying.
  case failing(reason: String)
  /// It is gone; the source returns.
  case gone
}

/// How it shows that a sensor came or went.
public enum SensorChanges: Sendable, Equatable {
  /// None ever does.
  case never
  /// udev tells of this kind of device; where there is no udev, by looking again.
  case told(DeviceMonitor.Kind)
  /// By looking again.
  case seen
}

/// How accelerometers are found and read: the IIO tree, or a simulation.
public protocol AccelerometerSources: Sendable {
  /// How it shows that a sensor came or went.
  var changes: SensorChanges { get }
  /// The source that finds sensors.
  func discovery() -> any Source<SensorListReport, SensorListDemand>
  /// The source that reads one of the sensors that were found.
  func capture(_ sensor: DiscoveredSensor) -> any Source<SensorReport, SensorDemand>
}
