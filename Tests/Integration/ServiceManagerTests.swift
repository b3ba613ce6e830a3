import Glibc
import TestSupport
import Testing
import Varlink

@Suite struct ServiceManagerTests {
  @Test func itHearsWhatTheDevicesDo() throws {
    let daemon = try DaemonProcess()
    let client = try DaemonClient(daemon.socket)
    _ = try client.open("io.bearing.location.Subscribe")
    #expect(daemon.waitFor(notice: "STATUS=location searching, acceleration off"))
    #expect(daemon.waitFor(notice: "STATUS=location live, acceleration off"))
    client.close()
    #expect(daemon.waitFor(notice: "STATUS=location off, acceleration off"))
  }

  @Test func itHearsOfAReloadAndOfTheEnd() throws {
    let daemon = try DaemonProcess()
    daemon.send(SIGHUP)
    #expect(daemon.waitFor(notice: "RELOADING=1"))
    #expect(daemon.waitFor(notice: "READY=1"))
    daemon.send(SIGTERM)
    #expect(daemon.waitFor(notice: "STOPPING=1"))
    #expect(daemon.stop() == 0)
  }

  @Test func itsWatchdogIsFedAlsoWhileASensorDoesNotAnswer() throws {
    let tree = try SysfsTree(machine: "13-")
    let file = try tree.makeSilent("iio:device0", "in_accel_x_raw")
    let writer = open(file, O_RDWR | O_CLOEXEC)
    defer { close(writer) }
    let daemon = try DaemonProcess(
      "[Location]\nSource=none\n[Accelerometer]\nSysfsRoot=\(tree.root)\n", keeping: tree,
      environment: ["WATCHDOG_USEC": "500000"])
    let client = try DaemonClient(daemon.socket)
    _ = try client.open("io.bearing.accelerometer.Subscribe", ["rate": 10])
    _ = try client.next { $0.parameters["state"] == "stale" }
    // What is told from here on, and not before.
    daemon.send(SIGHUP)
    #expect(daemon.waitFor(notice: "RELOADING=1"))
    for _ in 0..<2 { #expect(daemon.waitFor(notice: "WATCHDOG=1")) }
  }

  @Test func oneThatDoesNotListenHoldsUpNobody() throws {
    let daemon = try DaemonProcess(hasDeafManager: true)
    for _ in 0..<300 {
      let client = try DaemonClient(daemon.socket)
      #expect(try client.open("io.bearing.location.Subscribe").error == nil)
    }
    let client = try DaemonClient(daemon.socket)
    #expect(try client.call("io.bearing.daemon.GetStatus").error == nil)
    #expect(daemon.stop() == 0)
  }
}
