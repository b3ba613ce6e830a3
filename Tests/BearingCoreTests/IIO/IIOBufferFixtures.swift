import Foundation
import TestSupport
import Testing

@testable import BearingCore

/// Recorded buffers, with the values that are right for each.
enum IIOBufferFixtures {
  /// One scan of a recording.
  struct Scan: Equatable, Sendable {
    let raw: [Int64]
    let stamp: Int64?
    /// Metres per second squared, in the sensor's own axes.
    let vector: [Double]
  }

  /// One recording.
  struct Recording: Sendable, CustomTestStringConvertible {
    let name: String
    /// Bytes of a scan.
    let size: Int
    let scale: String
    let elements: [IIOScanElement]

    var testDescription: String { name }

    func bytes() throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name).bin")))
    }

    func scans() throws -> [Scan] {
      let text = try String(contentsOfFile: "\(folder)/\(name).tsv", encoding: .utf8)
      var lines = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
      let columns = lines.removeFirst()
      return try lines.map { line in
        let row = Dictionary(uniqueKeysWithValues: zip(columns, line))
        return Scan(
          raw: try ["x", "y", "z"].map { try #require(row[$0].flatMap(Int64.init)) },
          stamp: row["timestamp_ns"].flatMap(Int64.init),
          vector: try ["x_si", "y_si", "z_si"].map { try #require(row[$0].flatMap(Double.init)) })
      }
    }
  }

  private static let folder = Fixtures.folder + "/iio-buffers"

  private static func axes(_ kind: String, _ type: String, from index: Int) -> [(
    String, Int, String
  )] {
    ["x", "y", "z"].enumerated().map { ("in_\(kind)_\($1)", index + $0, type) }
  }

  private static func recording(
    _ name: String, size: Int, scale: String, _ elements: [(String, Int, String)]
  ) -> Recording? {
    let read = elements.compactMap { element in
      (try? IIOScanType(parsing: element.2.utf8)).map {
        IIOScanElement(name: element.0, index: element.1, type: $0)
      }
    }
    guard read.count == elements.count else { return nil }
    return Recording(name: name, size: size, scale: scale, elements: read)
  }

  private static func stamp(_ index: Int) -> (String, Int, String) {
    ("in_timestamp", index, "le:s64/64>>0")
  }

  /// All of them.
  static let recordings: [Recording] = [
    recording(
      "a-le-s12-16-4-ts", size: 16, scale: "0.009577",
      axes("accel", "le:s12/16>>4", from: 0) + [stamp(3)]),
    recording(
      "b-be-s16-mpu6050-all-ts", size: 24, scale: "0.000598",
      axes("accel", "be:s16/16>>0", from: 0) + [("in_temp", 3, "be:s16/16>>0")]
        + axes("anglvel", "be:s16/16>>0", from: 4) + [stamp(7)]),
    recording(
      "c-le-s32-hid-ts", size: 24, scale: "0.000009806",
      axes("accel", "le:s32/32>>0", from: 0) + [stamp(3)]),
    recording(
      "d-le-s16-32-hid-garbage-ts", size: 24, scale: "0.009806650",
      axes("accel", "le:s16/32>>0", from: 0) + [stamp(3)]),
    recording(
      "e-real-adxl345-le-s13-16", size: 6, scale: "0.038300",
      axes("accel", "le:s13/16>>0", from: 0)),
    recording(
      "f-real-lng2dm-le-s8-8-ts", size: 16, scale: "0.152983",
      axes("accel", "le:s8/8>>0", from: 0) + [stamp(3)]),
    recording(
      "g-real-mpu9250-be-s16-partial", size: 12, scale: "0.000598",
      axes("accel", "be:s16/16>>0", from: 0) + axes("anglvel", "be:s16/16>>0", from: 3)),
    recording(
      "h-be-s12-16-4-nots", size: 6, scale: "0.009577", axes("accel", "be:s12/16>>4", from: 0)),
    recording(
      "i-le-s12-16-4-low-nibble", size: 16, scale: "0.009577",
      axes("accel", "le:s12/16>>4", from: 0) + [stamp(3)]),
  ].compactMap(\.self)
}

/// A sensor with a buffer: its tree, and a pipe in place of its device node.
final class IIOBufferMachine {
  /// Where the kernel has the buffer's files.
  enum Layout: Sendable {
    case buffer0, legacy

    var controls: String { self == .buffer0 ? "buffer0" : "buffer" }
    var elements: String { self == .buffer0 ? "buffer0" : "scan_elements" }
  }

  static let device = "iio:device0"

  let tree: SysfsTree
  let layout: Layout
  let sources: IIOSources
  /// The device node's path.
  var node: String { "\(nodes)/\(Self.device)" }
  private let folder: TemporaryFolder
  private let nodes: String
  private var pipe: Int32

  /// A sensor with these channels, all off, and these other files.
  ///
  /// `trigger` is what its file of the trigger holds; nil for a sensor without that file. `nodes` is
  /// an empty folder; nil for a temporary one. `originals` keeps what settings were.
  init(
    _ elements: [IIOScanElement], scale: String = "0.01",
    layout: Layout = .buffer0, trigger: String? = nil, clock: String? = "realtime",
    attributes: [String: String] = [:], others: String = "", nodes: String? = nil,
    originals: IIOOriginals? = nil
  ) throws {
    self.layout = layout
    var description =
      "P: /devices/chip/\(Self.device)\nA: name=fake\\n\nA: in_accel_scale=\(scale)\\n\n"
    for axis in ["x", "y", "z"] { description += "A: in_accel_\(axis)_raw=7\\n\n" }
    for (file, text) in [("enable", "0"), ("length", "2"), ("watermark", "1")] {
      description += "A: \(layout.controls)/\(file)=\(text)\\n\n"
    }
    for element in elements {
      let start = "A: \(layout.elements)/\(element.name)"
      description += "\(start)_en=0\\n\n\(start)_index=\(element.index)\\n\n"
      description += "\(start)_type=\(element.type.text)\\n\n"
    }
    if let trigger { description += "A: trigger/current_trigger=\(trigger)\\n\n" }
    if let clock { description += "A: current_timestamp_clock=\(clock)\\n\n" }
    for (name, text) in attributes { description += "A: \(name)=\(text)\\n\n" }
    tree = try SysfsTree(description + "\n" + others)
    folder = try TemporaryFolder()
    self.nodes = nodes ?? folder.path
    let node = "\(self.nodes)/\(Self.device)"
    #expect(mkfifo(node, 0o600) == 0)
    // Open for both, so that neither side waits for the other.
    pipe = open(node, O_RDWR | O_CLOEXEC)
    var settings = AccelerometerSettings()
    settings.sysfsRoot = tree.root
    settings.udevRoot = tree.udev
    settings.deviceRoot = self.nodes
    sources = IIOSources(settings, originals: originals)
  }

  deinit { unplugNode() }

  /// A sensor that makes the recording.
  convenience init(_ recording: IIOBufferFixtures.Recording, layout: Layout = .buffer0) throws {
    try self.init(recording.elements, scale: recording.scale, layout: layout)
    // What somebody has switched on stays on.
    for element in recording.elements where !element.name.hasPrefix("in_accel") {
      try set("\(layout.elements)/\(element.name)_en", to: "1\n")
    }
  }

  /// The source that reads the sensor.
  func rig(rate: Double) throws -> IIOCaptureTests.Rig {
    let found = try #require(try sources.sensors().first)
    return try SourceRig(sources.capture(found), SensorDemand(rate: rate))
  }

  /// Has the sensor give these bytes.
  func give(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    #expect(write(pipe, bytes, bytes.count) == bytes.count)
  }

  /// Ends what the device node gives.
  func unplugNode() {
    if pipe >= 0 { close(pipe) }
    pipe = -1
  }

  func get(_ attribute: String) throws -> String { try tree.get(Self.device, attribute) }
  func set(_ attribute: String, to text: String) throws {
    try tree.set(Self.device, attribute, to: text)
  }
  func control(_ name: String) throws -> String { try get("\(layout.controls)/\(name)") }

  /// Every file of the sensor that a capture may change, with what it holds.
  func settings() throws -> [String: String] {
    let names = try FileManager.default.subpathsOfDirectory(
      atPath: tree.path(Self.device, "").replacing("/bus/iio/devices/", with: "/devices/chip/"))
    var all: [String: String] = [:]
    for name in names {
      if let text = try? get(name) { all[name] = text.trimmingCharacters(in: .newlines) }
    }
    return all
  }
}

extension IIOScanType {
  /// As the kernel writes it.
  var text: String {
    let start = "\(isBigEndian ? "be" : "le"):\(isSigned ? "s" : "u")\(bits)/\(storageBits)"
    return start + (repeats > 1 ? "X\(repeats)" : "") + ">>\(shift)"
  }
}

extension IIOScanElement {
  /// The three axes, each of that type, from index 0; and a timestamp.
  static func axes(_ type: String, withTime: Bool = true) throws -> [IIOScanElement] {
    let scan = try IIOScanType(parsing: type.utf8)
    let axes = ["x", "y", "z"].enumerated().map { index, axis in
      IIOScanElement(name: "in_accel_\(axis)", index: index, type: scan)
    }
    guard withTime else { return axes }
    let time = try IIOScanType(parsing: "le:s64/64>>0".utf8)
    return axes + [IIOScanElement(name: "in_timestamp", index: 3, type: time)]
  }
}
