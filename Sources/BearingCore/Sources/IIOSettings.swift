/// Settings of a sensor that are changed while it is in use, and what they were.
struct IIOSettings {
  private let sensor: String
  private let file: IIOOriginals?
  private var originals: [(folder: IIOFolder, name: String, text: String)] = []

  /// Of the sensor in that folder, nothing changed; `file` keeps what they were in case the daemon is
  /// killed.
  init(_ sensor: IIOFolder, file: IIOOriginals?) {
    self.sensor = sensor.identifier
    self.file = file
  }

  /// Sets one in the folder of the sensor or of its trigger, unless it is so. `original` is what it
  /// will be put back to, when that is not what it is now.
  mutating func set(
    _ name: String, in folder: IIOFolder, to text: String, original: String? = nil
  ) throws(SystemError) {
    let now = try folder.text(name)
    let original = original ?? now
    if original != text { keep(name, in: folder, as: original) }
    if now != text { try folder.write(text, to: name) }
  }

  /// Has one put back to `text`, whatever is written to it until then.
  mutating func keep(_ name: String, in folder: IIOFolder, as text: String) {
    guard !originals.contains(where: { $0.folder == folder && $0.name == name }) else { return }
    originals.append((folder, name, text))
    file?.note(text, of: name, in: folder, for: sensor)
  }

  /// Puts all back, in the order in which they were changed. What a device refuses that may be gone
  /// stays as it is.
  mutating func restore() {
    for original in originals where original.folder.isThere {
      try? original.folder.write(original.text, to: original.name)
    }
    if !originals.isEmpty { file?.forget(sensor) }
    originals = []
  }
}
