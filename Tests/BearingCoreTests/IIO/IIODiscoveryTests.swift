import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import BearingCore

@Suite struct IIODiscoveryTests {
  @Test("The machines are all there")
  func fixtures() {
    #expect(IIOFixtures.machines.count == 13)
    #expect(IIOFixtures.machines.flatMap(\.sensors).count == 15)
  }

  @Test(
    "Each sensor shows its name, place, scale, matrix and sign", arguments: IIOFixtures.machines)
  func properties(machine: IIOFixtures.Machine) throws {
    let tree = try machine.tree()
    let rig = try SourceRig(IIOSources(tree).discovery(), SensorListDemand())
    let list = try #require(
      rig.first { report in if case .sensors(let list, _) = report { list } else { nil } })
    #expect(rig.stop())

    #expect(list.map(\.sensor.identifier) == machine.sensors.map(\.device))
    for (found, expected) in zip(list, machine.sensors) {
      #expect(found.sensor.name == expected.name)
      #expect(found.sensor.location == expected.location)
      #expect(found.sensor.scale == expected.scale.compactMap { Double($0) })
      #expect(found.sensor.mountMatrix == expected.matrixNumbers)
      let source = expected.matrixSource == "default" ? "none" : expected.matrixSource
      #expect(found.sensor.mountMatrixSource == source)
      #expect(found.sensor.signNegated == (expected.sign == "negated"))
      #expect(found.sensor.simulated && found.sensor.mode == "polling")
      #expect(found.sensor.modeReason == "\(tree.root) has no device nodes")
      #expect(found.sensor.warnings == [] && found.unusable == nil && !found.isRemovable)
    }
  }

  @Test(
    "The best way of sampling that a sensor offers is told before it is tried",
    arguments: [
      ("01-", "buffer"), ("02-", "trigger"), ("03-", "trigger"), ("04-", "buffer"),
      ("05-", "buffer"), ("06-", "buffer"), ("07-", "buffer"), ("08-", "buffer"), ("09-", "buffer"),
      ("10-", "buffer"), ("11-", "buffer"), ("12-", "buffer"), ("13-", "polling"),
    ])
  func modes(name: String, mode: String) throws {
    let reasons = [
      "trigger": "the sensor has no trigger of its own", "polling": "the sensor has no buffer",
    ]
    let tree = try IIOFixtures.machine(name).tree()
    for found in try IIOSources(tree, nodes: tree.root + "/dev").sensors() {
      #expect(found.sensor.mode == mode && found.sensor.modeReason == reasons[mode])
    }
  }

  @Test(
    "Rates are found under every driver's names, and 0 is no rate",
    arguments: [
      ("01-", 15.62, [15.62, 31.26, 62.5, 125, 250, 500, 1000, 2000]),
      ("02-", 50.0, [0.781, 1.563, 3.125, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600]),
      ("05-", 10.0, []), ("07-", 0, [12.5, 100]),
      ("12-", 100, [1, 10, 25, 50, 100, 200, 400, 1600]),
      ("13-", 0, []),
    ])
  func rates(name: String, rate: Double, available: [Double]) throws {
    let tree = try IIOFixtures.machine(name).tree()
    let sensor = try #require(try IIOSources(tree).sensors().first?.sensor)
    #expect(sensor.rate == rate)
    #expect(sensor.availableRates == available)
  }

  @Test("A path is the place in the machine without the numbers of discovery")
  func paths() throws {
    let expected = [
      "01-": ["/devices/pci0000:00/808622C1:01/i2c/i2c-BOSC0200:00"],
      "03-": [
        "/devices/pci0000:00/0000:00:15.0/i2c_designware/i2c/i2c-KIOX010A:00/accel-display",
        "/devices/pci0000:00/0000:00:15.3/i2c_designware/i2c/i2c-KIOX020A:00/accel-base",
      ],
      "06-": [
        "/devices/pci0000:00/0000:00:15.3/i2c_designware/i2c/i2c-ITE8186:00/0018:048D:8186/HID-SENSOR-200073"
      ],
      "07-": [
        "/devices/platform/soc@0/a80000.spi/spi_master/spi/spi.0/a80000.spi:ec@0/cros-ec-dev/cros-ec-accel/accel-display",
        "/devices/platform/soc@0/a80000.spi/spi_master/spi/spi.0/a80000.spi:ec@0/cros-ec-dev/cros-ec-accel/accel-base",
      ],
      "11-": ["/devices/platform/soc/1c2b000.i2c/i2c/0068"],
    ]
    for (name, paths) in expected {
      let tree = try IIOFixtures.machine(name).tree()
      #expect(try IIOSources(tree).sensors().map(\.sensor.path) == paths)
    }
  }

  @Test("After a reboot that numbers everything anew the path is the same, the identifier is not")
  func renumbered() throws {
    let text = try String(
      contentsOfFile: IIOFixtures.machine("06-").description, encoding: .utf8)
    let renumbered = text.replacing("iio:device0", with: "iio:device7")
      .replacing("i2c-8", with: "i2c-11").replacing("8186.0003", with: "8186.000A")
      .replacing("HID-SENSOR-200073.2.auto", with: "HID-SENSOR-200073.14.auto")
      .replacing("i2c_designware.2", with: "i2c_designware.0")
    let (tree, laterTree) = try (SysfsTree(text), SysfsTree(renumbered))
    let before = try IIOSources(tree).sensors()
    let after = try IIOSources(laterTree).sensors()
    #expect(before.map(\.sensor.identifier) == ["iio:device0"])
    #expect(after.map(\.sensor.identifier) == ["iio:device7"])
    #expect(before.map(\.sensor.path) == after.map(\.sensor.path))
  }

  @Test(
    "Numbers of buses and connections go, addresses stay",
    arguments: [
      (
        "/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2.3/1-2.3:1.0/0003:045E:0921.0005/x",
        "/devices/pci0000:00/0000:00:14.0/usb/2/2.3/2.3:1.0/0003:045E:0921/x"
      ),
      (
        "/devices/platform/soc/fe204000.spi/spi_master/spi0/spi0.1/iio:device3",
        "/devices/platform/soc/fe204000.spi/spi_master/spi/spi.1"
      ),
      (
        "/devices/platform/80860F41:00/i2c-0/i2c-SMO8A90:00/iio:device12",
        "/devices/platform/80860F41:00/i2c/i2c-SMO8A90:00"
      ),
      ("/devices/virtual/iio:device0", "/devices/virtual"),
    ])
  func lastingPlace(place: String, lasting: String) {
    #expect(IIOPlace.lasting(place, label: nil) == lasting)
    #expect(IIOPlace.lasting(place, label: "accel-base") == lasting + "/accel-base")
  }

  @Test("Sensors whose places are alike are told apart by their order")
  func alike() {
    func paths(_ all: IIOPaths, _ sensors: String...) -> [String] {
      all.distinct(sensors.map { ($0, "/" + $0.prefix(1)) })
    }
    let all = IIOPaths()
    #expect(paths(all, "a1", "b1", "a2", "a3") == ["/a", "/b", "/a#2", "/a#3"])
    // One that stays keeps its name, and one that comes has the first that is free.
    #expect(paths(all, "a3", "b1") == ["/a#3", "/b"])
    #expect(paths(all, "a5", "b1", "a3", "a4") == ["/a", "/b", "/a#3", "/a#2"])
    #expect(all.path(at: "a4") == "/a#2" && all.path(at: "a1") == nil)
    // Its label, which tells it from the others, came late.
    #expect(all.distinct([("a4", "/a/base")]) == ["/a/base"])
  }

  @Test(
    "Of two chips that are alike, the one that stays keeps its path when the other goes and comes")
  func twins() throws {
    // Two adapters of one kind, each with the same chip at the same address.
    func chip(_ bus: Int, _ value: Int, device: Int) -> String {
      """
      P: /devices/platform/i2c_designware.\(bus)/i2c-\(bus)/\(bus)-0018/iio:device\(device)
      A: name=kxcjk1013\\n
      A: in_accel_scale=1\\n
      A: in_accel_x_raw=\(value)\\n
      A: in_accel_y_raw=2\\n
      A: in_accel_z_raw=3\\n
      """
    }
    let tree = try SysfsTree(
      [chip(1, 10, device: 0), chip(2, 20, device: 1)].joined(separator: "\n\n"))
    let sources = IIOSources(tree, withDatabase: false)
    let path = "/devices/platform/i2c_designware/i2c/0018"
    let both = try sources.sensors()
    #expect(both.map(\.sensor.path) == [path, path + "#2"])
    try tree.unplug("iio:device0")
    #expect(try sources.sensors().map(\.sensor.path) == [path + "#2"])
    // Who was given the first has not the second instead.
    let first = try SourceRig(sources.capture(both[0]), SensorDemand(rate: 100))
    #expect(first.next() == .gone)
    #expect(try IIOVectors.first(of: both[1], from: sources).x == 20)
  }

  @Test("Without a device database a sensor is known by its own files")
  func withoutDatabase() throws {
    let tree = try IIOFixtures.machine("03-").tree()
    let found = try IIOSources(tree, withDatabase: false).sensors()
    #expect(found.map(\.sensor.location) == ["display", "base"])
    #expect(found.map(\.label) == ["accel-display", "accel-base"])
    #expect(found.map(\.sensor.mountMatrixSource) == ["sysfs", "sysfs"])
    #expect(found.map(\.sensor.signNegated) == [false, false])
    #expect(found.map(\.sensor.simulated) == [true, true])
  }

  @Test("The configuration's matrix is for the sensor that answers by default, and used as it is")
  func configuredMatrix() throws {
    let tree = try IIOFixtures.machine("03-").tree()
    let matrix: [Double] = [0, 1, 0, 1, 0, 0, 0, 0, -1]
    let byDefault = try IIOSources(tree, matrix: matrix).sensors().map(\.sensor)
    #expect(byDefault.map(\.mountMatrixSource) == ["configuration", "sysfs"])
    #expect(byDefault[0].mountMatrix == matrix && !byDefault[0].signNegated)
    let named = try IIOSources(tree, matrix: matrix, sensor: "base").sensors().map(\.sensor)
    #expect(named.map(\.mountMatrixSource) == ["udev", "configuration"])
  }

  @Test("The configuration's bias and scale are for that sensor too, before its own matrix")
  func configuredCorrection() throws {
    let tree = try IIOCaptureTests.chip(
      x: 31, y: -988, z: 62,
      ["in_accel_scale": "0.01\n", "mount_matrix": "0, 1, 0; -1, 0, 0; 0, 0, 1\n"])
    var settings = AccelerometerSettings()
    settings.sysfsRoot = tree.root
    settings.udevRoot = tree.udev
    settings.bias = SIMD3(0.11, -0.38, 0.5)
    settings.scaleFactor = SIMD3(2, 1.5, 0.5)
    let sources = IIOSources(settings)
    let found = try #require(try sources.sensors().first)
    #expect(found.sensor.bias == [0.11, -0.38, 0.5])
    #expect(found.sensor.scaleFactor == [2, 1.5, 0.5])
    #expect(found.sensor.mountMatrixSource == "sysfs")
    // By hand: 2 · (0.31 − 0.11), 1.5 · (−9.88 + 0.38), 0.5 · (0.62 − 0.5), then y, −x, z.
    #expect(
      try IIOVectors.first(of: found, from: sources).differs(from: [-14.25, -0.4, 0.06]) < 1e-9)
    // Nothing on every axis stays nothing, so that it is seen.
    for axis in ["x", "y", "z"] { try tree.set("iio:device0", "in_accel_\(axis)_raw", to: "0\n") }
    #expect(try IIOVectors.first(of: found, from: sources).differs(from: [0, 0, 0]) == 0)
  }

  @Test(
    "What can be pulled out is marked: by udev, by its bus, by Bluetooth; an unsure port is not",
    arguments: [
      ("/devices/usb1/1-2/1-2:1.0/0003:045E:0921.0001", "removable\\n", "", true),
      ("/devices/usb1/1-2/1-2:1.0/0003:045E:0921.0001", "fixed\\n", "", false),
      ("/devices/usb1/1-2/1-2:1.0/0003:045E:0921.0001", "unknown\\n", "", false),
      ("/devices/usb1/1-2/1-2:1.0/0003:045E:0921.0001", "unknown\\n", "external", true),
      ("/devices/usb1/1-2/1-2:1.0/0003:045E:0921.0001", "removable\\n", "internal", false),
      ("/devices/virtual/misc/uhid/0005:057E:2009.0002", "", "", true),
      ("/devices/platform/soc/1c2b000.i2c/i2c-1/1-0068", "", "", false),
    ])
  func removable(place: String, port: String, integration: String, isRemovable: Bool) throws {
    let bus = port.isEmpty ? "" : "P: /devices/usb1/1-2\nA: removable=\(port)\n\n"
    let raw = ["x", "y", "z"].map { "A: in_accel_\($0)_raw=1\\n\n" }.joined()
    let tree = try SysfsTree(
      bus + "P: \(place)/iio:device0\n"
        + (integration.isEmpty ? "" : "E: ID_INTEGRATION=\(integration)\n") + raw
        + "A: in_accel_scale=0.01\\n\n")
    let found = try #require(try IIOSources(tree).sensors().first)
    #expect(found.isRemovable == isRemovable && found.unusable == nil)
  }

  @Test("A tree without IIO has no sensors, and triggers and other devices are none")
  func nothing() throws {
    let folder = try TemporaryFolder()
    var settings = AccelerometerSettings()
    settings.sysfsRoot = folder.path
    #expect(try IIOSources(settings).sensors() == [])
    let light = "P: /devices/light/iio:device0\nA: in_illuminance_raw=3\\n\n"
    let trigger = "P: /devices/light/trigger0\nA: in_accel_x_raw=3\\n\n"
    let tree = try SysfsTree(light + trigger)
    #expect(try IIOSources(tree).sensors() == [])
  }

  @Test("Sensors are listed again when asked, with what has changed")
  func again() throws {
    let tree = try IIOFixtures.machine("13-").tree()
    let rig = try SourceRig(IIOSources(tree).discovery(), SensorListDemand())
    guard case .sensors(let before, _)? = rig.next() else { throw Missing() }
    #expect(before.count == 1)
    try tree.unplug("iio:device0")
    rig.want(SensorListDemand(revision: 1))
    #expect(rig.next() == .sensors([], revision: 1))
    #expect(rig.stop())
  }

  @Test("Who asks while a look takes place is told which look began after that")
  func askedMeanwhile() throws {
    let tree = try IIOFixtures.machine("03-").tree()
    let file = try tree.makeSilent("iio:device0", "in_accel_sampling_frequency")
    let rig = try SourceRig(IIOSources(tree).discovery(), SensorListDemand(revision: 7))
    // It can be opened only when the look has come to it, which then waits for it.
    let end = Date() + 60
    var writer: Int32 = -1
    while writer < 0, Date() < end {
      writer = open(file, O_WRONLY | O_NONBLOCK)
      poll(nil, 0, 1)
    }
    try tree.unplug("iio:device1")
    rig.want(SensorListDemand(revision: 8))
    #expect(Self.devices(rig.next()) == ["iio:device0", "iio:device1", "of 7"])
    #expect(Self.devices(rig.next()) == ["iio:device0", "of 8"])
    close(writer)
    #expect(rig.stop())
  }

  private static func devices(_ report: SensorListReport?) -> [String]? {
    guard case .sensors(let list, let revision)? = report else { return nil }
    return list.map(\.sensor.identifier) + ["of \(revision)"]
  }

  @Test("A sensor whose driver does not answer keeps no other from being found, and comes later")
  func silentDriver() throws {
    let tree = try IIOFixtures.machine("03-").tree()
    let file = try tree.makeSilent("iio:device0", "in_accel_sampling_frequency")
    let sources = IIOSources(tree)
    let rig = try SourceRig(sources.discovery(), SensorListDemand())
    guard case .sensors(let first, _)? = rig.next() else { throw Missing() }
    #expect(first.map(\.sensor.identifier) == ["iio:device0", "iio:device1"])
    #expect(first[0].unusable == "reading \(file) takes longer than 1 s")
    #expect(first[0].sensor.warnings == [first[0].unusable] && first[1].unusable == nil)
    // Another look does not wait for it again, and starts no second thread.
    rig.want(SensorListDemand(revision: 1))
    #expect(rig.next() == .sensors(first, revision: 1))
    // One that is stopped and started anew knows of it too.
    #expect(rig.stop())
    let later = try SourceRig(sources.discovery(), SensorListDemand())
    #expect(later.next() == .sensors(first, revision: 0))
    let writer = open(file, O_WRONLY | O_NONBLOCK)
    #expect(writer >= 0 && write(writer, "25\n", 3) == 3)
    close(writer)
    let known = later.first { report -> DiscoveredSensor? in
      guard case .sensors(let list, _) = report else { return nil }
      return list.first { $0.sensor.identifier == "iio:device0" && $0.unusable == nil }
    }
    #expect(known?.sensor.rate == 25 && known?.label == "accel-display")
    #expect(later.stop())
  }

  struct Missing: Error {}
}
