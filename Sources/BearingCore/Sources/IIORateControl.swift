internal import CLinux
internal import Glibc

/// A sensor's own rate: set while it runs, and put back when it stops.
struct IIORateControl {
  private let folder: IIOFolder
  private let name: String?
  private let rates: IIORates
  private let original: [UInt8]
  private var isChanged = false

  /// Of the sensor in that folder, as it is now.
  init(_ attributes: inout IIOAttributes) {
    folder = attributes.folder
    name = IIORateFile.names.first(where: attributes.folder.has)
    rates = IIORateFile.rates(&attributes)
    original = name.flatMap { try? attributes.folder.bytes($0) } ?? []
  }

  /// Sets the slowest rate that is at least `wanted` hertz, and gives the rate the sensor then has;
  /// nil when it does not say. A driver that refuses keeps its own.
  mutating func set(atLeast wanted: Double) -> Double? {
    guard let name else { return nil }
    let now = current(name)
    let target = rates.nearest(atLeast: wanted) ?? IIORate(wanted)
    if rates == .unknown, let now, now >= wanted { return now }
    if now == target.value { return now }
    if write(Array(target.text.utf8), to: name) { isChanged = true }
    return current(name)
  }

  /// Puts back what it was.
  mutating func restore() {
    guard isChanged, let name else { return }
    isChanged = false
    _ = write(NumberText.trimmed(original), to: name)
  }

  private func current(_ name: String) -> Double? {
    guard let bytes = try? folder.bytes(name), let rate = try? NumberText.decimal(bytes), rate > 0
    else { return nil }
    return rate
  }

  private func write(_ text: [UInt8], to name: String) -> Bool {
    let descriptor = unsafe clinux_open("\(folder.path)/\(name)", O_WRONLY | O_TRUNC, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let line = text + [UInt8(ascii: "\n")]
    return unsafe Glibc.write(descriptor, line, line.count) == line.count
  }
}
