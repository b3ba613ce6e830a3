internal import Foundation
internal import Glibc

/// A sysfs tree in a temporary folder, made from a device description in umockdev's format.
///
/// It has what the format says: devices below `sys/devices`, a link for each IIO device and trigger
/// in `sys/bus/iio/devices`, and in `udev` a file of properties for each device that has a node.
public final class SysfsTree: Sendable {
  private let folder: TemporaryFolder
  /// Each device's and trigger's place below the root, by its name.
  private let places: [String: String]

  /// Where a daemon finds it as sysfs.
  public var root: String { folder.path + "/sys" }
  /// Where its udev properties are.
  public var udev: String { folder.path + "/udev" }

  /// The folder of the fixtures' machines.
  public static let machines = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("BearingCoreTests/Fixtures/iio").path

  /// The tree that a description file tells of.
  public convenience init(describedBy file: String) throws {
    try self.init(String(contentsOfFile: file, encoding: .utf8))
  }

  /// The tree of a machine of the fixtures, by the beginning of its file's name.
  public convenience init(machine prefix: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.machines)
    let name = names.first { $0.hasPrefix(prefix) } ?? "none named \(prefix)"
    try self.init(describedBy: "\(Self.machines)/\(name)")
  }

  /// The tree that `description` tells of.
  public init(_ description: String) throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("sys/bus/iio/devices")
    try folder.makeFolder("udev")
    var places: [String: String] = [:]
    var place = ""
    var properties = ""
    for line in description.split(separator: "\n", omittingEmptySubsequences: false) {
      let value = String(line.dropFirst(3))
      switch line.prefix(2) {
      case "P:":
        place = value
        properties = ""
        try folder.makeFolder("sys\(place)")
        let name = String(place.split(separator: "/").last ?? "")
        if name.hasPrefix("iio:device") || name.hasPrefix("trigger") { places[name] = place }
      case "E:":
        properties += value + "\n"
        if let name = place.split(separator: "/").last, name.hasPrefix("iio:") {
          try folder.write(properties, to: "udev/\(name).props")
        }
      case "A:":
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        try folder.write(Self.unescaped(parts[1]), to: "sys\(place)/\(parts[0])")
      default: break
      }
    }
    self.places = places
    for device in places.keys { try plug(device) }
  }

  /// Writes a file of a device by the device's name, such as iio:device0.
  public func set(_ device: String, _ attribute: String, to text: String) throws {
    let file = path(device, attribute)
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
  }

  /// What a file of a device holds.
  public func get(_ device: String, _ attribute: String) throws -> String {
    try String(contentsOfFile: path(device, attribute), encoding: .utf8)
  }

  /// Removes a file of a device.
  public func remove(_ device: String, _ attribute: String) throws {
    try FileManager.default.removeItem(atPath: path(device, attribute))
  }

  /// Puts a pipe in the place of a file of a device, and gives its path: who reads it waits, as for a
  /// driver that does not answer.
  @discardableResult
  public func makeSilent(_ device: String, _ attribute: String) throws -> String {
    let file = path(device, attribute)
    try remove(device, attribute)
    guard mkfifo(file, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    return file
  }

  /// Takes a device out of the bus' folder, as when it is unplugged.
  public func unplug(_ device: String) throws {
    try FileManager.default.removeItem(atPath: "\(root)/bus/iio/devices/\(device)")
  }

  /// Puts a device back that was unplugged.
  public func plug(_ device: String) throws {
    guard let place = places[device] else { return }
    try FileManager.default.createSymbolicLink(
      atPath: "\(root)/bus/iio/devices/\(device)", withDestinationPath: "../../..\(place)")
  }

  /// Where a file of a device is.
  public func path(_ device: String, _ attribute: String) -> String {
    "\(root)/bus/iio/devices/\(device)/\(attribute)"
  }

  private static func unescaped(_ text: Substring) -> String {
    String(text).replacing("\\n", with: "\n").replacing("\\\\", with: "\\")
  }
}

extension TemporaryFolder {
  /// Makes a folder in it, and those above.
  public func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).appendingPathComponent(name),
      withIntermediateDirectories: true)
  }
}
