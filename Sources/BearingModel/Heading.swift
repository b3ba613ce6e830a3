/// Which north a heading counts from.
public enum HeadingReference: String, WireEnumeration {
  /// Geographic north.
  case trueNorth
  /// Magnetic north: a fix's `magneticVariation` is to be added for the true heading.
  case magneticNorth
  /// A reference of a newer daemon; this one never sends it.
  case unknown
}

/// Where a compass, or a receiver with two antennas, says that the device points.
///
/// That need not be where it moves, which is a fix's `course`.
public struct Heading: Sendable, Equatable, Codable {
  /// Microseconds on CLOCK_BOOTTIME when it was received.
  public var bootTimestamp: Int
  /// Degrees clockwise from north, 0 to below 360.
  public var heading: Double
  /// Which north that is.
  public var reference: HeadingReference
  /// Degrees, −90 to 90, as the receiver counts them; nil when it gives none.
  public var pitch: Double?
  /// Degrees, −180 to 180, as the receiver counts them; nil when it gives none.
  public var roll: Double?
  /// The receiver's name in gpsd; nil when gpsd does not say.
  public var receiver: String?
  /// Whether it comes from a simulation or a recording.
  public var simulated: Bool

  /// A heading with all else unknown.
  public init(
    bootTimestamp: Int, heading: Double, reference: HeadingReference, simulated: Bool = false
  ) {
    self.bootTimestamp = bootTimestamp
    self.heading = heading
    self.reference = reference
    self.simulated = simulated
  }
}

extension Heading: WireWritable {
  /// Writes the wire's `Heading`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("bootTimestamp", bootTimestamp)
      writer.member("heading", heading, decimals: Decimals.metres)
      writer.member("reference", reference.rawValue)
      writer.member("pitch", pitch, decimals: Decimals.metres)
      writer.member("roll", roll, decimals: Decimals.metres)
      writer.member("receiver", receiver)
      writer.member("simulated", simulated)
    }
  }
}
