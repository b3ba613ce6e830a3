public import BearingModel

/// The answer to a call for one position.
public struct OneShotFix: Sendable, Equatable {
  /// The position.
  public var fix: Fix
  /// How old it was when it was sent.
  public var age: Duration
  /// Whether it is only the best that came in time, not as accurate as was asked for.
  public var isBestEffort: Bool
}

/// The last position that the daemon knows of.
public struct LastKnownFix: Sendable, Equatable {
  /// The position, however old, also from before a reboot; nil when there never was one.
  public var fix: Fix?
  /// How old it was when it was sent; nil when there is none, or it is from another boot: its
  /// `timestamp` then says how old it is.
  public var age: Duration?
  /// How far a position can be relied on now.
  public var state: LocationState
}

/// One sample of acceleration and where it comes from.
public struct OneShotSample: Sendable, Equatable, Decodable {
  /// The sample.
  public var sample: AccelerationSample
  /// The sensor, in the kernel's name for it.
  public var sensor: String
}

/// The machine's accelerometers.
public struct SensorList: Sendable, Equatable, Decodable {
  /// Each one, in the order of the kernel's names.
  public var sensors: [Sensor]
  /// What the one that is used by default can give now; what another one in use can, when that is off.
  public var state: AccelerometerState
}

/// What the daemon says of itself.
public struct DaemonStatus: Sendable, Equatable {
  /// Its version.
  public var version: String
  /// Its process.
  public var pid: Int
  /// How long it has run, suspends included.
  public var uptime: Duration
  /// Each kind of device with its state.
  public var devices: [DeviceStatus]
  /// Connections that are open, this one included.
  public var clients: Int
  /// What is wrong, for people.
  public var warnings: [String]
}

// MARK: How they are written on the wire

extension OneShotFix: Decodable {
  private enum Member: CodingKey { case fix, age, bestEffort }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    fix = try members.decode(Fix.self, forKey: .fix)
    age = .milliseconds(try members.decode(Int.self, forKey: .age))
    isBestEffort = try members.flag(.bestEffort)
  }
}

extension LastKnownFix: Decodable {
  private enum Member: CodingKey { case fix, age, state }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    fix = try members.decodeIfPresent(Fix.self, forKey: .fix)
    age = try members.milliseconds(.age)
    state = try members.decode(LocationState.self, forKey: .state)
  }
}

extension DaemonStatus: Decodable {
  private enum Member: CodingKey { case version, pid, uptime, devices, clients, warnings }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    version = try members.decode(String.self, forKey: .version)
    pid = try members.decode(Int.self, forKey: .pid)
    uptime = .microseconds(try members.decode(Int.self, forKey: .uptime))
    devices = try members.decode([DeviceStatus].self, forKey: .devices)
    clients = try members.decode(Int.self, forKey: .clients)
    warnings = try members.decode([String].self, forKey: .warnings)
  }
}
