/// Where a device is as regards a region.
public enum RegionState: String, WireEnumeration, BitwiseCopyable {
  case unknown, inside, outside
}

/// What happened at a region.
public enum RegionEventKind: String, WireEnumeration {
  case enter, exit, dwell
  /// An event of a newer daemon; this one never sends it.
  case unknown
}

/// A circle that is watched for its owner, also while the owner is away.
public struct Region: Sendable, Equatable, Codable {
  /// The owner's name for it: 1 to 64 characters of UTF-8 without control characters.
  public var identifier: String
  /// Degrees, −90 to 90, north positive.
  public var latitude: Double
  /// Degrees, −180 to 180, east positive.
  public var longitude: Double
  /// Metres, above 0.
  public var radius: Double
  /// Milliseconds inside after which there is an event; nil for none.
  public var dwell: Int?
  /// Where the device is now.
  public var state: RegionState

  /// A region where the device is not known to be inside or outside.
  public init(
    identifier: String, latitude: Double, longitude: Double, radius: Double, dwell: Int? = nil,
    state: RegionState = .unknown
  ) {
    self.identifier = identifier
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
    self.dwell = dwell
    self.state = state
  }
}

/// Something that happened at a region.
public struct RegionEvent: Sendable, Equatable, Codable {
  /// Rises by one with each event of the owner's.
  public var sequence: Int
  /// The region's identifier.
  public var identifier: String
  /// What happened.
  public var kind: RegionEventKind
  /// Microseconds in UTC since 1970, as the receiver says; nil when it says none.
  public var timestamp: Int?
  /// Microseconds on CLOCK_BOOTTIME; nil for an event from before this boot.
  public var bootTimestamp: Int?
  /// Degrees: where the device was.
  public var latitude: Double
  /// Degrees: where the device was.
  public var longitude: Double
  /// Metres, 68 %; nil when unknown.
  public var horizontalAccuracy: Double?

  /// An event as given.
  public init(
    sequence: Int, identifier: String, kind: RegionEventKind, timestamp: Int?, bootTimestamp: Int?,
    latitude: Double, longitude: Double, horizontalAccuracy: Double?
  ) {
    self.sequence = sequence
    self.identifier = identifier
    self.kind = kind
    self.timestamp = timestamp
    self.bootTimestamp = bootTimestamp
    self.latitude = latitude
    self.longitude = longitude
    self.horizontalAccuracy = horizontalAccuracy
  }
}

extension Region: WireWritable {
  /// Writes the wire's `Region`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("identifier", identifier)
      writer.member("latitude", latitude, decimals: Decimals.degrees)
      writer.member("longitude", longitude, decimals: Decimals.degrees)
      writer.member("radius", radius, decimals: Decimals.metres)
      writer.member("dwell", dwell)
      writer.member("state", state.rawValue)
    }
  }
}

extension RegionEvent: WireWritable {
  /// Writes the wire's `Event`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("sequence", sequence)
      writer.member("identifier", identifier)
      writer.member("kind", kind.rawValue)
      writer.member("timestamp", timestamp)
      writer.member("bootTimestamp", bootTimestamp)
      writer.member("latitude", latitude, decimals: Decimals.degrees)
      writer.member("longitude", longitude, decimals: Decimals.degrees)
      writer.member("horizontalAccuracy", horizontalAccuracy, decimals: Decimals.metres)
    }
  }
}
