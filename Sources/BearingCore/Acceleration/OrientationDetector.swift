internal import Glibc

public import BearingModel

/// How the display is held, from acceleration in the device frame.
///
/// Each axis has its angle out of the plane of the other two: above 35° it sets the pose; both or
/// neither of x and y keeps the last, so that 35° to 55° is the hysteresis of a turn.
public struct OrientationDetector: Sendable {
  /// Degrees beyond which an axis sets the pose.
  static let poseAngle = 35.0
  /// Degrees from vertical up to which the display counts as vertical.
  static let verticalAngle = 20.0
  /// Degrees from vertical from which the display counts as facing up or down.
  static let faceAngle = 70.0
  /// The time constant of the low-pass filter, in nanoseconds.
  static let timeConstant = 200 * Nanoseconds.millisecond
  /// Metres per second squared between which a vector can be gravity: 0.5 to 1.5 g.
  static let plausible = 0.5 * Gravity.standard...1.5 * Gravity.standard

  /// Which edge of the display points up; undefined until one did.
  public private(set) var orientation: Orientation = .undefined
  /// How the display is tilted; undefined until the first vector that can be gravity.
  public private(set) var tilt: Tilt = .undefined

  private var x = 0.0
  private var y = 0.0
  private var z = 0.0
  private var time = BootTime(nanoseconds: 0)

  /// One that has seen nothing.
  public init() {}

  /// Takes one vector in metres per second squared; returns whether orientation or tilt changed.
  ///
  /// A vector that cannot be gravity is ignored; the first one that can is taken as it is.
  public mutating func add(x: Double, y: Double, z: Double, time: BootTime) -> Bool {
    guard Self.plausible.contains((x * x + y * y + z * z).squareRoot()) else { return false }
    if tilt == .undefined {
      (self.x, self.y, self.z) = (x, y, z)
    } else {
      let step = Double(max(0, time - self.time))
      let weight = 1 - exp(-step / Double(Self.timeConstant))
      self.x += weight * (x - self.x)
      self.y += weight * (y - self.y)
      self.z += weight * (z - self.z)
    }
    self.time = time
    let before = (orientation, tilt)
    judge()
    return before != (orientation, tilt)
  }

  private mutating func judge() {
    let aside = degrees(atan2(x, hypot(y, z)))
    let along = degrees(atan2(y, hypot(x, z)))
    switch (abs(aside) > Self.poseAngle, abs(along) > Self.poseAngle) {
    case (true, false): orientation = aside > 0 ? .rightUp : .leftUp
    case (false, true): orientation = along > 0 ? .normal : .bottomUp
    case (true, true), (false, false): break
    }
    let outward = degrees(atan2(z, hypot(x, y)))
    switch abs(outward) {
    case ...Self.verticalAngle: tilt = .vertical
    case Self.faceAngle...: tilt = outward > 0 ? .faceUp : .faceDown
    default: tilt = outward > 0 ? .tiltedUp : .tiltedDown
    }
  }

  private func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}
