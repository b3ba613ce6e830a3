internal import CSystemd

/// Where a sensor's udev properties are read.
enum IIODatabase: Sendable, Equatable {
  /// udev's database, through sd-device; for the machine's own sysfs only.
  case udev
  /// A folder of `iio:deviceN.props` files with a line KEY=VALUE for each.
  case folder(String)
  /// There is none: sensors are known by name alone.
  case none

  /// The properties of a device that a sensor is judged by.
  static let names = ["ACCEL_MOUNT_MATRIX", "ACCEL_LOCATION", "ID_INTEGRATION"]

  /// What the database says of a device. What cannot be read is a warning, not a failure.
  func properties(of attributes: inout IIOAttributes) -> [String: String] {
    switch self {
    case .none: return [:]
    case .udev: return Self.fromDevice(attributes.folder.path)
    case .folder(let folder):
      let file = "\(folder)/\(attributes.folder.identifier).props"
      do throws(SystemError) {
        return Self.parse(try Files.read(file, atMost: 64 * Bytes.kibi))
      } catch {
        if !error.isNotFound { attributes.warn("cannot \(error)") }
        return [:]
      }
    }
  }

  private static func parse(_ bytes: [UInt8]) -> [String: String] {
    var properties: [String: String] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: NumberText.trimmed(line), as: UTF8.self)
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { properties[String(parts[0])] = String(parts[1]) }
    }
    return properties
  }

  private static func fromDevice(_ path: String) -> [String: String] {
    var device: OpaquePointer?
    // Fails where there is no udev and on what it does not know: then there are no properties.
    guard unsafe sd_device_new_from_syspath(&device, path) >= 0 else { return [:] }
    defer { unsafe sd_device_unref(device) }
    var properties: [String: String] = [:]
    for name in names {
      var value: UnsafePointer<CChar>?
      let result = unsafe sd_device_get_property_value(device, name, &value)
      if result >= 0, let value = unsafe value {
        properties[name] = unsafe String(cString: value)
      }
    }
    return properties
  }
}
