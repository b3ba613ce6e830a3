/// A sensor's own rate: set while it runs, and put back when it stops.
struct IIORateControl {
  private let folder: IIOFolder
  private let name: String?
  private let rates: IIORates
  private let original: String
  private var isChanged = false

  /// Of the sensor in that folder, as it is now. `rates` are what it can do, when that is known.
  init(_ attributes: inout IIOAttributes, rates: IIORates? = nil) {
    folder = attributes.folder
    name = IIORateFile.names.first(where: attributes.folder.has)
    self.rates = rates ?? IIORateFile.rates(&attributes)
    original = name.flatMap { try? attributes.folder.text($0) } ?? ""
  }

  /// Sets the slowest rate that is at least `wanted` hertz, and gives the rate the sensor then has;
  /// nil when it does not say. A driver that refuses keeps its own.
  mutating func set(atLeast wanted: Double) -> Double? {
    guard let name else { return nil }
    guard let target = target(name, atLeast: wanted) else { return current(name) }
    if (try? folder.write(target.text, to: name)) != nil { isChanged = true }
    return current(name)
  }

  /// Whether `set` would change nothing.
  func isSet(atLeast wanted: Double) -> Bool {
    name.map { target($0, atLeast: wanted) == nil } ?? true
  }

  /// The rate to set; nil when it is set.
  private func target(_ name: String, atLeast wanted: Double) -> IIORate? {
    let now = current(name)
    if rates == .unknown, let now, now >= wanted { return nil }
    let target = rates.nearest(atLeast: wanted) ?? IIORate(wanted)
    return now == target.value ? nil : target
  }

  /// Puts back what it was.
  mutating func restore() {
    guard isChanged, let name else { return }
    isChanged = false
    guard folder.isThere else { return }
    try? folder.write(original, to: name)
  }

  private func current(_ name: String) -> Double? {
    guard let bytes = try? folder.bytes(name), let rate = try? NumberText.decimal(bytes),
      (IIORates.slowest...IIORates.fastest).contains(rate)
    else { return nil }
    return rate
  }
}
