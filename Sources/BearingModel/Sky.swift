/// One satellite as the receiver sees it.
public struct Satellite: Sendable, Equatable, Codable {
  /// GPS, SBAS, Galileo, BeiDou, IMES, QZSS, GLONASS, NavIC or unknown.
  public var constellation: String
  /// The number within its constellation, or the receiver's own number where it gives no other.
  public var identifier: Int
  /// Degrees above the horizon, −90 to 90.
  public var elevation: Double?
  /// Degrees from true north, 0 to 360.
  public var azimuth: Double?
  /// Carrier to noise density in dBHz.
  public var signal: Double?
  /// Whether the fix was made with it.
  public var used: Bool
  /// 0 unknown, 1 healthy, 2 unhealthy, as gpsd says.
  public var health: Int?

  /// A satellite with all else unknown.
  public init(constellation: String, identifier: Int, used: Bool) {
    self.constellation = constellation
    self.identifier = identifier
    self.used = used
  }
}

/// The satellites in view and the dilutions that their geometry gives.
public struct Sky: Sendable, Equatable, Codable {
  /// Microseconds on CLOCK_BOOTTIME when it was received.
  public var bootTimestamp: Int
  /// Dilution of precision, horizontal.
  public var horizontalDilution: Double?
  /// Dilution of precision in three dimensions.
  public var positionDilution: Double?
  /// Dilution of precision, vertical.
  public var verticalDilution: Double?
  /// Dilution of precision, time.
  public var timeDilution: Double?
  /// Satellites in view.
  public var visible: Int
  /// Satellites that the fix was made with.
  public var used: Int
  /// Each satellite in view, as the receiver orders them.
  public var satellites: [Satellite]

  /// A sky with these satellites and no dilutions.
  public init(bootTimestamp: Int, satellites: [Satellite]) {
    self.bootTimestamp = bootTimestamp
    self.satellites = satellites
    visible = satellites.count
    used = satellites.count { $0.used }
  }
}

extension Satellite: WireWritable {
  /// Writes the wire's `Satellite`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("constellation")
      writer.value(constellation)
      writer.key("identifier")
      writer.value(identifier)
      writer.member("elevation", elevation, decimals: Decimals.metres)
      writer.member("azimuth", azimuth, decimals: Decimals.metres)
      writer.member("signal", signal, decimals: Decimals.ratio)
      writer.key("used")
      writer.value(used)
      writer.member("health", health)
    }
  }
}

extension Sky: WireWritable {
  /// Writes the wire's `Sky`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("bootTimestamp")
      writer.value(bootTimestamp)
      writer.member("horizontalDilution", horizontalDilution, decimals: Decimals.ratio)
      writer.member("positionDilution", positionDilution, decimals: Decimals.ratio)
      writer.member("verticalDilution", verticalDilution, decimals: Decimals.ratio)
      writer.member("timeDilution", timeDilution, decimals: Decimals.ratio)
      writer.key("visible")
      writer.value(visible)
      writer.key("used")
      writer.value(used)
      writer.key("satellites")
      writer.array(satellites) { $0.value($1) }
    }
  }
}
