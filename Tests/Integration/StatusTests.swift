import TestSupport
import Testing
import Varlink

/// What a stream of status is told, and what everybody's status shows.
@Suite struct StatusTests {
  private let daemon: DaemonProcess

  init() throws {
    daemon = try DaemonProcess()
  }

  private func connect() throws -> DaemonClient {
    let client = try DaemonClient(daemon.socket)
    _ = try client.call("org.varlink.service.GetInfo")
    return client
  }

  @Test func everyChangeIsToldAlsoBackToWhatWasToldBefore() throws {
    let first = try connect()
    #expect(try first.open("io.bearing.daemon.SubscribeStatus").parameters["clients"] == 1)
    let guest = try connect()
    _ = try first.next { $0.parameters["clients"] == 2 }
    guest.close()
    _ = try first.next { $0.parameters["clients"] == 1 }
    // The last that was told, of one client, must not hide that there is one again.
    first.close()
    let (second, other) = (try connect(), try connect())
    #expect(
      try daemon.waitUntil {
        try other.call("io.bearing.daemon.GetStatus").parameters["clients"] == 2
      })
    #expect(try second.open("io.bearing.daemon.SubscribeStatus").parameters["clients"] == 2)
    other.close()
    #expect(try second.next { $0.parameters["clients"] == 1 }.continues)
  }

  @Test func aNewStreamDoesNotHideAChangeFromTheOthers() throws {
    let first = try connect()
    _ = try first.open("io.bearing.daemon.SubscribeStatus")
    var streams: [DaemonClient] = []
    for count in 2..<40 {
      // The connection and its call come to the daemon together.
      let client = try DaemonClient(daemon.socket)
      let reply = try client.open("io.bearing.daemon.SubscribeStatus")
      #expect(reply.parameters["clients"] == .int(Int64(count)))
      #expect(try first.next { $0.parameters["clients"] == .int(Int64(count)) }.continues)
      streams.append(client)
    }
  }

  @Test func anIndicatorSeesThatLocationIsUsedAndThatItIsNoMore() throws {
    let daemon = try DaemonProcess("[Location]\nSource=simulation\n[Accelerometer]\nSource=none\n")
    let indicator = try DaemonClient(daemon.socket)
    func location(_ message: DaemonClient.Message) -> JSON? {
      message.parameters["devices"]?.array?.first { $0["kind"] == "location" }
    }
    let first = try indicator.open("io.bearing.daemon.SubscribeStatus")
    #expect(location(first)?["subscribers"] == 0)
    for method in ["Subscribe", "SubscribeSky", "SubscribeHeading", "GetFix"] {
      let client = try DaemonClient(daemon.socket)
      // One that is never accurate enough waits until its client goes.
      try client.send(
        "io.bearing.location.\(method)", method == "GetFix" ? ["accuracy": 0.001] : [:], more: true)
      let used = try indicator.next { location($0)?["subscribers"] == 1 }
      #expect(location(used)?["state"] != "off")
      client.close()
      _ = try indicator.next {
        location($0)?["subscribers"] == 0 && location($0)?["state"] == "off"
      }
    }
  }

  @Test func aDeviceIsNotMadeBeforeItsFirstUse() throws {
    let client = try connect()
    let unused = try client.call("io.bearing.daemon.GetStatus").parameters["devices"]?.array
    #expect(unused?.contains { $0["instance"] != "" } == false)
    #expect(try client.call("io.bearing.location.GetLastKnown").parameters["state"] == "off")
    let used = try client.call("io.bearing.daemon.GetStatus").parameters["devices"]?.array
    #expect(used?.first { $0["kind"] == "location" }?["instance"] == "LocationManager#1")
  }

  @Test func everyDeviceIsMadeAtStartWhenTheConfigurationSaysSo() throws {
    let eager = try DaemonProcess(
      "[Daemon]\nEager=yes\n[Location]\nSource=simulation\n[Accelerometer]\nSource=none\n")
    let client = try DaemonClient(eager.socket)
    let devices = try client.call("io.bearing.daemon.GetStatus").parameters["devices"]?.array ?? []
    #expect(!devices.isEmpty)
    for device in devices {
      #expect(device["instance"]?.string?.contains("#") == true)
      #expect(device["state"] == "off")
      #expect(device["subscribers"] == 0)
    }
  }
}
