/// What udev's hardware database calls a sensor of this machine: the line that its properties stand
/// under (systemd's 60-sensor.rules and 60-sensor.hwdb).
struct HardwareEntry: Sendable, Equatable {
  /// The file for what an administrator adds.
  static let file = "/etc/udev/hwdb.d/61-sensor-local.hwdb"
  /// How far above a sensor the device is looked for that its driver is bound to.
  private static let levels = 4

  /// Such as sensor:modalias:acpi:KIOX000A*:dmi:*:svnACME:pnTablet:*
  let match: String

  /// The entry of the sensor with that kernel's name; nil when udev has no name for it.
  init?(_ identifier: String, in tree: Tree) {
    let folder = "/sys/bus/iio/devices/\(identifier)"
    func text(_ path: String) -> String? {
      let text = tree.text(of: path)?.filter { !$0.isNewline } ?? ""
      return text.isEmpty ? nil : text
    }
    let parents = (1...Self.levels).map { folder + String(repeating: "/..", count: $0) }
    guard let modalias = parents.lazy.compactMap({ text($0 + "/modalias") }).first else {
      return nil
    }
    var label = text(folder + "/label")
    if label == nil, text(folder + "/name")?.hasPrefix("cros-ec-accel") ?? false {
      label = ["base": "accel-base", "lid": "accel-display"][text(folder + "/location") ?? ""]
    }
    let parts = ["sensor", label, "modalias", Self.pattern(modalias: modalias)].compactMap { $0 }
    match =
      parts.joined(separator: ":") + ":" + Self.pattern(dmi: text("/sys/class/dmi/id/modalias"))
  }

  /// A driver may be bound by the first of several names that ACPI has for a chip.
  private static func pattern(modalias: String) -> String {
    guard modalias.hasPrefix("acpi:") else { return literal(modalias) }
    return "acpi:" + literal(modalias.dropFirst(5).prefix { $0 != ":" }) + "*"
  }

  /// Vendor and product of the machine; any machine where there is no DMI, as on most boards.
  private static func pattern(dmi: String?) -> String {
    let fields = dmi?.split(separator: ":") ?? []
    let named = ["svn", "pn"].compactMap { name in fields.first { $0.hasPrefix(name) } }
    guard named.count == 2 else { return "*" }
    return "dmi:*:" + named.map(literal).joined(separator: ":") + ":*"
  }

  /// What has a meaning in a pattern matches itself as any one character.
  private static func literal(_ text: some StringProtocol) -> String {
    String(text.map { "*?[]\\".contains($0) ? "?" : $0 })
  }
}
