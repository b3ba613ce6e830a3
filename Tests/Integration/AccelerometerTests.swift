import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// The daemon's accelerometer, as clients of its socket have it.
@Suite struct AccelerometerTests {
  static let interface = "io.bearing.accelerometer"
  static let list = interface + ".ListSensors"
  static let sample = interface + ".GetSample"
  static let subscribe = interface + ".Subscribe"
  static let orientation = interface + ".SubscribeOrientation"

  /// A daemon on the accelerometers of a tree.
  static func daemon(_ tree: SysfsTree, _ more: String = "") throws -> DaemonProcess {
    try DaemonProcess(
      """
      [Location]
      Source=none
      [Accelerometer]
      SysfsRoot=\(tree.root)
      UdevRoot=\(tree.udev)
      \(more)
      """, keeping: tree)
  }

  static func simulation() throws -> DaemonProcess {
    try DaemonProcess("[Location]\nSource=none\n[Accelerometer]\nSource=simulation\n")
  }

  static func samples(_ reply: JSON) throws -> [AccelerationSample] {
    try (reply["samples"] ?? []).decode([AccelerationSample].self)
  }

  /// That many samples of a stream.
  static func samples(_ count: Int, of peer: DaemonProcess.Peer) throws -> [AccelerationSample] {
    var all: [AccelerationSample] = []
    while all.count < count { all += try samples(try peer.next()) }
    return all
  }

  /// Waits until `condition` holds, looking each time that the daemon tells of itself.
  static func wait(
    _ daemon: DaemonProcess, until condition: () throws -> Bool
  ) throws -> Bool {
    let peer = try daemon.connect()
    try peer.stream("io.bearing.daemon.SubscribeStatus", ["heartbeat": 100])
    let end = Date() + DaemonProcess.patience
    while Date() < end {
      if try condition() { return true }
      _ = try peer.next()
    }
    return false
  }

  @Test("What a killed daemon has set is put back by the next, though nobody listens any more")
  func killed() throws {
    let tree = try SysfsTree(machine: "11-")
    func rate() throws -> String { try tree.get("iio:device1", "sampling_frequency") }
    #expect(try rate() == "50\n")
    let first = try Self.daemon(tree)
    let peer = try first.connect()
    try peer.stream(Self.subscribe, ["rate": 150])
    _ = try Self.samples(1, of: peer)
    #expect(try rate() == "200\n")
    first.kill()
    #expect(try rate() == "200\n")
    let next = try DaemonProcess(
      """
      [Location]
      Source=none
      [Accelerometer]
      SysfsRoot=\(tree.root)
      """, keeping: tree, in: first.folder)
    #expect(next.waitUntil { (try? rate()) == "50\n" })
  }

  @Test("Sensors are listed with all that is known of them, and none is started")
  func list() throws {
    let tree = try SysfsTree(machine: "03-")
    let daemon = try Self.daemon(tree)
    let reply = try daemon.connect().call(Self.list)
    let sensors = try #require(try reply["sensors"]?.decode([Sensor].self))
    #expect(sensors.map(\.identifier) == ["iio:device0", "iio:device1"])
    #expect(sensors.map(\.location) == ["display", "base"])
    #expect(sensors.map(\.mountMatrixSource) == ["udev", "sysfs"])
    #expect(sensors.map(\.simulated) == [true, true])
    #expect(reply["state"]?.string == "off")
    #expect(daemon.stop() == 0)
  }

  @Test(
    "A sample comes from the display's sensor, or from the one that is named",
    arguments: [
      (nil, "iio:device0", [0.172467, 7.703526, 6.093834]),
      ("base", "iio:device1", [-0.114978, -0.057489, 9.77313]),
      ("accel-base", "iio:device1", [-0.114978, -0.057489, 9.77313]),
      ("iio:device1", "iio:device1", [-0.114978, -0.057489, 9.77313]),
    ])
  func getSample(name: String?, sensor: String, vector: [Double]) throws {
    let daemon = try Self.daemon(try SysfsTree(machine: "03-"))
    let reply = try daemon.connect().call(
      Self.sample, name.map { ["sensor": .string($0)] } ?? [:])
    let sample = try #require(try reply["sample"]?.decode(AccelerationSample.self))
    #expect([sample.x, sample.y, sample.z] == vector)
    #expect(reply["sensor"]?.string == sensor)
  }

  @Test("The configured sensor answers those who name none")
  func configuredSensor() throws {
    let daemon = try Self.daemon(try SysfsTree(machine: "03-"), "Sensor=accel-base")
    #expect(try daemon.connect().call(Self.sample)["sensor"]?.string == "iio:device1")
  }

