internal import BearingModel

/// Reads what clients see of one accelerometer, and what choosing one needs.
enum IIOSensor {
  static let axes = ["x", "y", "z"]
  private static let rawFiles = axes.map { "in_accel_\($0)_raw" }
  private static let labels = ["label", "location"]

  /// Whether a device is an accelerometer, though perhaps one with too few axes.
  static func isAccelerometer(_ folder: IIOFolder) -> Bool {
    rawFiles.contains(where: folder.has)
  }

  /// Its place in the machine, not yet told apart from one that is alike.
  static func path(_ folder: IIOFolder) -> String {
    var attributes = IIOAttributes(folder)
    let place = folder.place ?? "/\(attributes.text(["name"]) ?? folder.identifier)"
    return IIOPlace.lasting(place, label: attributes.text(labels))
  }

  /// The accelerometer in `folder`.
  ///
  /// `configured` is what the configuration says of it; nil for nothing. The path is not yet told apart from
  /// one that is alike.
  static func read(
    _ folder: IIOFolder, in tree: IIOTree, database: IIODatabase, configured: IIOConfigured?,
    isSimulated: Bool, progress: IIOProgress
  ) -> DiscoveredSensor {
    var attributes = IIOAttributes(folder, progress: progress)
    let label = attributes.text(labels)
    progress.note(label: label)
    let properties = database.properties(of: &attributes)
    let calibration = IIOCalibration.read(&attributes)
    let frame = IIOFrame.read(&attributes, properties: properties, configured: configured?.matrix)
    let rate = attributes.number(IIORateFile.names)
    let rates = IIORateFile.rates(&attributes)

    var unusable: String?
    if let first = rawFiles.first(where: { !folder.has($0) }) {
      unusable = "\(folder.path)/\(first) is missing"
    } else if case .failure(let problem) = calibration {
      unusable = problem.reason
    }
    // Clients see warnings alone.
    if let unusable { attributes.warn(unusable) }
    let location = properties["ACCEL_LOCATION"] ?? label
    let name = attributes.text(["name"])
    let modes = IIOModes(IIOMode.offered(by: folder, in: tree), failed: [:])
    return DiscoveredSensor(
      sensor: Sensor(
        identifier: folder.identifier,
        path: path(folder),
        name: name ?? folder.identifier, location: word(for: location),
        mode: modes.mode.rawValue, modeReason: modes.reason, rate: max(0, rate ?? 0),
        availableRates: rates.shown,
        scale: (try? calibration.get())?.scaleNumbers ?? [],
        bias: configured?.bias.map { [$0.x, $0.y, $0.z] },
        scaleFactor: configured?.scaleFactor.map { [$0.x, $0.y, $0.z] },
        mountMatrix: frame.matrix.numbers, mountMatrixSource: frame.source.rawValue,
        signNegated: frame.isNegated, simulated: isSimulated, warnings: attributes.warnings),
      label: label ?? location, isRemovable: isRemovable(folder, properties), unusable: unusable)
  }

  /// The accelerometer in `folder`, whose driver does not answer: known by its name and its place.
  static func silent(
    _ folder: IIOFolder, _ progress: IIOProgress, isSimulated: Bool
  ) -> DiscoveredSensor {
    let seconds = IIOReaders.patience / Nanoseconds.second
    let reason = "reading \(progress.file) takes longer than \(seconds) s"
    let label = progress.label
    return DiscoveredSensor(
      sensor: Sensor(
        identifier: folder.identifier,
        path: IIOPlace.lasting(folder.place ?? "/\(folder.identifier)", label: label),
        name: folder.identifier, location: word(for: label),
        mode: IIOMode.polling.rawValue, rate: 0, availableRates: [], scale: [],
        mountMatrix: MountMatrix.identity.numbers,
        mountMatrixSource: IIOFrame.Source.none.rawValue, signNegated: false,
        simulated: isSimulated, warnings: [reason]),
      label: label, isRemovable: false, unusable: reason)
  }

  /// The wire's word for a label such as accel-display, or a location such as lid.
  private static func word(for label: String?) -> String {
    guard let label else { return SensorChooser.defaultLocation }
    let word = label.hasPrefix("accel-") ? String(label.dropFirst("accel-".count)) : label
    // cros_ec_sensors before labels: lid, base, unknown.
    return word == "lid" || word == "unknown" ? SensorChooser.defaultLocation : word
  }

  /// Whether it can be pulled out: by udev's word, else by the bus's, else when it is on Bluetooth.
  ///
  /// A USB port that does not say counts as fixed: tablets have their sensor hub inside on one.
  private static func isRemovable(_ folder: IIOFolder, _ properties: [String: String]) -> Bool {
    if let integration = properties["ID_INTEGRATION"] { return integration == "external" }
    let parts = folder.place?.split(separator: "/") ?? []
    if parts.contains(where: { $0.hasPrefix("hci") || $0.hasPrefix("0005:") }) { return true }
    return folder.removable == "removable"
  }
}

/// What the configuration says of the sensor that answers by default; nil where it says nothing.
struct IIOConfigured: Sendable {
  let matrix: MountMatrix?
  /// Metres per second squared, to be taken from the sensor's own axes.
  let bias: SIMD3<Double>?
  /// What to multiply them with then.
  let scaleFactor: SIMD3<Double>?

  /// Nil when it says nothing at all.
  init?(_ settings: AccelerometerSettings) {
    matrix = settings.mountMatrix.flatMap { try? MountMatrix($0) }
    bias = settings.bias
    scaleFactor = settings.scaleFactor
    if matrix == nil, bias == nil, scaleFactor == nil { return nil }
  }
}

/// The files of a sensor's rate, under the names of every family of drivers.
enum IIORateFile {
  static let names = ["in_accel_sampling_frequency", "sampling_frequency"]
  static let available = [
    "in_accel_sampling_frequency_available", "sampling_frequency_available",
  ]

  /// The rates that the sensor offers.
  static func rates(_ attributes: inout IIOAttributes) -> IIORates {
    let read = attributes.read(available) { bytes throws(TextProblem) in
      try IIORates(parsing: bytes)
    }
    return read.value ?? .unknown
  }
}
