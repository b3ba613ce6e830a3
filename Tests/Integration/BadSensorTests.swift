import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// A sensor that is broken in one of the ways of sensors, as the one that answers by default: it says
/// so, and everything else goes on.
@Suite struct BadSensorTests {
  private typealias Accelerometers = AccelerometerTests

  /// What is done to a file of the sensor.
  enum Damage: Sendable {
    /// It has that text.
    case text(String)
    /// Reading it fails: it is a folder.
    case unreadable
    /// Reading it never ends: it is a pipe that nobody writes to, though somebody could.
    case endless
    /// It is not there.
    case missing
  }

  /// One way to be broken, and what is told of it.
  struct Way: Sendable, CustomTestStringConvertible {
    let files: [String]
    let damage: Damage
    let state: String
    /// How the sensor's warning begins, after the path of the first file, or before those of all axes.
    let warning: String
    var namesFileFirst = true

    var testDescription: String { "\(files.joined(separator: ", ")): \(damage)" }
  }

  private static let raw = ["x", "y", "z"].map { "in_accel_\($0)_raw" }

  static let ways: [Way] = [
    Way(
      files: ["in_accel_scale"], damage: .text("0.000000\n"), state: "failed",
      warning: ": is 0, which no sensor's scale is"),
    Way(
      files: ["in_accel_scale"], damage: .text("0,009806\n"), state: "failed",
      warning: ": \"0,009806\" is not a number"),
    Way(files: ["in_accel_scale"], damage: .unreadable, state: "failed", warning: ""),
    Way(
      files: ["in_accel_scale"], damage: .endless, state: "stale",
      warning: " takes longer than 1 s"),
    Way(
      files: ["in_accel_sampling_frequency"], damage: .endless, state: "stale",
      warning: " takes longer than 1 s"),
    Way(
      files: ["in_accel_sampling_frequency_available"], damage: .text("fast\n"), state: "live",
      warning: ": \"fast\" is not a number"),
    Way(
      files: ["in_accel_y_raw"], damage: .text("garbage\n"), state: "failed",
      warning: ": \"garbage\" is not a whole number"),
    Way(
      files: ["in_accel_y_raw"], damage: .text(""), state: "failed",
      warning: ": \"\" is not a whole number"),
    Way(files: ["in_accel_y_raw"], damage: .unreadable, state: "failed", warning: ""),
    Way(files: ["in_accel_y_raw"], damage: .missing, state: "failed", warning: " is missing"),
    Way(
      files: ["in_accel_y_raw"], damage: .endless, state: "stale",
      warning: "the sensor gave nothing for 2 s", namesFileFirst: false),
    Way(
      files: raw, damage: .text("0\n"), state: "stale",
      warning: "the sensor gives zero on every axis", namesFileFirst: false),
    Way(
      files: raw, damage: .text("2047\n"), state: "stale",
      warning: "the sensor gives its limit on every axis", namesFileFirst: false),
    Way(
      files: raw, damage: .text("12\n"), state: "stale",
      warning: "the sensor gives the same vector, without noise", namesFileFirst: false),
    Way(
      files: ["in_accel_mount_matrix"], damage: .text("1, 0, 0; 1, 0, 0; 0, 0, 1\n"),
      state: "live", warning: ": \"1, 0, 0; 1, 0, 0; 0, 0, 1\" "),
    Way(
      files: ["scan_elements/in_accel_x_type"], damage: .text("le:s12\n"), state: "live",
      warning: ": \"le:s12\" is not a scan type such as le:s12/16>>4"),
  ]

  /// Gives the pipes' writers, to be closed when the test is over.
  private static func damage(_ tree: SysfsTree, _ way: Way) throws -> [Int32] {
    var writers: [Int32] = []
    for file in way.files {
      let path = tree.path("iio:device0", file)
      try? FileManager.default.removeItem(atPath: path)
      switch way.damage {
      case .text(let text): try tree.set("iio:device0", file, to: text)
      case .unreadable: #expect(mkdir(path, 0o700) == 0)
      case .endless:
        #expect(mkfifo(path, 0o600) == 0)
        writers.append(open(path, O_RDWR | O_CLOEXEC))
      case .missing: break
      }
    }
    return writers
  }

  @Test(
    "It has a state and a warning; other sensors and location go on, and the daemon ends",
    arguments: ways)
  func harmless(way: Way) throws {
    let tree = try SysfsTree(machine: "03-")
    // Nothing but what the test does to it is to be wrong.
    try Data().write(to: URL(fileURLWithPath: tree.udev + "/iio:device0.props"))
    let writers = try Self.damage(tree, way)
    defer { for writer in writers { close(writer) } }
    let daemon = try DaemonProcess(
      """
      [Location]
      Source=simulation
      [Accelerometer]
      SysfsRoot=\(tree.root)
      UdevRoot=\(tree.udev)
      """, keeping: tree)
    let bad = try daemon.connect()
    try bad.stream(AccelerometerTests.subscribe, ["rate": 50])
    let state = try bad.next { $0["state"]?.string == way.state }
    #expect(state["sensor"] == nil || state["sensor"]?.string == "iio:device0")

    let other = try daemon.connect().call(AccelerometerTests.sample, ["sensor": "base"])
    #expect(other["sensor"]?.string == "iio:device1")
    let location = try daemon.connect()
    try location.stream("io.bearing.location.Subscribe")
    #expect(try location.next { $0["fix"] != nil }["state"]?.string == "live")

    let reply = try daemon.connect().call(AccelerometerTests.list)
    let sensors = try #require(try reply["sensors"]?.decode([Sensor].self))
    #expect(sensors.map(\.identifier) == ["iio:device0", "iio:device1"])
    let file = tree.path("iio:device0", way.files[0])
    #expect(
      sensors[0].warnings.contains { warning in
        way.namesFileFirst
          ? warning.contains(file + way.warning)
          : warning == "\(way.warning): \(tree.path("iio:device0", "in_accel_*_raw"))"
      }, "\(sensors[0].warnings)")
    #expect(sensors[1].warnings == [])
    #expect(daemon.stop() == 0)
  }
}
