/// What the accelerometer can give now.
public enum AccelerometerState: String, WireEnumeration {
  /// Nobody listens: the sensor is off.
  case off
  /// There is no such sensor.
  case noSensor
  /// The sensor is being switched on.
  case starting
  /// Samples come.
  case live
  /// The sensor gives the same, nothing, or what cannot be.
  case stale
  /// The sensor cannot be used; its warnings say why.
  case failed
  /// A state of a newer daemon; this one never sends it.
  case unknown
}

/// Acceleration in the device frame: x right, y up along the display, z out of it to the reader.
///
/// The axis that points up reads +9.8 m/s² at rest (the kernel's and Android's convention).
public struct AccelerationSample: Sendable, Equatable, Codable {
  /// Rises by one with each sample of the sensor.
  public var sequence: Int
  /// Microseconds on CLOCK_BOOTTIME of the sample.
  public var bootTimestamp: Int
  /// Metres per second squared, to the right.
  public var x: Double
  /// Metres per second squared, up along the display.
  public var y: Double
  /// Metres per second squared, out of the display.
  public var z: Double

  /// A sample of these values.
  public init(sequence: Int, bootTimestamp: Int, x: Double, y: Double, z: Double) {
    self.sequence = sequence
    self.bootTimestamp = bootTimestamp
    self.x = x
    self.y = y
    self.z = z
  }
}

/// Which edge of the display points up.
public enum Orientation: String, WireEnumeration {
  case undefined, normal, bottomUp, leftUp, rightUp
  /// An orientation of a newer daemon reads as undefined.
  public static var unknown: Orientation { .undefined }
}

/// How the display is tilted.
public enum Tilt: String, WireEnumeration {
  case undefined, vertical, tiltedUp, tiltedDown, faceUp, faceDown
  /// A tilt of a newer daemon reads as undefined.
  public static var unknown: Tilt { .undefined }
}

/// What the device is doing.
public enum Motion: String, WireEnumeration {
  case unknown, still, moving, shake, freeFall, tap
}

/// One accelerometer and how it is read.
public struct Sensor: Sendable, Equatable, Codable {
  /// The kernel's name now, such as iio:device0.
  public var identifier: String
  /// Its place in the machine, the same after a replug or reboot.
  public var path: String
  /// The driver's name for it.
  public var name: String
  /// display, base, camera, or as its label says.
  public var location: String
  /// How samples are taken, or would be: buffer, trigger, polling, simulation or replay.
  public var mode: String
  /// Why not in a better way, for people; nil for the best.
  public var modeReason: String?
  /// Hertz at which it runs, or would; 0 when it does not say.
  public var rate: Double
  /// Hertz it can run at; empty when it does not say.
  public var availableRates: [Double]
  /// Metres per second squared for one raw step of x, y and z.
  public var scale: [Double]
  /// Metres per second squared that are taken from x, y and z by configuration, in the sensor's own
  /// axes; nil for nothing.
  public var bias: [Double]?
  /// What x, y and z are multiplied with then, by configuration; nil for nothing.
  public var scaleFactor: [Double]?
  /// Nine numbers, row by row.
  public var mountMatrix: [Double]
  /// configuration, udev, sysfs or none.
  public var mountMatrixSource: String
  /// Whether the vector was negated to have the axis that points up read +9.8.
  public var signNegated: Bool
  /// Whether it is simulated, replayed or from a re-rooted tree.
  public var simulated: Bool
  /// What is wrong with it, for people.
  public var warnings: [String]

  /// A sensor as given.
  public init(
    identifier: String, path: String, name: String, location: String, mode: String,
    modeReason: String? = nil, rate: Double, availableRates: [Double], scale: [Double],
    bias: [Double]? = nil, scaleFactor: [Double]? = nil, mountMatrix: [Double],
    mountMatrixSource: String, signNegated: Bool, simulated: Bool,
    warnings: [String]
  ) {
    self.identifier = identifier
    self.path = path
    self.name = name
    self.location = location
    self.mode = mode
    self.modeReason = modeReason
    self.rate = rate
    self.availableRates = availableRates
    self.scale = scale
    self.bias = bias
    self.scaleFactor = scaleFactor
    self.mountMatrix = mountMatrix
    self.mountMatrixSource = mountMatrixSource
    self.signNegated = signNegated
    self.simulated = simulated
    self.warnings = warnings
  }
}

extension AccelerationSample: WireWritable {
  /// Writes the wire's `Sample`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("sequence")
      writer.value(sequence)
      writer.key("bootTimestamp")
      writer.value(bootTimestamp)
      writer.key("x")
      writer.value(x, decimals: Decimals.acceleration)
      writer.key("y")
      writer.value(y, decimals: Decimals.acceleration)
      writer.key("z")
      writer.value(z, decimals: Decimals.acceleration)
    }
  }
}

extension Sensor: WireWritable {
  /// Writes the wire's `Sensor`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("identifier", identifier)
      writer.member("path", path)
      writer.member("name", name)
      writer.member("location", location)
      writer.member("mode", mode)
      if let modeReason { writer.member("modeReason", modeReason) }
      writer.key("rate")
      writer.value(rate, decimals: Decimals.ratio)
      writer.key("availableRates")
      writer.array(availableRates) { $0.value($1, decimals: Decimals.ratio) }
      writer.key("scale")
      writer.array(scale) { $0.value($1, decimals: Decimals.scale) }
      for case (let name, let numbers?) in [
        ("bias" as StaticString, bias), ("scaleFactor", scaleFactor),
      ] {
        writer.key(name)
        writer.array(numbers) { $0.value($1, decimals: Decimals.scale) }
      }
      writer.key("mountMatrix")
      writer.array(mountMatrix) { $0.value($1, decimals: Decimals.scale) }
      writer.member("mountMatrixSource", mountMatrixSource)
      writer.member("signNegated", signNegated)
      writer.member("simulated", simulated)
      writer.key("warnings")
      writer.array(warnings) { $0.value($1) }
    }
  }
}
