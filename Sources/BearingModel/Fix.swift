/// How far the position can be relied on now.
public enum LocationState: String, WireEnumeration {
  /// Nobody listens: the receiver is not in use.
  case off
  /// There is no connection to gpsd yet, or none any more.
  case connecting
  /// gpsd is there and lists no receiver.
  case noReceiver
  /// A receiver is there and has had no fix since the connection, or since it came.
  case searching
  /// The newest fix is of now.
  case live
  /// The newest fix is older than the receiver's rhythm allows.
  case stale
  /// The fix is gone: too old, or the receiver said so.
  case lost
  /// The receiver says what cannot be, such as a jump of 100 km.
  case suspect
  /// A state of a newer daemon; this one never sends it.
  case unknown
}

/// Where a horizontal accuracy comes from.
public enum AccuracyBasis: String, WireEnumeration {
  /// gpsd computed it from the satellites' geometry.
  case dop
  /// The receiver's own estimate.
  case receiver
  /// Half the diagonal of the cell that an approximate caller is given.
  case grid
  /// There is no horizontal accuracy.
  case unknown
}

/// How the fix was made.
public enum FixQuality: String, WireEnumeration {
  case unknown, normal, dgps, rtkFixed, rtkFloat, deadReckoning, gnssDeadReckoning, timeOnly
  case simulated, ppsFix

  /// gpsd's numbers 0 to 9 in order; nil for any other.
  public init?(gpsdStatus: Int) {
    let byNumber: [FixQuality] = [
      .unknown, .normal, .dgps, .rtkFixed, .rtkFloat, .deadReckoning, .gnssDeadReckoning,
      .timeOnly, .simulated, .ppsFix,
    ]
    guard byNumber.indices.contains(gpsdStatus) else { return nil }
    self = byNumber[gpsdStatus]
  }
}

/// One position. What is not known is nil, never 0.
public struct Fix: Sendable, Equatable, Codable {
  /// Rises by one with each fix of the receiver.
  public var sequence: Int
  /// True on a better report of the fix delivered last under the same sequence.
  public var refined: Bool?
  /// Microseconds on CLOCK_BOOTTIME when it was received; nil on a fix from before this boot.
  public var bootTimestamp: Int?
  /// Microseconds in UTC since 1970 as the receiver says; nil when it says none.
  public var timestamp: Int?
  /// Whether `timestamp` was found plausible and steady.
  public var timestampTrusted: Bool
  /// 2 or 3.
  public var dimensions: Int?
  /// How it was made; nil when the receiver does not say.
  public var quality: FixQuality?
  /// Degrees, −90 to 90, WGS84, north positive.
  public var latitude: Double
  /// Degrees, −180 to 180, WGS84, east positive.
  public var longitude: Double
  /// Radius in metres around the place that holds the truth with 68 %.
  public var horizontalAccuracy: Double?
  /// Where `horizontalAccuracy` comes from.
  public var accuracyBasis: AccuracyBasis
  /// Metres above mean sea level.
  public var altitude: Double?
  /// Metres above the WGS84 ellipsoid.
  public var ellipsoidalAltitude: Double?
  /// Metres, 68 %.
  public var verticalAccuracy: Double?
  /// Metres per second over ground.
  public var speed: Double?
  /// Metres per second, 68 %.
  public var speedAccuracy: Double?
  /// Degrees from true north, 0 to 360; nil while too slow to have one.
  public var course: Double?
  /// Degrees, 68 %.
  public var courseAccuracy: Double?
  /// Metres per second, up positive.
  public var climb: Double?
  /// Degrees to add to a magnetic direction to have the true one, east positive.
  public var magneticVariation: Double?
  /// The receiver's name in gpsd, such as /dev/ttyACM0.
  public var receiver: String?
  /// Whether it comes from a simulation or a recording.
  public var simulated: Bool

  /// A position with all else unknown.
  public init(sequence: Int, latitude: Double, longitude: Double, simulated: Bool = false) {
    self.sequence = sequence
    self.latitude = latitude
    self.longitude = longitude
    self.simulated = simulated
    timestampTrusted = false
    accuracyBasis = .unknown
  }
}

extension Fix: WireWritable {
  /// Writes the wire's `Fix`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("sequence")
      writer.value(sequence)
      writer.member("refined", refined)
      writer.member("bootTimestamp", bootTimestamp)
      writer.member("timestamp", timestamp)
      writer.key("timestampTrusted")
      writer.value(timestampTrusted)
      writer.member("dimensions", dimensions)
      writer.member("quality", quality?.rawValue)
      writer.key("latitude")
      writer.value(latitude, decimals: Decimals.degrees)
      writer.key("longitude")
      writer.value(longitude, decimals: Decimals.degrees)
      writer.member("horizontalAccuracy", horizontalAccuracy, decimals: Decimals.metres)
      writer.key("accuracyBasis")
      writer.value(accuracyBasis.rawValue)
      writer.member("altitude", altitude, decimals: Decimals.metres)
      writer.member("ellipsoidalAltitude", ellipsoidalAltitude, decimals: Decimals.metres)
      writer.member("verticalAccuracy", verticalAccuracy, decimals: Decimals.metres)
      writer.member("speed", speed, decimals: Decimals.metres)
      writer.member("speedAccuracy", speedAccuracy, decimals: Decimals.metres)
      writer.member("course", course, decimals: Decimals.metres)
      writer.member("courseAccuracy", courseAccuracy, decimals: Decimals.metres)
      writer.member("climb", climb, decimals: Decimals.metres)
      writer.member("magneticVariation", magneticVariation, decimals: Decimals.metres)
      writer.member("receiver", receiver)
      writer.key("simulated")
      writer.value(simulated)
    }
  }
}

extension JSONWriter {
  /// Writes a member, or nothing when it is nil.
  public mutating func member(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    key(name)
    self.value(value)
  }

  /// Writes a member, or nothing when it is nil.
  public mutating func member(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    key(name)
    self.value(value)
  }

  /// Writes a member, or nothing when it is nil.
  public mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    self.value(value)
  }

  /// Writes a member, or nothing when it is nil or not finite.
  public mutating func member(_ name: StaticString, _ value: Double?, decimals: Int) {
    guard let value, value.isFinite else { return }
    key(name)
    self.value(value, decimals: decimals)
  }
}
