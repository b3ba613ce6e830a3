import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import BearingCore

@Suite struct IIOCaptureTests {
  typealias Rig = SourceRig<SensorReport, SensorDemand>

  /// A sensor of a machine's tree being read.
  static func rig(
    _ tree: SysfsTree, rate: Double, sensor: Int = 0, withDatabase: Bool = true
  ) throws -> Rig {
    let sources = IIOSources(tree, withDatabase: withDatabase)
    return try Rig(sources.capture(sources.sensors()[sensor]), SensorDemand(rate: rate))
  }

  static func failing(_ report: SensorReport) -> String? {
    if case .failing(let reason) = report { reason } else { nil }
  }

  static func running(_ report: SensorReport) -> Double? {
    if case .running(mode: "polling", let rate, _, _) = report { rate } else { nil }
  }

  @Test(
    "Each sensor's vector is in the device frame, with its pose", arguments: IIOFixtures.machines)
  func deviceFrame(machine: IIOFixtures.Machine) throws {
    let tree = try machine.tree()
    let sources = IIOSources(tree)
    for (found, expected) in zip(try sources.sensors(), machine.sensors) {
      let vector = try IIOVectors.first(of: found, from: sources)
      #expect(vector.differs(from: expected.vector) < 1e-6)
      var detector = OrientationDetector()
      _ = detector.add(x: vector.x, y: vector.y, z: vector.z, time: vector.time)
      #expect(detector.orientation.rawValue == expected.orientation)
      #expect(detector.tilt.rawValue == expected.tilt)
    }
  }

  @Test(
    "The driver's matrix is used under each of its names and in each spelling",
    arguments: [
      ("in_accel_mount_matrix", "1, 0, 0; 0, 1, 0; 0, 0, 1\n", [0.304, -9.6883, 0.608]),
      ("in_mount_matrix", "0,1,0;-1,0,0;0,0,1", [-9.6883, -0.304, 0.608]),
      ("mount_matrix", "-1, 0, 0 ; 0, -1, 0 ; 0, 0, 1  \n", [-0.304, 9.6883, 0.608]),
      (
        "in_accel_mount_matrix",
        "0.0000, 1.0000, 0.0000; 1.0000, 0.0000, 0.0000; 0.0000, 0.0000, -1.0000\n",
        [-9.6883, 0.304, -0.608]
      ),
    ])
  func matrixNames(name: String, text: String, expected: [Double]) throws {
    let tree = try Self.chip(x: 31, y: -988, z: 62, ["in_accel_scale": "0.009806\n", name: text])
    let sources = IIOSources(tree)
    let found = try #require(try sources.sensors().first)
    #expect(found.sensor.mountMatrixSource == "sysfs" && !found.sensor.signNegated)
    #expect(try IIOVectors.first(of: found, from: sources).differs(from: expected) < 5e-5)
  }

  @Test("The deprecated in_accel_matrix is no mount matrix")
  func deprecatedMatrix() throws {
    let tree = try Self.chip(
      x: 0, y: 1000, z: 0,
      ["in_accel_scale": "0.01\n", "in_accel_matrix": "0, 0, 0; 0, 0, 0; 0, 0, 0\n"])
    let found = try #require(try IIOSources(tree).sensors().first)
    #expect(found.sensor.mountMatrixSource == "none" && found.sensor.warnings == [])
  }

