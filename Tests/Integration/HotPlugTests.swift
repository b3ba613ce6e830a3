import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// Accelerometers that come and go under open streams.
@Suite struct HotPlugTests {
  private typealias Accelerometers = AccelerometerTests

  private static let motion = AccelerometerTests.interface + ".SubscribeMotion"
  private static let everyStream = [
    AccelerometerTests.subscribe, AccelerometerTests.orientation, motion,
  ]

  /// A chip as drivers show it; its raw x tells chips apart.
  private static func chip(_ number: Int, x: Int = 0, label: String? = nil, isPad: Bool = false)
    -> String
  {
    let place = isPad ? "/devices/virtual/uhid/0005:057E:2009.0002" : "/devices/chip\(number)"
    return """
      P: \(place)/iio:device\(number)
      N: iio:device\(number)
      E: DEVNAME=/dev/iio:device\(number)
      E: DEVTYPE=iio_device
      E: SUBSYSTEM=iio
      A: name=chip\\n
      A: in_accel_x_raw=\(x)\\n
      A: in_accel_y_raw=981\\n
      A: in_accel_z_raw=0\\n
      A: in_accel_scale=0.01\\n
      \(label.map { "A: label=\($0)\\n\n" } ?? "")

      """
  }

  private static func isState(_ state: String, of sensor: String? = nil) -> (JSON) -> Bool {
    { $0["state"]?.string == state && (sensor == nil || $0["sensor"]?.string == sensor) }
  }

  private static func streams(
    _ daemon: DaemonProcess, _ parameters: JSON = [:]
  ) throws -> [DaemonProcess.Peer] {
    try everyStream.map { method in
      let peer = try daemon.connect()
      try peer.stream(method, parameters)
      return peer
    }
  }

  // MARK: With udev

