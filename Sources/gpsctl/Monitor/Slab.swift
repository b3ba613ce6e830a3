internal import BearingModel
import Glibc

/// A flat device with a screen, as lines in space, turned the way it is held.
///
/// Its frame is the daemon's: x right, y up along the display, z out of it to the reader.
struct Slab {
  struct Vector: Equatable {
    var x: Double
    var y: Double
    var z: Double

    var length: Double { (x * x + y * y + z * z).squareRoot() }
  }

  /// Half of the device's width and height; its width is 1 to either side.
  private static let halfHeight = 0.65
  /// The screen: what is around it is broader at the bottom, which tells bottom from top.
  private static let screen = (x: 0.88, top: 0.55, bottom: -0.38)
  /// Radians by which the device is seen from above: flat on a table, it is not just a line.
  private static let elevation = 0.35
  /// Where less of gravity is along the display than this part, its turn is not to be told.
  private static let leastAlong = 0.2

  /// Radians to turn about z, counterclockwise, and then about x.
  private let roll: Double
  private let pitch: Double

  /// - Parameters:
  ///   - up: in the device's frame, of any length above 0.
  ///   - orientation: which edge points up, for a display that lies flat.
  init(up: Vector, orientation: Orientation) {
    let along = hypot(up.x, up.y)
    let isFlat = along < Self.leastAlong * up.length
    let edge = isFlat ? Self.up(orientation, .vertical) : nil
    roll = isFlat ? edge.map { atan2($0.x, $0.y) } ?? 0 : atan2(up.x, up.y)
    pitch = atan2(up.z, along)
  }

  /// Which way is up for an orientation and a tilt; nil when neither says.
  static func up(_ orientation: Orientation, _ tilt: Tilt) -> Vector? {
    let edge: (x: Double, y: Double)
    switch orientation {
    case .normal: edge = (0, 1)
    case .bottomUp: edge = (0, -1)
    case .leftUp: edge = (-1, 0)
    case .rightUp: edge = (1, 0)
    case .undefined:
      guard tilt == .faceUp || tilt == .faceDown else { return nil }
      edge = (0, 1)
    }
    let degrees: Double
    switch tilt {
    case .undefined, .vertical: degrees = 0
    case .tiltedUp: degrees = 45
    case .tiltedDown: degrees = -45
    case .faceUp: degrees = 90
    case .faceDown: degrees = -90
    }
    let (s, c) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    return Vector(x: edge.x * c, y: edge.y * c, z: s)
  }

  /// The outline; and the screen, when its face is to be seen.
  var lines: [(from: Vector, to: Vector)] {
    let h = Self.halfHeight
    var lines = Self.rectangle(x: 1, top: h, bottom: -h)
    if seen(Vector(x: 0, y: 0, z: 1)).z > 0 {
      let screen = Self.screen
      lines += Self.rectangle(x: screen.x, top: screen.top, bottom: screen.bottom)
    }
    return lines.map { (seen($0.from), seen($0.to)) }
  }

  private static func rectangle(
    x: Double, top: Double, bottom: Double
  ) -> [(from: Vector, to: Vector)] {
    let corners = [(-x, top), (x, top), (x, bottom), (-x, bottom)].map {
      Vector(x: $0.0, y: $0.1, z: 0)
    }
    return corners.indices.map { (corners[$0], corners[($0 + 1) % corners.count]) }
  }

  /// A point of the device as the eye has it: x right, y up, z nearer.
  func seen(_ point: Vector) -> Vector {
    let rolled = Vector(
      x: point.x * cos(roll) - point.y * sin(roll), y: point.x * sin(roll) + point.y * cos(roll),
      z: point.z)
    // Upright by the pitch, then back by the eye's elevation: both are turns about x.
    let angle = pitch - Self.elevation
    return Vector(
      x: rolled.x, y: rolled.y * cos(angle) + rolled.z * sin(angle),
      z: -rolled.y * sin(angle) + rolled.z * cos(angle))
  }

  /// The dot of a point that the eye has; what is nearer is larger.
  static func dot(_ point: Vector, in picture: DotPicture) -> (x: Double, y: Double) {
    let middle = (x: Double(picture.width - 1) / 2, y: Double(picture.height - 1) / 2)
    // The largest that fits, however the device is turned: its corner is this far from its middle.
    let scale = min(middle.x, middle.y) / 1.2
    let nearness = 1 / (1 - 0.15 * point.z)
    return (middle.x + scale * nearness * point.x, middle.y - scale * nearness * point.y)
  }
}