  @Test(
    "A scale in any legal spelling is that number",
    arguments: ["0.009806\n", " 0.009806 \n", "9.806e-3\n", "0.009806\r\n", "0.009806"])
  func scaleSpelling(text: String) throws {
    let tree = try Self.chip(x: 8, y: -985, z: 40, ["in_accel_scale": text])
    let sources = IIOSources(tree)
    let found = try #require(try sources.sensors().first)
    #expect(found.sensor.scale == [0.009806, 0.009806, 0.009806] && found.unusable == nil)
    #expect(
      try IIOVectors.first(of: found, from: sources).differs(from: [0.078448, -9.65891, 0.39224])
        < 1e-9)
  }

  @Test(
    "A scale of no use makes the sensor unusable, never a scale of 1",
    arguments: [
      ("0.000000\n", "is 0, which no sensor's scale is"), ("", "\"\" is not a number"),
      ("0,009806\n", "\"0,009806\" is not a number"), ("n/a\n", "\"n/a\" is not a number"),
    ])
  func uselessScale(text: String, problem: String) throws {
    let tree = try Self.chip(x: 8, y: -985, z: 40, ["in_accel_scale": text])
    let sources = IIOSources(tree)
    let found = try #require(try sources.sensors().first)
    let reason = tree.path("iio:device0", "in_accel_scale") + ": " + problem
    #expect(found.unusable == reason)
    #expect(found.sensor.warnings == [reason] && found.sensor.scale == [])
    let rig = try Rig(sources.capture(found), SensorDemand(rate: 10))
    #expect(rig.next() == .failing(reason: reason))
    // Once it is mended, it is read.
    try tree.set("iio:device0", "in_accel_scale", to: "0.01\n")
    #expect(rig.first(IIOVectors.vector)?.differs(from: [0.08, -9.85, 0.4]) ?? 1 < 1e-9)
    #expect(rig.stop())
  }

  @Test(
    "What cannot be read or understood is a warning that names its file",
    arguments: [
      ("in_accel_mount_matrix", "1,0,0;0,1,0", "has 2 rows where a matrix has 3"),
      ("in_accel_sampling_frequency", "fast", "is not a number"),
      ("sampling_frequency_available", "1 x", "is not a number"),
      ("scan_elements/in_accel_y_type", "s12", "is not a scan type such as le:s12/16>>4"),
    ])
  func warnings(name: String, text: String, problem: String) throws {
    let tree = try Self.chip(x: 0, y: 1000, z: 0, ["in_accel_scale": "0.01", name: text])
    let found = try #require(try IIOSources(tree).sensors().first)
    #expect(found.unusable == nil && found.sensor.mountMatrixSource == "none")
    let warning = try #require(found.sensor.warnings.first)
    #expect(found.sensor.warnings.count == 1)
    #expect(warning.hasPrefix(tree.path("iio:device0", name) + ": \""))
    #expect(warning.hasSuffix(problem))
  }

  @Test("A matrix of udev's that is of no use leaves the sensor as it sits, and says so")
  func uselessUdevMatrix() throws {
    let tree = try SysfsTree(
      "P: /devices/x/iio:device0\nE: ACCEL_MOUNT_MATRIX=1;0\nA: in_accel_x_raw=1\\n\n"
        + "A: in_accel_y_raw=1\\n\nA: in_accel_z_raw=1\\n\nA: in_accel_scale=1\\n\n"
        + "A: mount_matrix=0, 1, 0; 1, 0, 0; 0, 0, 1\\n\n")
    let sensor = try #require(try IIOSources(tree).sensors().first?.sensor)
    #expect(sensor.mountMatrix == [1, 0, 0, 0, 1, 0, 0, 0, 1])
    #expect(sensor.mountMatrixSource == "none" && !sensor.signNegated)
    #expect(
      sensor.warnings == [
        "iio:device0: udev's ACCEL_MOUNT_MATRIX \"1;0\" has 2 rows where a matrix has 3; not used"
      ])
  }

  @Test("A sensor without one of its axes is shown as unusable")
  func missingAxis() throws {
    let tree = try Self.chip(x: 0, y: 0, z: 0, ["in_accel_scale": "0.01"])
    try tree.remove("iio:device0", "in_accel_z_raw")
    let found = try #require(try IIOSources(tree).sensors().first)
    #expect(found.unusable == tree.path("iio:device0", "in_accel_z_raw") + " is missing")
  }

  @Test(
    "A raw value that is no number is a failure that names the file, until it is one again",
    arguments: ["garbage", "1.5", ""])
  func garbage(text: String) throws {
    let tree = try IIOFixtures.machine("13-").tree()
    try tree.set("iio:device0", "in_accel_y_raw", to: text)
    let rig = try Self.rig(tree, rate: 100)
    #expect(
      rig.first(Self.failing)
        == tree.path("iio:device0", "in_accel_y_raw") + ": \"\(text)\" is not a whole number")
    try tree.set("iio:device0", "in_accel_y_raw", to: "1024\n")
    #expect(rig.first(IIOVectors.vector)?.differs(from: [0, -9.806848, 0.124501]) ?? 1 < 1e-6)
    #expect(rig.stop())
  }

  @Test("A sensor that is not there when it is wanted is gone, and the source ends")
  func gone() throws {
    let tree = try IIOFixtures.machine("13-").tree()
    let sources = IIOSources(tree)
    let found = try #require(try sources.sensors().first)
    try tree.unplug("iio:device0")
    let rig = try Rig(sources.capture(found), SensorDemand(rate: 10))
    #expect(rig.next() == .gone)
    #expect(rig.ends())
  }

  @Test("A sensor that came back under another number is found by its place")
  func renumbered() throws {
    let text = try String(
      contentsOfFile: IIOFixtures.machine("13-").description, encoding: .utf8)
    let old = try SysfsTree(text)
    let new = try SysfsTree(text.replacing("iio:device0", with: "iio:device4"))
    let found = try #require(try IIOSources(old).sensors().first)
    let vector = try IIOVectors.first(of: found, from: IIOSources(new))
    #expect(vector.differs(from: [0, -9.806848, 0.124501]) < 1e-6)
  }

  @Test(
    "The sensor is set to the slowest of its rates that is enough, and back at the end",
    arguments: [
      ("01-", "in_accel_sampling_frequency", 40.0, "62.50000\n", 40.0),
      ("12-", "sampling_frequency", 5000.0, "1600\n", 1000.0),
      ("11-", "sampling_frequency", 50.0, "50\n", 50.0),
      ("07-", "sampling_frequency", 10.0, "12.500000\n", 10.0),
      ("10-", "sampling_frequency", 700.0, "500\n", 500.0),
      // It lists no rates: the one asked for is written when its own is too slow.
      ("05-", "in_accel_sampling_frequency", 40.0, "40\n", 40.0),
    ])
  func sensorRate(
    name: String, file: String, wanted: Double, written: String, granted: Double
  ) throws {
    let machine = try IIOFixtures.machine(name)
    let device = machine.sensors[0].device
    let tree = try machine.tree()
    let before = try tree.get(device, file)
    let rig = try Self.rig(tree, rate: wanted)
    #expect(rig.first(Self.running) == granted)
    #expect(rig.first(IIOVectors.vector) != nil)
    #expect(try tree.get(device, file) == written)
    #expect(rig.stop())
    #expect(try tree.get(device, file) == before)
  }

  @Test(
    "A rate that no sensor has is not believed, and the one that is wanted taken for granted",
    arguments: [
      ("9223372036854775807\n", nil), ("1e300\n", nil), ("50\n", "0.0000000001"),
      ("50\n", "0.0000005"),
    ])
  func absurdRate(now: String, available: String?) throws {
    let tree = try Self.chip(
      x: 0, y: 1000, z: 0, ["in_accel_scale": "0.01", "sampling_frequency": now])
    if let available {
      try tree.set("iio:device0", "sampling_frequency_available", to: available)
    }
    let rig = try Self.rig(tree, rate: 20)
    #expect(rig.first(Self.running) == 20)
    #expect(rig.first(IIOVectors.vector)?.differs(from: [0, 10, 0]) ?? 1 < 1e-9)
    #expect(rig.stop())
    #expect(try tree.get("iio:device0", "sampling_frequency") == now)
  }

  @Test("A device that has the name of one that is gone keeps its own settings")
  func reusedName() throws {
    let others = ["one", "two"].map { chip in
      "P: /devices/\(chip)/iio:device0\nA: in_accel_x_raw=1\\n\nA: sampling_frequency=50\\n\n"
        + "A: buffer0/length=2\\n\n"
    }
    let tree = try SysfsTree(others.joined(separator: "\n"))
    // The second one's place is what the name leads to; first it is the first one's.
    func plug(_ chip: String) throws {
      try tree.unplug("iio:device0")
      try FileManager.default.createSymbolicLink(
        atPath: "\(tree.root)/bus/iio/devices/iio:device0",
        withDestinationPath: "../../../devices/\(chip)/iio:device0")
    }
    func values() throws -> [String] {
      try ["sampling_frequency", "buffer0/length"].map { try tree.get("iio:device0", $0) }
    }
    try plug("one")
    let folder = try #require(try IIOTree(root: tree.root).devices().first)
    var attributes = IIOAttributes(folder)
    let rate = IIORateControl(&attributes)
    var settings = IIOSettings(folder, file: nil)
    #expect(rate.set(atLeast: 80, in: &settings) == 80)
    try settings.set("buffer0/length", in: folder, to: "16")
    #expect(folder.isThere)
    try plug("two")
    #expect(!folder.isThere)
    try tree.set("iio:device0", "sampling_frequency", to: "25\n")
    settings.restore()
    #expect(try values() == ["25\n", "2\n"])
    #expect(IIOFailure(SystemError("read", code: EBUSY), on: folder) == .gone)
  }

  @Test("The files of a sensor that is polled are opened once, and not for each sample")
  func heldFiles() throws {
    let machine = try IIOFixtures.machine("13-")
    let tree = try machine.tree()
    let rig = try Self.rig(tree, rate: 100)
    #expect(rig.first(IIOVectors.vector) != nil)
    for axis in IIOSensor.axes {
      try tree.remove(machine.sensors[0].device, "in_accel_\(axis)_raw")
    }
    let removed = BootTime.now()
    let isSampled = rig.first { report -> Bool? in
      switch report {
      case .sample(let time, _, _, _, _): time > removed ? true : nil
      case .failing, .gone: false
      case .running: nil
      }
    }
    #expect(isSampled == true)
    #expect(rig.stop())
  }

  @Test("A change of demand changes the rate while it runs")
  func demandChanges() throws {
    let tree = try IIOFixtures.machine("11-").tree()
    let rig = try Self.rig(tree, rate: 10)
    #expect(rig.first(Self.running) == 10)
    #expect(try tree.get("iio:device1", "sampling_frequency") == "10\n")
    rig.want(SensorDemand(rate: 150))
    #expect(rig.first(Self.running) == 150)
    #expect(try tree.get("iio:device1", "sampling_frequency") == "200\n")
    #expect(rig.stop())
    #expect(try tree.get("iio:device1", "sampling_frequency") == "50\n")
  }

  @Test("No deadline is met twice or early")
  func deadlines() throws {
    let tree = try IIOFixtures.machine("02-").tree()
    let rig = try Self.rig(tree, rate: 200)
    let period: Int64 = 5_000_000
    var met: [Int64] = []
    for _ in 0..<100 {
      let vector = try #require(rig.first(IIOVectors.vector))
      met.append((vector.time.nanoseconds - period / 2) / period)
    }
    #expect(rig.stop())
    #expect(zip(met, met.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("A read that takes 2.3 s holds up nothing but its own sample")
  func slowRead() throws {
    let tree = try IIOFixtures.machine("13-").tree()
    let file = try tree.makeSilent("iio:device0", "in_accel_y_raw")
    let slow = try SlowFile(file, text: "1024\n", seconds: 2.3)
    let rig = try Self.rig(tree, rate: 100)
    // The first one may have waited while the file was opened.
    #expect(rig.first(IIOVectors.vector) != nil)
    let vector = try #require(rig.first(IIOVectors.vector))
    #expect(vector.differs(from: [0, -9.806848, 0.124501]) < 1e-6)
    let next = try #require(rig.first(IIOVectors.vector))
    #expect(next.time - vector.time > 2_200_000_000)
    #expect(rig.stop())
    withExtendedLifetime(slow) {}
  }

  /// A pipe whose every reader waits that long for its text, as long as the object lives; who reads
  /// must have stopped before.
  final class SlowFile: Sendable {
    private let process: ChildProcess

    init(_ path: String, text: String, seconds: Double) throws {
      process = try ChildProcess(
        "/bin/sh",
        [
          "-c", "while :; do sleep \(seconds); printf '%s' \"$1\" > \"$0\"; done", path, text,
        ])
    }
  }

  @Test("All axes at the end of their range are marked as saturated")
  func saturated() throws {
    let tree = try IIOFixtures.machine("02-").tree()
    for (axis, raw) in zip(["x", "y", "z"], ["2047", "-2048", "2047"]) {
      try tree.set("iio:device0", "in_accel_\(axis)_raw", to: "\(raw)\n")
    }
    let rig = try Self.rig(tree, rate: 50)
    let isSaturated = rig.first { report in
      if case .sample(_, _, _, _, let isSaturated) = report { isSaturated } else { nil }
    }
    #expect(isSaturated == true)
    #expect(rig.stop())
  }

  /// A chip without anything but what is given.
  static func chip(
    x: Int, y: Int, z: Int, _ attributes: [String: String]
  ) throws -> SysfsTree {
    let tree = try SysfsTree(
      "P: /devices/chip/iio:device0\nA: name=fake_accel\\n\nA: in_accel_x_raw=\(x)\\n\n"
        + "A: in_accel_y_raw=\(y)\\n\nA: in_accel_z_raw=\(z)\\n\nA: scan_elements/none=\n")
    for (name, text) in attributes { try tree.set("iio:device0", name, to: text) }
    return tree
  }
}
