import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// The ring of samples in shared memory, as clients of the daemon's socket have it.
@Suite struct RingTests {
  static let openRing = "io.bearing.accelerometer.OpenRing"
  private static let (replaced, sensorGone, stopped): (UInt32, UInt32, UInt32) = (1, 2, 3)
  private static let live: UInt32 = 3

  static func simulation(_ more: String = "") throws -> DaemonProcess {
    try DaemonProcess("[Location]\nSource=none\n[Accelerometer]\nSource=simulation\n" + more)
  }

  private static func subscribers(_ daemon: DaemonProcess) throws -> Int64? {
    let status = try daemon.connect().call("io.bearing.daemon.GetStatus")
    let device = status["devices"]?.array?.first { $0["kind"] == "acceleration" }
    return device?["subscribers"]?.integer
  }

  /// How many descriptors of rings a daemon has; one that it passes on it has for a moment.
  private static func rings(of daemon: DaemonProcess) -> Int {
    daemon.descriptors.count { $0.hasPrefix("/memfd:bearingd-ring") }
  }

  @Test func `the ring has the samples that a stream has`() throws {
    let daemon = try Self.simulation()
    // Slow enough that the ring still has them all, however long this test has to wait.
    let ring = try RingView(try DaemonClient(daemon.socket), ["rate": 50])
    #expect(ring.reply["sensor"] == "simulated0" && ring.reply["actualRate"]?.number == 50)
    let peer = try daemon.connect()
    try peer.stream("io.bearing.accelerometer.Subscribe", ["rate": 50])
    let samples = try AccelerometerTests.samples(60, of: peer)
    var inRing: [Int64: RingView.Sample] = [:]
    for index in 0..<ring.head { inRing[ring.sample(index).sequence] = ring.sample(index) }
    for sample in samples {
      let other = try #require(inRing[Int64(sample.sequence)])
      #expect(other.bootTimestamp == Int64(sample.bootTimestamp))
      for (one, two) in zip(other.vector, [sample.x, sample.y, sample.z]) {
        #expect(abs(one - two) <= 0.5000001e-7)  // text has seven decimals
      }
      #expect(other.state == UInt64(Self.live))
    }
    #expect(ring.rate == 50 && ring.state == Self.live && ring.ended == 0)
  }

  @Test func `a ring of which nobody is told goes with no other reply`() throws {
    let daemon = try Self.simulation()
    let client = try DaemonClient(daemon.socket)
    try client.send(Self.openRing, oneway: true)
    #expect(try client.call("org.varlink.service.GetInfo").error == nil)
    #expect(client.descriptors.isEmpty)
  }

