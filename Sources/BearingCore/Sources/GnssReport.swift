/// What a GNSS source tells the location engine, in gpsd's terms and units but with one form for
/// all versions of gpsd.
public enum GnssReport: Sendable, Equatable {
  /// The source tries to reach gpsd; `detail` says where, and why the last try failed.
  case connecting(detail: String)
  /// gpsd answered.
  case connected
  /// The receivers that gpsd lists as active; comes after `connected` and at each change.
  case receivers([String])
  /// One TPV.
  case position(PositionReport)
  /// One SKY.
  case sky(SkyReport)
  /// One ATT.
  case attitude(AttitudeReport)
}

/// One TPV of gpsd. nil is what gpsd did not give or gave as NaN.
public struct PositionReport: Sendable, Equatable {
  /// When it was read.
  public var receipt: BootTime
  /// gpsd's name of the receiver.
  public var receiver: String?
  /// 0 unknown, 1 no fix, 2 two dimensions, 3 three.
  public var mode: Int
  /// gpsd's status 0 to 9, see FixQuality; nil when not given.
  public var status: Int?
  /// UTC in nanoseconds since 1970.
  public var time: Int64?
  /// Degrees, north positive; checked for range by the engine.
  public var latitude: Double?
  /// Degrees, east positive.
  public var longitude: Double?
  /// Metres above mean sea level.
  public var altitudeMSL: Double?
  /// Metres above the WGS84 ellipsoid.
  public var altitudeHAE: Double?
  /// Metres per second.
  public var speed: Double?
  /// Degrees from true north.
  public var track: Double?
  /// Metres per second, up positive.
  public var climb: Double?
  /// Degrees, east positive, whatever gpsd's manual says.
  public var magneticVariation: Double?
  /// Estimated horizontal error in metres.
  public var eph: Double?
  /// Estimated longitude error in metres.
  public var epx: Double?
  /// Estimated latitude error in metres.
  public var epy: Double?
  /// Estimated vertical error in metres.
  public var epv: Double?
  /// Estimated speed error in metres per second.
  public var eps: Double?
  /// Estimated track error in degrees.
  public var epd: Double?

  /// A report with nothing but its mode.
  public init(receipt: BootTime, mode: Int) {
    self.receipt = receipt
    self.mode = mode
  }
}

/// One SKY of gpsd. A DOP-only SKY has no satellites list.
public struct SkyReport: Sendable, Equatable {
  /// When it was read.
  public var receipt: BootTime
  /// gpsd's name of the receiver.
  public var receiver: String?
  /// Dilutions as gpsd gives them; nil when not given.
  public var hdop: Double?
  /// Position dilution.
  public var pdop: Double?
  /// Vertical dilution.
  public var vdop: Double?
  /// Time dilution.
  public var tdop: Double?
  /// nil when the SKY had no list of satellites.
  public var satellites: [SatelliteReport]?

  /// A report with nothing yet.
  public init(receipt: BootTime) {
    self.receipt = receipt
  }
}

/// One satellite of a SKY.
public struct SatelliteReport: Sendable, Equatable {
  /// gpsd's gnssid 0 to 7; nil when not given.
  public var gnss: Int?
  /// The number within the constellation; nil when not given.
  public var svid: Int?
  /// gpsd's PRN.
  public var prn: Int
  /// Degrees above the horizon.
  public var elevation: Double?
  /// Degrees from true north.
  public var azimuth: Double?
  /// dBHz.
  public var signal: Double?
  /// Whether the fix was made with it.
  public var used: Bool
  /// 0 unknown, 1 healthy, 2 unhealthy.
  public var health: Int?

  /// A satellite with nothing but its number.
  public init(prn: Int, used: Bool) {
    self.prn = prn
    self.used = used
  }
}

/// One ATT of gpsd. nil is what gpsd did not give.
public struct AttitudeReport: Sendable, Equatable {
  /// When it was read.
  public var receipt: BootTime
  /// gpsd's name of the receiver.
  public var receiver: String?
  /// Degrees from true north; checked for range by the engine.
  public var trueHeading: Double?
  /// Degrees from magnetic north.
  public var magneticHeading: Double?
  /// Degrees.
  public var pitch: Double?
  /// Degrees.
  public var roll: Double?

  /// A report with nothing yet.
  public init(receipt: BootTime) {
    self.receipt = receipt
  }
}

/// What is asked of a GNSS source: just to run.
public struct GnssDemand: Sendable, Equatable {
  /// The only demand there is.
  public init() {}
}
