/// Settings of a device that are changed while it is in use, and what they were.
struct IIOSettings {
  private let folder: IIOFolder
  private var originals: [(name: String, text: String)] = []

  /// Of that device, nothing changed.
  init(_ folder: IIOFolder) {
    self.folder = folder
  }

  /// Sets one, unless it is so. `original` is what it will be put back to, when that is not what
  /// it is now.
  mutating func set(
    _ name: String, to text: String, original: String? = nil
  ) throws(SystemError) {
    let now = try folder.text(name)
    let original = original ?? now
    if now != text { try folder.write(text, to: name) }
    if original != text, !originals.contains(where: { $0.name == name }) {
      originals.append((name, original))
    }
  }

  /// Puts all back, in the order in which they were changed. What a device refuses that may be gone
  /// stays as it is.
  mutating func restore() {
    guard folder.isThere else { return originals = [] }
    for original in originals { try? folder.write(original.text, to: original.name) }
    originals = []
  }
}
