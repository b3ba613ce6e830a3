/// How a sensor's axes relate to the device's: its mount matrix, where that came from, and its sign.
struct IIOFrame: Sendable, Equatable {
  /// Where a mount matrix came from; the wire's words.
  enum Source: String, Sendable {
    case configuration, udev, sysfs, none
  }

  /// How the kernel learnt of a sensor.
  enum Enumeration: Sendable, Equatable {
    /// From ACPI: the parent has a `firmware_node`.
    case acpi
    /// From a device tree: the parent has an `of_node`.
    case deviceTree
    /// It is a sensor of a HID sensor hub.
    case hidHub
    /// It does not show.
    case unknown
  }

  /// What turns the sensor's axes into the device's.
  let matrix: MountMatrix
  /// Where it came from.
  let source: Source
  /// Whether the vector is negated, so that the axis that points up reads +9.8 m/s² at rest.
  let isNegated: Bool

  /// The frame of a sensor with that matrix.
  ///
  /// Windows' firmware, the hardware database and HID hubs have the axis that points up negative;
  /// device trees and the kernel's drivers positive.
  init(matrix: MountMatrix, source: Source, enumeration: Enumeration) {
    self.matrix = matrix
    self.source = source
    switch source {
    case .configuration: isNegated = false
    case .udev: isNegated = true
    case .sysfs:
      isNegated = enumeration == .hidHub || (enumeration == .acpi && matrix != .identity)
    case .none: isNegated = enumeration == .hidHub
    }
  }

  /// A frame that was decided before.
  init(matrix: MountMatrix, source: Source, isNegated: Bool) {
    self.matrix = matrix
    self.source = source
    self.isNegated = isNegated
  }

  /// The vector in the device's axes.
  func apply(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    let turned = matrix.apply(vector)
    return isNegated ? -turned : turned
  }

  /// Reads a sensor's frame: the configuration's matrix, else udev's, else the driver's, else none.
  ///
  /// The first source that is there decides; when it is of no use, that is a warning and the
  /// sensor is taken to sit as the device does.
  static func read(
    _ attributes: inout IIOAttributes, properties: [String: String], configured: MountMatrix?
  ) -> IIOFrame {
    let enumeration = enumeration(of: attributes.folder)
    func frame(_ matrix: MountMatrix, _ source: Source) -> IIOFrame {
      IIOFrame(matrix: matrix, source: source, enumeration: enumeration)
    }
    if let configured { return frame(configured, .configuration) }
    if let text = properties["ACCEL_MOUNT_MATRIX"] {
      do throws(TextProblem) {
        return frame(try MountMatrix(parsing: text.utf8), .udev)
      } catch {
        attributes.warn(
          "\(attributes.folder.identifier): udev's ACCEL_MOUNT_MATRIX \(error.reason); not used")
        return frame(.identity, .none)
      }
    }
    let names = ["in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"]
    let read = attributes.read(names) { bytes throws(TextProblem) in
      try MountMatrix(parsing: bytes)
    }
    guard let matrix = read.value else { return frame(.identity, .none) }
    return frame(matrix, .sysfs)
  }

  private static func enumeration(of folder: IIOFolder) -> Enumeration {
    // The platform devices of a sensor hub are named HID-SENSOR- and their usage (hid-sensor-hub.c).
    if folder.place?.split(separator: "/").contains(where: { $0.hasPrefix("HID-SENSOR-") }) ?? false
    {
      return .hidHub
    }
    if folder.parentHas("of_node") { return .deviceTree }
    return folder.parentHas("firmware_node") ? .acpi : .unknown
  }
}
