/// The files of a sensor's buffer, under the names of the running kernel.
///
/// From 5.11 they stand in `buffer0`; before that, and beside it, in `buffer` and `scan_elements`.
struct IIOBufferFiles: Sendable, Equatable {
  private let controls: String
  private let elements: String

  var enable: String { "\(controls)/enable" }
  var length: String { "\(controls)/length" }
  var watermark: String { "\(controls)/watermark" }

  /// Those of a sensor; nil when it has no buffer that gives acceleration.
  init?(_ folder: IIOFolder) {
    let places = [("buffer0", "buffer0"), ("buffer", "scan_elements")]
    guard
      let place = places.first(where: { controls, elements in
        folder.has("\(controls)/enable")
          && IIOSensor.axes.allSatisfy { folder.has("\(elements)/in_accel_\($0)_en") }
      })
    else { return nil }
    (controls, elements) = place
  }

  /// The file that switches a channel on.
  func switching(_ element: String) -> String { "\(elements)/\(element)_en" }

  /// The channels that are switched on.
  func enabled(_ folder: IIOFolder) throws(IIOFailure) -> [IIOScanElement] {
    let end = "_en"
    let names: [String]
    do throws(SystemError) {
      names = try Files.names(in: "\(folder.path)/\(elements)")
    } catch {
      throw IIOFailure(error, on: folder)
    }
    var found: [IIOScanElement] = []
    for name in names where name.hasSuffix(end) {
      let element = String(name.dropLast(end.count))
      guard try read(folder, element, end, NumberText.whole) != 0 else { continue }
      let index = try read(folder, element, "_index", NumberText.whole)
      let type = try read(folder, element, "_type") { bytes throws(TextProblem) in
        try IIOScanType(parsing: bytes)
      }
      found.append(IIOScanElement(name: element, index: Int(index), type: type))
    }
    return found
  }

  private func read<Value>(
    _ folder: IIOFolder, _ element: String, _ end: String,
    _ parse: ([UInt8]) throws(TextProblem) -> Value
  ) throws(IIOFailure) -> Value {
    let name = "\(elements)/\(element)\(end)"
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try folder.bytes(name)
    } catch {
      throw IIOFailure(error, on: folder)
    }
    do throws(TextProblem) {
      return try parse(bytes)
    } catch {
      throw .unreadable(reason: "\(folder.path)/\(name): \(error.reason)")
    }
  }
}
