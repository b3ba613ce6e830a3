/// A sensor's own rate, or its timer's: set while it runs.
struct IIORateControl {
  private let folder: IIOFolder
  private let name: String?
  private let rates: IIORates

  /// Of the sensor in that folder, as it is now. `rates` are what it can do, when that is known.
  init(_ attributes: inout IIOAttributes, rates: IIORates? = nil) {
    folder = attributes.folder
    name = IIORateFile.names.first(where: attributes.folder.has)
    self.rates = rates ?? IIORateFile.rates(&attributes)
  }

  /// Sets the slowest rate that is at least `wanted` hertz, and gives the rate the sensor then has;
  /// nil when it does not say. A driver that refuses keeps its own.
  func set(atLeast wanted: Double, in settings: inout IIOSettings) -> Double? {
    guard let name else { return nil }
    if let target = target(name, atLeast: wanted) {
      try? settings.set(name, in: folder, to: target.text)
    }
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

  private func current(_ name: String) -> Double? {
    guard let bytes = try? folder.bytes(name), let rate = try? NumberText.decimal(bytes),
      (IIORates.slowest...IIORates.fastest).contains(rate)
    else { return nil }
    return rate
  }
}
