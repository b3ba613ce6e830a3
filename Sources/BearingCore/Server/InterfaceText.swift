/// The descriptions of the daemon's interfaces, which are the `.varlink` files beside this one.
enum InterfaceText {
  static let accelerometer = text(PackageResources.io_bearing_accelerometer_varlink)
  static let daemon = text(PackageResources.io_bearing_daemon_varlink)
  static let location = text(PackageResources.io_bearing_location_varlink)
  static let preferences = text(PackageResources.io_bearing_preferences_varlink)
  static let regions = text(PackageResources.io_bearing_regions_varlink)

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
