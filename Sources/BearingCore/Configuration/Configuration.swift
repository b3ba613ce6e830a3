public import Varlink

/// What the administrator decides, every value at its default unless a file says otherwise.
public struct Configuration: Sendable, Equatable {
  /// `[Daemon]`
  public var daemon: DaemonSettings = DaemonSettings()
  /// `[Location]`
  public var location: LocationSettings = LocationSettings()
  /// `[Accelerometer]`
  public var accelerometer: AccelerometerSettings = AccelerometerSettings()
  /// `[Access]`
  public var access: AccessSettings = AccessSettings()
  /// `[Preferences]`: values that are fixed for all users, by their keys.
  public var preferences: [String: JSON] = [:]
  /// `[Limits]`
  public var limits: Limits = Limits()

  /// Every value at its default.
  public init() {}
}

/// The daemon as a whole.
public struct DaemonSettings: Sendable, Equatable {
  /// Where to listen; nil for `io.bearing` in the runtime directory.
  public var socket: String?
  /// Whether the devices are made at start and not at first use.
  public var isEager: Bool = false
}

/// Where a device's samples come from.
public enum SourceChoice: Sendable, Equatable {
  /// gpsd, or Linux IIO.
  case hardware
  /// A device that the daemon simulates.
  case simulation
  /// A recording at this path, played in its own time.
  case replay(String)
  /// No device.
  case none
}

/// Where the machine is.
public struct LocationSettings: Sendable, Equatable {
  /// gpsd, a simulation, a recording or none.
  public var source: SourceChoice = .hardware
  /// The host that gpsd listens on.
  public var gpsdHost: String = "localhost"
  /// The TCP port that gpsd listens on.
  public var gpsdPort: Int = 2947
  /// The receivers to use, the best first; empty for any that gpsd has.
  public var receivers: [ReceiverSettings] = []
  /// Whether the accelerometer may tell that the machine stands still.
  public var useAccelerometer: UseAccelerometer = .opportunistic
}

/// One receiver that location may use.
public struct ReceiverSettings: Sendable, Equatable {
  /// gpsd's name for it, such as /dev/ttyACM0.
  public var device: String
  /// What the accuracy that it states itself is multiplied by to be a radius of 68 %.
  public var accuracyFactor: Double = 1
}

/// When location uses the accelerometer.
public enum UseAccelerometer: String, Sendable, CaseIterable {
  /// While it runs for somebody anyway.
  case opportunistic
  /// It is started for location's sake.
  case always
  /// Never.
  case no
}

/// How the machine is held and moved.
public struct AccelerometerSettings: Sendable, Equatable {
  /// Linux IIO, a simulation, a recording or none.
  public var source: SourceChoice = .hardware
  /// Where sysfs is mounted.
  public var sysfsRoot: String = "/sys"
  /// Where the device nodes are.
  public var deviceRoot: String = "/dev"
  /// A folder of iio:deviceN.props files to read instead of the device database; nil for that.
  public var udevRoot: String?
  /// Nine numbers, row by row, that turn the sensor's axes into the machine's; nil to ask the system.
  public var mountMatrix: [Double]?
  /// Metres per second squared to take from the sensor's own axes; nil for nothing.
  public var bias: SIMD3<Double>?
  /// What to multiply the sensor's own axes with then; nil for nothing.
  public var scaleFactor: SIMD3<Double>?
  /// The sensor to use where a caller names none: its name, path or label; nil to choose one.
  public var sensor: String?
}

/// How exactly somebody may know where the machine is.
public enum Precision: String, Sendable, CaseIterable {
  /// The fix as it is, and samples of acceleration.
  case precise
  /// A cell of a grid, every ten minutes.
  case approximate
  /// Nothing.
  case denied
}

/// What everybody may have of the accelerometer.
public enum MotionAccess: String, Sendable, CaseIterable {
  /// Orientation and tilt; samples by the rule for location.
  case orientation
  /// Samples too.
  case samples
  /// Nothing; all of it by the rule for location.
  case denied
}

/// Who may know what. Users come before groups, and both before the default.
public struct AccessSettings: Sendable, Equatable {
  /// A rule for one name.
  public struct Rule: Sendable, Equatable {
    /// A user's or a group's name, or its number.
    public var name: String
    /// What it may know.
    public var precision: Precision
  }

  /// Rules for users, in the order of their first mention.
  public var users: [Rule] = []
  /// Rules for groups, in the order of their first mention: the first that matches counts.
  public var groups: [Rule] = []
  /// For those whom no rule names.
  public var standard: Precision = .denied
  /// What everybody may have of the accelerometer.
  public var motion: MotionAccess = .orientation
  /// Nanoseconds between two looks at the position for those who may know it approximately.
  public var approximateInterval: Int64 = 600 * Nanoseconds.second
}
