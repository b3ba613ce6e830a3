import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// The accelerometers of real machines, as a client of the daemon has them.
@Suite struct MachineTests {
  /// What a sensor of a machine is and gives at rest.
  struct Expected: Decodable, Sendable {
    let device: String
    let name: String
    let location: String
    let deviceFrame: [String]
    let orientation: String
    let tilt: String
  }

  /// By the machines' names; worked out beside the daemon, from the rules.
  private static let machines: [String: [Expected]] = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let file = URL(fileURLWithPath: SysfsTree.machines + "/expected.json")
    guard let data = try? Data(contentsOf: file) else { return [:] }
    return (try? decoder.decode([String: [Expected]].self, from: data)) ?? [:]
  }()

  @Test func allFifteenSensorsAreThere() {
    #expect(Self.machines.values.reduce(0) { $0 + $1.count } == 15)
  }

  @Test(arguments: machines.keys.sorted())
  func eachSensorsVectorAndItsFirstPose(machine: String) throws {
    let daemon = try AccelerometerTests.daemon(try SysfsTree(machine: machine))
    let listed = try daemon.connect().call(AccelerometerTests.list)["sensors"]
    let sensors = try (listed ?? []).decode([Sensor].self)
    for expected in try #require(Self.machines[machine]) {
      let sensor = try #require(sensors.first { $0.identifier == expected.device })
      #expect(sensor.name == expected.name && sensor.location == expected.location)
      // Its path, whose last part is its label where it has one, is a name for it too.
      #expect(sensors.count { $0.path == sensor.path } == 1)
      let byPath: JSON = ["sensor": .string(sensor.path)]
      let namesake = try daemon.connect().call(AccelerometerTests.sample, byPath)
      #expect(namesake["sensor"]?.string == expected.device)
      let named: JSON = ["sensor": .string(expected.device)]
      let reply = try daemon.connect().call(AccelerometerTests.sample, named)
      let sample = try #require(try reply["sample"]?.decode(AccelerationSample.self))
      for (value, text) in zip([sample.x, sample.y, sample.z], expected.deviceFrame) {
        #expect(abs(value - (Double(text) ?? .nan)) < 1e-6)
      }
      let peer = try daemon.connect()
      try peer.stream(AccelerometerTests.orientation, named)
      #expect(
        try peer.next() == [
          "state": "live", "sensor": .string(expected.device),
          "orientation": .string(expected.orientation), "tilt": .string(expected.tilt),
        ])
    }
  }

  @Test func aSensorThatDoesNotAnswerDelaysNoFixAndItsStreamIsTold() throws {
    let tree = try SysfsTree(machine: "03-")
    try tree.makeSilent("iio:device0", "in_accel_y_raw")
    let daemon = try DaemonProcess(
      """
      [Location]
      Source=simulation
      [Accelerometer]
      SysfsRoot=\(tree.root)
      UdevRoot=\(tree.udev)
      """, keeping: tree)
    let stuck = try daemon.connect()
    try stuck.stream(AccelerometerTests.orientation)
    let location = try daemon.connect()
    try location.stream("io.bearing.location.Subscribe")
    // The read lasts as long as the test: fixes that waited for it would never come.
    let sequences = try (0..<4).map { _ in try location.next { $0["fix"] != nil } }
      .map { $0["fix"]?["sequence"]?.integer }
    #expect(sequences == [1, 2, 3, 4])
    let told = try stuck.next()
    #expect(told["state"] == "stale" && told["orientation"] == "undefined")
    // Once it has answered, it is as any other.
    // Open for both, which waits for nobody.
    let answer = FileHandle(
      fileDescriptor: open(tree.path("iio:device0", "in_accel_y_raw"), O_RDWR | O_CLOEXEC),
      closeOnDealloc: true)
    try tree.remove("iio:device0", "in_accel_y_raw")
    try tree.set("iio:device0", "in_accel_y_raw", to: "402\n")
    try answer.write(contentsOf: Data("402\n".utf8))
    try answer.close()
    _ = try stuck.next { $0["state"] == "live" && $0["orientation"] != "undefined" }
    #expect(daemon.stop() == 0)
  }
}
