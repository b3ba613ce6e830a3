internal import BearingModel
internal import Varlink

/// What is to be installed for a calibration, and how it reads.
struct CalibrationText: Sendable {
  private static let configurationFile = "/etc/bearingd/bearingd.conf.d/calibration.conf"
  private static let restart = "sudo systemctl restart bearingd"

  let calibration: Calibration
  /// The kernel's name for the sensor.
  let sensor: String
  /// Its lasting place; nil when it is the one that answers by default.
  let path: String?
  /// Its place in the hardware database; nil when it has none there.
  let entry: HardwareEntry?

  /// Lines of bearingd.conf.
  var configuration: [String] {
    var lines = ["[Accelerometer]"]
    if let path { lines.append("Sensor=\(path)") }
    lines.append("MountMatrix=" + rows(calibration.matrix, ",", "; "))
    if let correction = calibration.correction {
      lines.append("Bias=" + numbers(correction.bias, 4, ","))
      lines.append("ScaleFactor=" + numbers(correction.factor, 5, ","))
    }
    return lines
  }

  /// The property of the hardware database, where the axis that points up is negative.
  private var property: String {
    "ACCEL_MOUNT_MATRIX=" + rows(calibration.matrix * -1, ", ", "; ")
  }

  private var update: String {
    "sudo systemd-hwdb update && sudo udevadm trigger --action=add --name-match=/dev/\(sensor)"
  }

  /// One JSON object.
  var json: JSON {
    var members: [String: JSON] = [
      "sensor": .string(sensor),
      "mountMatrix": .array(calibration.matrix.numbers.map { .double($0) }),
      "rightAngled": .bool(calibration.isRightAngled),
      "residuals": .object(
        Dictionary(
          uniqueKeysWithValues: calibration.residuals.map { ($0.rawValue, .double($1)) })),
      "configurationFile": .string(Self.configurationFile),
      "configuration": .array(configuration.map { .string($0) }),
    ]
    if let correction = calibration.correction {
      members["bias"] = vector(correction.bias)
      members["scaleFactor"] = vector(correction.factor)
    }
    if let entry {
      members["hwdbFile"] = .string(HardwareEntry.file)
      members["hwdb"] = .array([.string(entry.match), .string(" " + property)])
    }
    return .object(members)
  }

  /// For people.
  func text(_ style: Style) -> String {
    let mount = calibration.isRightAngled ? "at right angles to" : "askew in"
    var table = Table([("POSE", .left), ("OFF BY", .right)])
    for pose in Pose.allCases {
      guard let off = calibration.residuals[pose] else { continue }
      table.add([.init(pose.rawValue), .init("\(fixedPoint(off, decimals: 1))°")])
    }
    let hasAll = calibration.residuals.count == Pose.allCases.count
    let correction =
      if calibration.correction != nil {
        "Bias and scale are within the 0.3 % by which gravity differs from place to place."
      } else if hasAll {
        "The sensor sits too askew for these poses to tell its bias and scale."
      } else {
        "Bias and scale need all six poses."
      }
    var parts = [
      "The sensor \(sensor) sits \(mount) the device.", table.text(style: style), correction,
      """
      For bearingd, in \(Self.configurationFile):

      \(indented(configuration))

      and then: \(Self.restart)
      """,
    ]
    if let entry {
      parts.append(
        """
        Or, the matrix alone, for all programs, in \(HardwareEntry.file)
        (where the axis that points up is negative):

        \(indented([entry.match, " " + property]))

        and then: \(update)
        """)
    }
    return parts.joined(separator: "\n\n")
  }

  private func indented(_ lines: [String]) -> String {
    lines.map { "    " + $0 }.joined(separator: "\n")
  }

  private func rows(_ matrix: Matrix3, _ comma: String, _ semicolon: String) -> String {
    let decimals = calibration.isRightAngled ? 0 : 6
    return matrix.rows.map { numbers($0, decimals, comma) }.joined(separator: semicolon)
  }

  private func numbers(_ vector: SIMD3<Double>, _ decimals: Int, _ comma: String) -> String {
    [vector.x, vector.y, vector.z].map { fixedPoint($0, decimals: decimals) }
      .joined(separator: comma)
  }

  private func vector(_ vector: SIMD3<Double>) -> JSON {
    .array([.double(vector.x), .double(vector.y), .double(vector.z)])
  }
}
