internal import Locking

/// What one look at a sensor gave.
struct IIOReading: Sendable {
  /// As it is without the configuration.
  var plain: DiscoveredSensor
  /// As it is if the configuration means this one; nil when that says nothing of a sensor.
  var configured: DiscoveredSensor?
}

/// How far the reading of a sensor has come, for when it takes too long.
final class IIOProgress: Sendable {
  private struct Step: Sendable {
    var file = ""
    var label: String?
  }

  private let step = Guarded(Step())

  /// The file that is being read, or was last; empty before the first.
  var file: String { step.withValue { $0.file } }
  /// The sensor's label; nil when it has none, or is not yet known.
  var label: String? { step.withValue { $0.label } }

  /// Notes that `file` is to be read.
  func note(file: String) { step.withValue { $0.file = file } }
  /// Notes the sensor's label.
  func note(label: String?) { step.withValue { $0.label = label } }
}

/// Reads sensors' attributes, each on a thread of its own: a driver that does not answer keeps no
/// other sensor from being found. A sensor has one such thread at most, however often it is looked at.
final class IIOReaders: Sendable {
  /// Nanoseconds that a look waits for a sensor to tell of itself.
  static let patience = Nanoseconds.second

  private struct Reader: Sendable {
    var place: String?
    var since: BootTime?
    var progress = IIOProgress()
    var reading: IIOReading?
  }

  private let readers = Guarded<[String: Reader]>([:])
  /// Signalled each time that a sensor has been read.
  let wake = Wake()

  /// Begins to read those in `folders` that are not being read, and forgets those that are gone.
  func begin(
    _ folders: [IIOFolder], _ read: @escaping @Sendable (IIOFolder, IIOProgress) -> IIOReading
  ) throws(SystemError) {
    let names = Set(folders.map(\.identifier))
    readers.withValue { readers in
      readers = readers.filter { names.contains($0.key) || $0.value.since != nil }
    }
    for folder in folders {
      let progress: IIOProgress? = readers.withValue { readers in
        var reader = readers[folder.identifier] ?? Reader()
        guard reader.since == nil else { return nil }
        if reader.place != folder.place { reader = Reader(place: folder.place) }
        reader.since = .now()
        readers[folder.identifier] = reader
        return reader.progress
      }
      guard let progress else { continue }
      do throws(SystemError) {
        try PlainThread.start(name: "sensor") { [self] in
          finish(folder, read(folder, progress))
        }
      } catch {
        finish(folder, nil)
        throw error
      }
    }
  }

  private func finish(_ folder: IIOFolder, _ reading: IIOReading?) {
    readers.withValue { readers in
      readers[folder.identifier]?.since = nil
      if let reading { readers[folder.identifier]?.reading = reading }
    }
    wake.signal()
  }

  /// Until when those of `folders` that are being read are waited for; nil when all have been read.
  func end(of folders: [IIOFolder]) -> BootTime? {
    readers.withValue { readers in
      folders.compactMap { readers[$0.identifier]?.since.map { $0 + Self.patience } }.max()
    }
  }

  /// What is known of each: from the last time that it could be read, else what `silent` makes of
  /// how far that came.
  func readings(
    of folders: [IIOFolder], _ silent: (IIOFolder, IIOProgress) -> DiscoveredSensor
  ) -> [IIOReading] {
    folders.map { folder in
      let reader = readers.withValue { $0[folder.identifier] }
      if let reader, reader.place == folder.place, let reading = reader.reading { return reading }
      return IIOReading(plain: silent(folder, reader?.progress ?? IIOProgress()))
    }
  }
}
