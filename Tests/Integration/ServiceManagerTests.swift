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