  @Test("The sensor runs at the highest rate asked for, and is off when nobody listens")
  func demand() throws {
    let tree = try SysfsTree(machine: "11-")
    let daemon = try Self.daemon(tree)
    let idleThreads = daemon.threadCount
    let rate = { try tree.get("iio:device1", "sampling_frequency") }
    do {
      let slow = try daemon.connect()
      try slow.stream(Self.subscribe, ["rate": 20])
      _ = try slow.next { $0["state"]?.string == "live" }
      #expect(try rate() == "20\n")
      do {
        let fast = try daemon.connect()
        try fast.stream(Self.subscribe, ["rate": 80])
        _ = try fast.next { $0["actualRate"]?.number == 80 }
        #expect(try rate() == "100\n")
      }
      #expect(try Self.wait(daemon) { try rate() == "20\n" })
    }
    #expect(try Self.wait(daemon) { try rate() == "50\n" && daemon.threadCount == idleThreads })
    let state = try daemon.connect().call(Self.list)["state"]?.string
    #expect(state == "off")
  }

  @Test("A stream's first reply is the state, then it becomes live and its rate is said")
  func firstReplies() throws {
    let daemon = try Self.daemon(try SysfsTree(machine: "02-"))
    let peer = try daemon.connect()
    try peer.stream(Self.subscribe, ["rate": 5000])
    #expect(try peer.next() == ["state": "starting", "sensor": "iio:device0", "samples": []])
    // The chip does 1600 Hz, but nothing is polled beyond 1000.
    let rate = try peer.next { $0["actualRate"] != nil }
    #expect(rate["actualRate"]?.number == 1000)
    let live = try peer.next { $0["state"]?.string == "live" }
    #expect(live["sensor"]?.string == "iio:device0")
    let samples = try Self.samples(5, of: peer)
    #expect(samples.map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(samples.allSatisfy { [$0.x, $0.y, $0.z] == [-0.268282, 9.00661, -3.602644] })
  }

  @Test("Each stream has its own rate: the mean of its period's samples, periods alike for all")
  func rates() throws {
    let daemon = try Self.simulation()
    let fast = try daemon.connect()
    try fast.stream(Self.subscribe, ["rate": 100])
    var all = try Self.samples(3, of: fast)
    let slow = try [daemon.connect(), daemon.connect()]
    for peer in slow { try peer.stream(Self.subscribe, ["rate": 20]) }
    let means = try slow.map { try Self.samples(12, of: $0) }
    all += try Self.samples(100, of: fast)
    // The streams may have begun in different periods, but no mean differs.
    let common = means[0].filter { mean in means[1].contains { $0.sequence == mean.sequence } }
    #expect(common.count >= 8)
    #expect(common.allSatisfy { means[1].contains($0) })
    for mean in common.dropFirst() {
      let period = mean.bootTimestamp / 50_000
      let members = all.filter { $0.bootTimestamp / 50_000 == period }
      #expect(members.count == 5)
      #expect(members.last?.sequence == mean.sequence)
      let x = members.reduce(0) { $0 + $1.x } / 5
      #expect(abs(mean.x - x) < 2e-6)
      // In the middle of its period, where the five samples have their middle too.
      #expect(abs(mean.bootTimestamp % 50_000 - 25_000) <= 1)
    }
    let periods = common.map { $0.bootTimestamp / 50_000 }
    #expect(zip(periods, periods.dropFirst()).allSatisfy { $1 == $0 + 1 })
  }

  @Test("With a maximum latency several samples come in one reply")
  func batches() throws {
    let daemon = try Self.simulation()
    let peer = try daemon.connect()
    try peer.stream(Self.subscribe, ["rate": 200, "maxLatency": 100])
    var sizes: [Int] = []
    var sequences: [Int] = []
    while sizes.count < 5 {
      let samples = try Self.samples(try peer.next())
      if !samples.isEmpty { sizes.append(samples.count) }
      sequences += samples.map(\.sequence)
    }
    #expect(sequences == Array(1...sequences.count))
    #expect(sizes.allSatisfy { $0 > 1 && $0 <= 100 })
  }

