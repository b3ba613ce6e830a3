public import BearingModel

/// What a stream of positions tells.
public struct LocationUpdate: Sendable, Equatable {
  /// How far the position can be relied on now.
  public var state: LocationState
  /// The newest position, which is of now only while `state` is live; nil when there is none.
  public var fix: Fix?
  /// How old `fix` was when this was sent; nil when there is none, or it is from another boot.
  public var age: Duration?
  /// Whether this only repeats what was told before, because the heartbeat's time was over.
  public var isRepeated: Bool
  /// Updates lost before this one because the reader was slow.
  public var dropped: Int
}

/// What a stream of skies tells.
public struct SkyUpdate: Sendable, Equatable {
  /// How far the position can be relied on now.
  public var state: LocationState
  /// The satellites; nil when no receiver has told of any.
  public var sky: Sky?
  /// How old `sky` was when this was sent; nil when there is none.
  public var age: Duration?
  /// Whether this only repeats what was told before, because the heartbeat's time was over.
  public var isRepeated: Bool
  /// Updates lost before this one because the reader was slow.
  public var dropped: Int
}

/// What a stream of headings tells.
public struct HeadingUpdate: Sendable, Equatable {
  /// How far the position can be relied on now.
  public var state: LocationState
  /// The heading; nil when no receiver has told of any.
  public var heading: Heading?
  /// How old `heading` was when this was sent; nil when there is none.
  public var age: Duration?
  /// Whether this only repeats what was told before, because the heartbeat's time was over.
  public var isRepeated: Bool
  /// Updates lost before this one because the reader was slow.
  public var dropped: Int
}

/// What a stream of accelerations tells.
public struct AccelerationUpdate: Sendable, Equatable {
  /// What the sensor can give now.
  public var state: AccelerometerState
  /// The sensor, in the kernel's name for it; nil when there is none.
  public var sensor: String?
  /// Hertz that were granted; nil when the daemon does not say.
  public var actualRate: Double?
  /// The samples since the last update, oldest first; none when only the state changed.
  public var samples: [AccelerationSample]
  /// Whether this only repeats what was told before, because the heartbeat's time was over.
  public var isRepeated: Bool
  /// Samples lost before these because the reader was slow.
  public var dropped: Int
}

/// What a stream of orientations tells.
public struct OrientationUpdate: Sendable, Equatable {
  /// What the sensor can give now.
  public var state: AccelerometerState
  /// The sensor, in the kernel's name for it; nil when there is none.
  public var sensor: String?
  /// Which edge of the display points up.
  public var orientation: Orientation
  /// How the display is tilted.
  public var tilt: Tilt
  /// Whether this only repeats what was told before, because the heartbeat's time was over.
  public var isRepeated: Bool
}

/// What a stream of motions tells.
public struct MotionUpdate: Sendable, Equatable {
  /// What the sensor can give now.
  public var state: AccelerometerState
  /// The sensor, in the kernel's name for it; nil when there is none.
  public var sensor: String?
  /// What the device is doing, or what has just happened to it.
  public var motion: Motion
  /// Microseconds on CLOCK_BOOTTIME of the motion; nil when there was none yet.
  public var bootTimestamp: Int?
  /// Whether this only repeats what was told before, because the heartbeat's time was over.
  public var isRepeated: Bool
}

/// What a stream of the daemon's status tells.
public struct StatusUpdate: Sendable, Equatable {
  /// Each kind of device with its state.
  public var devices: [DeviceStatus]
  /// Connections that are open.
  public var clients: Int
  /// Whether this only repeats what was told before, because the heartbeat's time was over.
  public var isRepeated: Bool
}

// MARK: How they are written on the wire

extension LocationUpdate: Decodable {
  private enum Member: CodingKey { case state, fix, age, repeated, dropped }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    state = try members.decode(LocationState.self, forKey: .state)
    fix = try members.decodeIfPresent(Fix.self, forKey: .fix)
    age = try members.milliseconds(.age)
    isRepeated = try members.flag(.repeated)
    dropped = try members.decodeIfPresent(Int.self, forKey: .dropped) ?? 0
  }
}

extension SkyUpdate: Decodable {
  private enum Member: CodingKey { case state, sky, age, repeated, dropped }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    state = try members.decode(LocationState.self, forKey: .state)
    sky = try members.decodeIfPresent(Sky.self, forKey: .sky)
    age = try members.milliseconds(.age)
    isRepeated = try members.flag(.repeated)
    dropped = try members.decodeIfPresent(Int.self, forKey: .dropped) ?? 0
  }
}

extension HeadingUpdate: Decodable {
  private enum Member: CodingKey { case state, heading, age, repeated, dropped }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    state = try members.decode(LocationState.self, forKey: .state)
    heading = try members.decodeIfPresent(Heading.self, forKey: .heading)
    age = try members.milliseconds(.age)
    isRepeated = try members.flag(.repeated)
    dropped = try members.decodeIfPresent(Int.self, forKey: .dropped) ?? 0
  }
}

extension AccelerationUpdate: Decodable {
  private enum Member: CodingKey { case state, sensor, actualRate, samples, repeated, dropped }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    state = try members.decode(AccelerometerState.self, forKey: .state)
    sensor = try members.decodeIfPresent(String.self, forKey: .sensor)
    actualRate = try members.decodeIfPresent(Double.self, forKey: .actualRate)
    samples = try members.decodeIfPresent([AccelerationSample].self, forKey: .samples) ?? []
    isRepeated = try members.flag(.repeated)
    dropped = try members.decodeIfPresent(Int.self, forKey: .dropped) ?? 0
  }
}

extension OrientationUpdate: Decodable {
  private enum Member: CodingKey { case state, sensor, orientation, tilt, repeated }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    state = try members.decode(AccelerometerState.self, forKey: .state)
    sensor = try members.decodeIfPresent(String.self, forKey: .sensor)
    orientation = try members.decode(Orientation.self, forKey: .orientation)
    tilt = try members.decode(Tilt.self, forKey: .tilt)
    isRepeated = try members.flag(.repeated)
  }
}

extension MotionUpdate: Decodable {
  private enum Member: CodingKey { case state, sensor, motion, bootTimestamp, repeated }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    state = try members.decode(AccelerometerState.self, forKey: .state)
    sensor = try members.decodeIfPresent(String.self, forKey: .sensor)
    motion = try members.decode(Motion.self, forKey: .motion)
    bootTimestamp = try members.decodeIfPresent(Int.self, forKey: .bootTimestamp)
    isRepeated = try members.flag(.repeated)
  }
}

extension StatusUpdate: Decodable {
  private enum Member: CodingKey { case devices, clients, repeated }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    devices = try members.decode([DeviceStatus].self, forKey: .devices)
    clients = try members.decode(Int.self, forKey: .clients)
    isRepeated = try members.flag(.repeated)
  }
}

extension KeyedDecodingContainer {
  /// A time that the wire has in milliseconds; nil when it is absent.
  func milliseconds(_ key: Key) throws -> Duration? {
    try decodeIfPresent(Int.self, forKey: key).map { .milliseconds($0) }
  }

  /// A flag that the wire leaves out when it is false.
  func flag(_ key: Key) throws -> Bool {
    try decodeIfPresent(Bool.self, forKey: key) ?? false
  }
}