  /// Nothing is asked of the daemon meanwhile, and the files of the sensor that went can still be
  /// read: only udev tells.
  @Test(
    "A sensor that udev takes away leaves its streams without one; they have it when it is back",
    .enabled(if: MockedMachine.isAvailable))
  func told() throws {
    let machine = try MockedMachine()
    try machine.plug(Self.chip(0))
    let daemon = try DaemonProcess(
      "[Location]\nSource=none\n", environment: machine.environment)
    let streams = try Self.streams(daemon)
    for peer in streams { _ = try peer.next(Self.isState("live", of: "iio:device0")) }

    try machine.unplug("/devices/chip0/iio:device0")
    let gone = try streams.map { try $0.next(Self.isState("noSensor")) }
    #expect(gone[1]["orientation"]?.string == "undefined")
    #expect(gone[2]["motion"]?.string == "unknown")

    try machine.plug(Self.chip(0).replacing("iio:device0", with: "iio:device3"))
    for peer in streams { #expect(try peer.next()["state"]?.string == "starting") }
    for peer in streams { _ = try peer.next(Self.isState("live", of: "iio:device3")) }
    #expect(daemon.stop() == 0)
  }

  @Test(
    "While nobody listens nobody hears; what came or went meanwhile is seen by the next caller",
    .enabled(if: MockedMachine.isAvailable))
  func untold() throws {
    let machine = try MockedMachine()
    let daemon = try DaemonProcess(
      "[Location]\nSource=none\n", environment: machine.environment)
    let quiet = try daemon.connect()
    _ = try quiet.call("io.bearing.daemon.GetStatus")
    let idle = daemon.lastingSocketCount
    do {
      let peer = try daemon.connect()
      try peer.stream(AccelerometerTests.subscribe)
      #expect(try peer.next() == ["state": "noSensor", "samples": []])
      // Its connection, and what hears of devices.
      #expect(daemon.lastingSocketCount == idle + 2)
    }
    #expect(daemon.waitUntil { daemon.lastingSocketCount == idle })
    try machine.plug(Self.chip(0))
    #expect(try quiet.call(AccelerometerTests.sample)["sensor"]?.string == "iio:device0")
    #expect(daemon.waitUntil { daemon.lastingSocketCount == idle })
    try machine.unplug("/devices/chip0/iio:device0")
    let sensors = try quiet.call(AccelerometerTests.list)["sensors"]
    #expect(sensors == [])
  }

  // MARK: Without udev

  @Test("Where nothing tells, a look finds that a sensor went, and one that came is looked for")
  func seen() throws {
    let tree = try SysfsTree(Self.chip(0))
    let daemon = try Accelerometers.daemon(tree)
    let streams = try Self.streams(daemon)
    for peer in streams { _ = try peer.next(Self.isState("live", of: "iio:device0")) }
    try tree.unplug("iio:device0")
    let reply = try daemon.connect().call(AccelerometerTests.list)
    #expect(reply["sensors"]?.array?.count == 0 && reply["state"]?.string == "noSensor")
    for peer in streams { _ = try peer.next(Self.isState("noSensor")) }
    try tree.plug("iio:device0")
    for peer in streams { #expect(try peer.next()["state"]?.string == "starting") }
    for peer in streams { _ = try peer.next(Self.isState("live", of: "iio:device0")) }
  }

  @Test("The next sensor of the display takes over; who named the one that went waits for it")
  func takenOver() throws {
    let tree = try SysfsTree(
      Self.chip(0, x: 1, label: "accel-display") + Self.chip(1, x: 2) + Self.chip(2, label: "base"))
    let daemon = try Accelerometers.daemon(tree)
    let byDefault = try Self.streams(daemon)
    // By the kernel's name, which another sensor may have later, and by the label.
    let named = try Self.streams(daemon, ["sensor": "iio:device0"])
    let labelled = try Self.streams(daemon, ["sensor": "accel-display"])
    for peer in byDefault + named + labelled {
      _ = try peer.next(Self.isState("live", of: "iio:device0"))
    }
    try tree.unplug("iio:device0")
    _ = try daemon.connect().call(AccelerometerTests.list)
    for peer in byDefault + named + labelled { _ = try peer.next(Self.isState("noSensor")) }
    for peer in byDefault { _ = try peer.next(Self.isState("live", of: "iio:device1")) }
    #expect(try Accelerometers.samples(1, of: byDefault[0])[0].x == 0.02)
    try tree.plug("iio:device0")
    for peer in named + labelled { _ = try peer.next(Self.isState("live", of: "iio:device0")) }
    #expect(try Accelerometers.samples(1, of: named[0])[0].x == 0.01)
    // Who has a sensor keeps it.
    #expect(try Accelerometers.samples(20, of: byDefault[0]).allSatisfy { $0.x == 0.02 })
  }

  @Test("What can be pulled out and what is not in the display is never chosen by itself")
  func notChosen() throws {
    let tree = try SysfsTree(
      Self.chip(0) + Self.chip(1, x: 7, isPad: true) + Self.chip(2, label: "accel-base"))
    for device in ["iio:device0", "iio:device1", "iio:device2"] { try tree.unplug(device) }
    let daemon = try Accelerometers.daemon(tree)
    let peer = try daemon.connect()
    try peer.stream(AccelerometerTests.subscribe)
    #expect(try peer.next()["state"]?.string == "noSensor")
    try tree.plug("iio:device1")
    try tree.plug("iio:device2")
    let sensors = try daemon.connect().call(AccelerometerTests.list)["sensors"]?.array
    #expect(sensors?.compactMap { $0["location"]?.string } == ["display", "base"])
    for name in [nil, "display"] {
      let error = try daemon.connect().error(
        of: AccelerometerTests.sample, name.map { ["sensor": .string($0)] } ?? [:])
      #expect(error?.name == AccelerometerTests.interface + ".NoSensor")
    }
    let pad = try daemon.connect().call(AccelerometerTests.sample, ["sensor": "iio:device1"])
    #expect(pad["sample"]?["x"]?.number == 0.07)
    try tree.plug("iio:device0")
    #expect(try peer.next()["sensor"]?.string == "iio:device0")
  }

  @Test("A call that waits for a sensor that goes is answered by the next")
  func waitingCall() throws {
    let tree = try SysfsTree(Self.chip(0) + Self.chip(1, x: 2))
    try tree.makeSilent("iio:device0", "in_accel_y_raw")
    let daemon = try Accelerometers.daemon(tree)
    let waiting = try daemon.connect()
    try waiting.stream(AccelerometerTests.subscribe)
    #expect(try waiting.next()["sensor"]?.string == "iio:device0")
    let call = try DaemonClient(daemon.socket)
    try call.send(AccelerometerTests.sample, ["timeout": 120_000])
    #expect(
      try Accelerometers.wait(daemon) {
        let status = try daemon.connect().call("io.bearing.daemon.GetStatus")
        return status["devices"]?.array?.contains { $0["subscribers"]?.number == 2 } ?? false
      })
    try tree.unplug("iio:device0")
    _ = try daemon.connect().call(AccelerometerTests.list)
    #expect(try call.next().parameters["sensor"]?.string == "iio:device1")
    #expect(try waiting.next(Self.isState("live"))["sensor"]?.string == "iio:device1")
  }
}
