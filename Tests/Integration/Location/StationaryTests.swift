import Glibc
import TestSupport
import Testing
import Varlink

/// Whether a device is at rest, as a distance filter has it: by the accelerometer, where one may tell.
@Suite struct StationaryTests {
  /// A receiver that gives no speed wanders by 11 m, beyond the filter and within its accuracy.
  @Test(
    "A still accelerometer holds back what a receiver wanders, if it may",
    arguments: ["opportunistic", "always", "no"])
  func wandering(use: String) throws {
    let gpsd = try GpsdFake()
    let daemon = try DaemonProcess(
      "[Location]\nGpsdHost=127.0.0.1\nGpsdPort=\(gpsd.port)\nUseAccelerometer=\(use)\n"
        + "[Accelerometer]\nSource=simulation\n")
    let motion = try DaemonClient(daemon.socket)
    if use != "always" { _ = try motion.open("io.bearing.accelerometer.SubscribeMotion") }
    let client = try DaemonClient(daemon.socket)
    _ = try client.open("io.bearing.location.Subscribe", ["distanceFilter": 5])
    let other = try DaemonClient(daemon.socket)
    let clients = try other.call("io.bearing.daemon.ListClients").parameters["clients"]?.array
    let number = try #require(
      clients?.first { $0["stream"] == "io.bearing.location.Subscribe" }?["identifier"])
    let receiver = try gpsd.acceptDaemon()
    receiver.sendFix(47, 8.5, accuracy: 10)
    if use != "always" { _ = try motion.next { $0.parameters["motion"] == "still" } }

    var step = 0
    func filters() throws -> [String] {
      step += 1
      receiver.sendFix(47 + Double(step % 2) * 0.0001, 8.5, accuracy: 10)
      let answer = try other.call("io.bearing.daemon.Explain", ["client": number])
      return (answer.parameters["decisions"]?.array ?? []).compactMap { $0["filter"]?.string }
    }
    if use == "no" {
      for _ in 0..<60 { #expect(try !filters().contains("stationary")) }
    } else {
      #expect(try daemon.waitUntil { try filters().contains("stationary") })
    }
  }

  @Test("A reload has the accelerometer started for this, or no more, under open streams")
  func reload() throws {
    let gpsd = try GpsdFake()
    func configuration(_ use: String) -> String {
      "[Location]\nGpsdHost=127.0.0.1\nGpsdPort=\(gpsd.port)\nUseAccelerometer=\(use)\n"
        + "[Accelerometer]\nSource=simulation\n"
    }
    let daemon = try DaemonProcess(configuration("opportunistic"))
    let client = try DaemonClient(daemon.socket)
    _ = try client.open("io.bearing.location.Subscribe")
    let receiver = try gpsd.acceptDaemon()
    let other = try DaemonClient(daemon.socket)
    func subscribers() throws -> JSON? {
      let status = try other.call("io.bearing.daemon.GetStatus").parameters
      return status["devices"]?.array?.first { $0["kind"] == "acceleration" }?["subscribers"]
    }
    #expect(try subscribers() == 0)
    for (use, count) in [("always", 1), ("no", 0), ("always", 1), ("opportunistic", 0)] {
      try daemon.folder.write(configuration(use), to: "bearingd.conf")
      daemon.send(SIGHUP)
      #expect(try daemon.waitUntil { try subscribers() == .int(Int64(count)) }, "\(use)")
    }
    receiver.sendFix(47, 8.5, accuracy: 10)
    #expect(try client.next { $0.parameters["fix"] != nil }.continues)
  }
}