  @Test("Orientation and tilt come once, and then with each change")
  func orientationChanges() throws {
    let tree = try SysfsTree(machine: "11-")
    let daemon = try Self.daemon(tree)
    let peer = try daemon.connect()
    try peer.stream(Self.orientation)
    #expect(
      try peer.next() == [
        "state": "live", "sensor": "iio:device1", "orientation": "normal", "tilt": "vertical",
      ])
    // The device's right edge up: by its matrix x is the sensor's y.
    try tree.set("iio:device1", "in_accel_x_raw", to: "0\n")
    try tree.set("iio:device1", "in_accel_y_raw", to: "16400\n")
    let turned = try peer.next { $0["orientation"]?.string == "rightUp" }
    #expect(turned["tilt"]?.string == "vertical")
  }

  @Test("All zero is stale and sets no pose; what comes after it is live again")
  func zeros() throws {
    let tree = try SysfsTree(machine: "11-")
    let daemon = try Self.daemon(tree)
    let peer = try daemon.connect()
    try peer.stream(Self.orientation)
    _ = try peer.next { $0["state"]?.string == "live" }
    let before = try ["x", "y", "z"].map { try tree.get("iio:device1", "in_accel_\($0)_raw") }
    for axis in ["x", "y", "z"] { try tree.set("iio:device1", "in_accel_\(axis)_raw", to: "0\n") }
    let stale = try peer.next { $0["state"]?.string == "stale" }
    #expect(stale["orientation"]?.string == "normal")
    for (axis, text) in zip(["x", "y", "z"], before) {
      try tree.set("iio:device1", "in_accel_\(axis)_raw", to: text)
    }
    let live = try peer.next { $0["state"]?.string == "live" }
    #expect(live["orientation"]?.string == "normal")
  }

  @Test("The last reply comes again when nothing else does")
  func heartbeat() throws {
    let daemon = try Self.daemon(try SysfsTree(machine: "02-"))
    let peer = try daemon.connect()
    try peer.stream(Self.orientation, ["heartbeat": 200])
    let first = try peer.next { $0["state"]?.string == "live" }
    let again = try peer.next()
    #expect(again["repeated"]?.bool == true)
    #expect(again["orientation"] == first["orientation"] && again["tilt"]?.string == "tiltedDown")
  }

  @Test("A stream waits where there is no sensor, and gets the one that comes")
  func sensorComes() throws {
    let tree = try SysfsTree(machine: "02-")
    try tree.unplug("iio:device0")
    let daemon = try Self.daemon(tree)
    let peer = try daemon.connect()
    try peer.stream(Self.subscribe)
    #expect(try peer.next() == ["state": "noSensor", "samples": []])
    let failure = try daemon.connect().error(of: Self.sample)
    #expect(failure?.name == Self.interface + ".NoSensor")
    try tree.plug("iio:device0")
    let sensors = try daemon.connect().call(Self.list)["sensors"]?.array
    #expect(sensors?.count == 1)
    let live = try peer.next { $0["state"]?.string == "live" }
    #expect(live["sensor"]?.string == "iio:device0")
    #expect(try Self.samples(1, of: peer).count == 1)
  }

  @Test("What cannot be done is refused, with the reason")
  func refusals() throws {
    let tree = try SysfsTree(machine: "02-")
    try tree.set("iio:device0", "in_accel_scale", to: "0.000000\n")
    let daemon = try Self.daemon(tree)
    let peer = try daemon.connect()
    let invalid = "org.varlink.service.InvalidParameter"
    for rate in [0.0, -1] {
      #expect(
        try peer.error(of: Self.subscribe, ["rate": .double(rate)], more: true)?.name == invalid)
    }
    #expect(try peer.error(of: Self.sample, ["timeout": -1])?.name == invalid)
    let unknown = try peer.error(of: Self.subscribe, ["sensor": "lid"], more: true)
    #expect(unknown?.name == Self.interface + ".NoSensor")
    #expect(
      unknown?.parameters["reason"]?.string
        == "the sensor asked for, \"lid\", is not here; there are: iio:device0 (display)")
    let useless = try peer.error(of: Self.sample)
    let reason = tree.path("iio:device0", "in_accel_scale") + ": is 0, which no sensor's scale is"
    #expect(useless?.parameters["reason"]?.string == reason)
    // A stream shows the failure as its state.
    try peer.stream(Self.orientation)
    #expect(try peer.next { $0["state"]?.string == "failed" }["tilt"]?.string == "undefined")
  }

  @Test("A read that never ends delays no other call, and does not keep the daemon from ending")
  func hungRead() throws {
    let tree = try SysfsTree(machine: "03-")
    try tree.makeSilent("iio:device0", "in_accel_y_raw")
    let daemon = try Self.daemon(tree)
    let stuck = try daemon.connect()
    try stuck.stream(Self.subscribe)
    #expect(try stuck.next()["state"]?.string == "starting")
    let timeout = try daemon.connect().error(of: Self.sample, ["timeout": 300])
    #expect(timeout?.name == Self.interface + ".Timeout")
    #expect(timeout?.parameters["state"]?.string == "starting")
    let other = try daemon.connect().call(Self.sample, ["sensor": "base"])
    #expect(other["sensor"]?.string == "iio:device1")
    #expect(try stuck.next()["state"]?.string == "stale")
    #expect(daemon.stop() == 0)
  }

  @Test("What gpsctl writes of a stream is a recording that another daemon plays")
  func recording() throws {
    let folder = try TemporaryFolder()
    let daemon = try Self.simulation()
    let run = try ProgramRun.run(
      ProgramRun.path(of: "gpsctl"),
      ["watch", "acceleration", "--rate", "100", "--count", "50", "--json"],
      environment: ["BEARING_SOCKET": daemon.socket])
    #expect(run.status == 0 && run.errors == "")
    let file = try folder.write(run.output, to: "recording")
    let written = try run.lines.flatMap { try Self.samples(JSON(parsing: Array($0.utf8))) }
    #expect(written.count >= 40)
    let replay = try DaemonProcess(
      "[Location]\nSource=none\n[Accelerometer]\nSource=replay:\(file)\n")
    let sensors = try replay.connect().call(Self.list)["sensors"]?.array
    #expect(sensors?.map { $0["mode"] } == ["replay"])
    #expect(sensors?.map { $0["simulated"] } == [true])
    let peer = try replay.connect()
    try peer.stream(Self.subscribe, ["rate": 1000])
    let played = try Self.samples(written.count, of: peer)
    #expect(played.map { [$0.x, $0.y, $0.z] } == written.map { [$0.x, $0.y, $0.z] })
  }
}