  @Test func `a held ring has its sensor run at the rate asked for, until the connection ends`()
    throws
  {
    let tree = try SysfsTree(machine: "11-")
    let daemon = try AccelerometerTests.daemon(tree)
    let idleThreads = daemon.threadCount
    let rate = { try tree.get("iio:device1", "sampling_frequency") }
    do {
      let client = try DaemonClient(daemon.socket)
      let ring = try RingView(client, ["rate": 80])
      #expect(try rate() == "100\n")
      #expect(ring.reply["sensor"] == "iio:device1" && ring.reply["actualRate"]?.number == 80)
      #expect(try Self.subscribers(daemon) == 1)
      #expect(daemon.waitUntil { ring.head >= 3 })
      // On the same connection the later call counts.
      let again = try RingView(client, ["rate": 20])
      #expect(again.inode == ring.inode)
      #expect(try daemon.waitUntil { try rate() == "20\n" })
      #expect(try Self.subscribers(daemon) == 1)
    }
    #expect(
      try AccelerometerTests.wait(daemon) {
        try rate() == "50\n" && daemon.threadCount == idleThreads
      })
    #expect(try Self.subscribers(daemon) == 0)
    #expect(
      try daemon.connect().call("io.bearing.accelerometer.ListSensors")["state"] == "off")
  }

  @Test func `all readers have one memory, also those who come when the others have left`() throws {
    let daemon = try Self.simulation()
    var inodes: Set<UInt64> = []
    let (one, two) = (try DaemonClient(daemon.socket), try DaemonClient(daemon.socket))
    let rings = [try RingView(one, ["rate": 50]), try RingView(two, ["rate": 10])]
    for ring in rings {
      inodes.insert(ring.inode)
      #expect(ring.generation == 1 && ring.rate == 50)
    }
    #expect(daemon.waitUntil { Self.rings(of: daemon) == 1 })
    #expect(daemon.waitUntil { rings.allSatisfy { $0.head > 5 } })
    let (index, other) = (rings[0].head - 2, rings[1])
    #expect(rings[0].sample(index) == other.sample(index))
    one.close()
    two.close()
    #expect(try daemon.waitUntil { try Self.subscribers(daemon) == 0 })
    // Who keeps what it got and comes again has no other memory made.
    var kept: [RingView] = []
    for _ in 0..<30 {
      let client = try DaemonClient(daemon.socket)
      kept.append(try RingView(client, ["rate": 50]))
      client.close()
    }
    #expect(Set(kept.map(\.inode)).union(inodes).count == 1)
    #expect(daemon.waitUntil { Self.rings(of: daemon) == 1 })
  }

  @Test func `calls before and behind it on one connection are answered, in order`() throws {
    let daemon = try Self.simulation()
    let client = try DaemonClient(daemon.socket)
    try client.send("io.bearing.accelerometer.ListSensors")
    try client.send(Self.openRing, ["rate": 100])
    try client.send(Self.openRing, ["rate": 200])
    try client.send("io.bearing.accelerometer.Subscribe", ["rate": 100], more: true)
    #expect(try client.next().parameters["sensors"]?.array?.count == 1)
    #expect(try client.next().parameters["ring"] == 0)
    #expect(try client.next().parameters["ring"] == 0)
    #expect(client.descriptors.count == 2)
    #expect(try client.next { $0.parameters["samples"]?.array?.isEmpty == false }.continues)
    let clients = try daemon.connect().call("io.bearing.daemon.ListClients")["clients"]?.array
    #expect(clients?.first?["stream"] == "io.bearing.accelerometer.Subscribe")
  }

  @Test func `status shows who holds the ring`() throws {
    let daemon = try Self.simulation()
    let client = try DaemonClient(daemon.socket)
    let ring = try RingView(client)
    #expect(ring.rate == 10)
    let clients = try daemon.connect().call("io.bearing.daemon.ListClients")["clients"]?.array
    #expect(clients?.first?["stream"]?.string == Self.openRing)
    let metrics = try daemon.connect().call("io.bearing.daemon.GetMetrics")["text"]?.string ?? ""
    #expect(metrics.contains(#"bearingd_streams{method="\#(Self.openRing)"} 1"#))
  }

  @Test func `what cannot be done is refused`() throws {
    let tree = try SysfsTree(machine: "02-")
    let daemon = try AccelerometerTests.daemon(tree)
    let client = try DaemonClient(daemon.socket)
    for rate in [0.0, -1] {
      #expect(
        try client.call(Self.openRing, ["rate": .double(rate)]).error
          == "org.varlink.service.InvalidParameter")
    }
    let unknown = try client.call(Self.openRing, ["sensor": "lid"])
    #expect(unknown.error == "io.bearing.accelerometer.NoSensor")
    try tree.set("iio:device0", "in_accel_x_raw", to: "nonsense\n")
    try tree.set("iio:device0", "in_accel_scale", to: "0.0\n")
    #expect(try client.call(Self.openRing).error == "io.bearing.accelerometer.NoSensor")
    #expect(client.descriptors.isEmpty)
    #expect(try Self.subscribers(daemon) == 0)
  }

  @Test func `a call that waits for a sensor that goes is told that there is none`() throws {
    // The call waits for two seconds: where that is over before the sensor is gone, another try.
    for _ in 0..<20 {
      let tree = try SysfsTree(machine: "02-")
      try tree.makeSilent("iio:device0", "in_accel_x_raw")
      let daemon = try AccelerometerTests.daemon(tree)
      let client = try DaemonClient(daemon.socket)
      try client.send(Self.openRing, ["rate": 100])
      var early: DaemonClient.Message?
      #expect(
        try daemon.waitUntil {
          early = try client.nextIfThere()
          return try early != nil || Self.subscribers(daemon) == 1
        })
      try tree.unplug("iio:device0")
      _ = try daemon.connect().call("io.bearing.accelerometer.ListSensors")
      let answer = try early ?? client.next()
      if answer.error == "io.bearing.accelerometer.NoSensor" {
        return #expect(answer.parameters["reason"] == "the sensor was unplugged")
      }
      #expect(answer.error == "io.bearing.accelerometer.Timeout")
      try #require(answer.parameters["state"] != "noSensor")
    }
    Issue.record("the sensor was never gone in time")
  }

  // MARK: The end

  @Test func `a ring ends with its sensor, and there is another when that is back`() throws {
    let tree = try SysfsTree(machine: "02-")
    let daemon = try AccelerometerTests.daemon(tree)
    let client = try DaemonClient(daemon.socket)
    let ring = try RingView(client, ["rate": 100])
    #expect(daemon.waitUntil { ring.head > 5 })
    let wakeUps = ring.wakeUps
    // A file that is open goes on being readable here, as no file of a sensor does.
    let raw = try tree.get("iio:device0", "in_accel_x_raw")
    try tree.set("iio:device0", "in_accel_x_raw", to: "")
    try tree.unplug("iio:device0")
    #expect(daemon.waitUntil { ring.ended != 0 })
    #expect(ring.ended == Self.sensorGone && ring.state == 1)
    #expect(daemon.waitUntil { ring.wakeUps > wakeUps })
    let head = ring.head
    #expect(try client.call(Self.openRing).error == "io.bearing.accelerometer.NoSensor")
    #expect(try Self.subscribers(daemon) == 0)
    try tree.plug("iio:device0")
    try tree.set("iio:device0", "in_accel_x_raw", to: raw)
    let next = try RingView(client, ["rate": 100])
    #expect(next.generation == 2 && next.inode != ring.inode && next.ended == 0)
    #expect(daemon.waitUntil { next.head > 5 })
    #expect(ring.head == head, "the old one stays as it was")
  }

  @Test func `a daemon that stops ends its rings, and one that is killed its connections`() throws {
    let daemon = try Self.simulation()
    let ring = try RingView(try DaemonClient(daemon.socket), ["rate": 100])
    #expect(daemon.stop() == 0)
    #expect(ring.ended == Self.stopped)

    let other = try Self.simulation()
    let client = try DaemonClient(other.socket)
    let orphan = try RingView(client, ["rate": 100])
    other.kill()
    #expect(try client.nextOrEnd() == nil)
    #expect(orphan.ended == 0, "its memory cannot say so: its reader has to look at the socket")
  }
}
