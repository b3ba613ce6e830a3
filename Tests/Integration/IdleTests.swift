import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// A daemon that nobody listens to does nothing at all.
@Suite struct IdleTests {
  /// A while in which nothing is to happen, in milliseconds: a simulated receiver would give a fix.
  private static let quietTime: Int32 = 2500

  /// How often the daemon's threads ran while nothing was to come on a connection.
  private func contextSwitches(of daemon: DaemonProcess, _ silent: DaemonClient) -> Int {
    let before = daemon.contextSwitches
    var entry = pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, Self.quietTime) == 0, "nothing was to come")
    return daemon.contextSwitches - before
  }

  /// The daemon's descriptors that are TCP sockets.
  private func networkSockets(of daemon: DaemonProcess) -> [String] {
    let inodes = ["tcp", "tcp6"].flatMap { name in
      let table = DaemonProcess.kernelText("/proc/\(daemon.pid)/net/\(name)")
      return table.split(separator: "\n").dropFirst().compactMap { line in
        let fields = line.split(separator: " ")
        return fields.count > 9 ? "socket:[\(fields[9])]" : nil
      }
    }
    return daemon.descriptors.filter(Set(inodes).contains)
  }

  /// The daemon's descriptors that are files of devices, those of a test's tree among them.
  private func devices(of daemon: DaemonProcess) -> [String] {
    daemon.descriptors.filter {
      $0.hasPrefix("/dev/") && $0 != "/dev/null" || $0.contains("/sys/")
    }
  }

  private func expectRest(_ daemon: DaemonProcess, _ silent: DaemonClient) throws {
    #expect(
      daemon.waitUntil { networkSockets(of: daemon).isEmpty && devices(of: daemon).isEmpty },
      "\(networkSockets(of: daemon)), \(devices(of: daemon)); \(daemon.log)")
    // What is told to others, such as the service manager, is told within the first second.
    #expect(daemon.waitUntil { contextSwitches(of: daemon, silent) == 0 })
    #expect(contextSwitches(of: daemon, silent) == 0)
  }

  @Test func withoutSubscribersThereIsNoConnectionToGpsdAndNoThreadWakes() throws {
    let gpsd = try GpsdFake()
    let tree = try SysfsTree(machine: "01-")
    let daemon = try DaemonProcess(
      """
      [Location]
      GpsdHost=127.0.0.1
      GpsdPort=\(gpsd.port)
      [Accelerometer]
      Source=iio
      SysfsRoot=\(tree.root)
      UdevRoot=\(tree.udev)
      """, keeping: tree)
    let silent = try DaemonClient(daemon.socket)
    _ = try silent.call("io.bearing.daemon.GetStatus")
    try expectRest(daemon, silent)
    for _ in 0..<2 {
      let client = try DaemonClient(daemon.socket)
      _ = try client.open("io.bearing.location.Subscribe")
      let receiver = try gpsd.acceptDaemon()
      receiver.sendFix(step: 1)
      _ = try client.next { $0.parameters["fix"] != nil }
      // The table may change while it is read.
      #expect(
        daemon.waitUntil { networkSockets(of: daemon).count == 1 },
        "\(daemon.descriptors), of them \(networkSockets(of: daemon)); \(daemon.log)")
      client.close()
      #expect(receiver.isClosedByClient())
      try expectRest(daemon, silent)
      let other = try DaemonClient(daemon.socket)
      _ = try other.open("io.bearing.accelerometer.Subscribe")
      _ = try other.next { $0.parameters["state"] == "live" }
      #expect(daemon.waitUntil { !devices(of: daemon).isEmpty }, "\(daemon.descriptors)")
      other.close()
      #expect(daemon.waitUntil { devices(of: daemon).isEmpty }, "\(devices(of: daemon))")
    }
    // A call that waits for a fix is a listener too.
    let call = try DaemonClient(daemon.socket)
    try call.send("io.bearing.location.GetFix", ["timeout": 100])
    _ = try gpsd.acceptDaemon()
    #expect(try call.next().error == "io.bearing.location.Timeout")
    call.close()
    try expectRest(daemon, silent)
  }

  /// The measure itself: it sees a daemon that works.
  @Test func aDaemonWithASubscriberRuns() throws {
    let daemon = try DaemonProcess()
    let silent = try DaemonClient(daemon.socket)
    let client = try DaemonClient(daemon.socket)
    _ = try client.open("io.bearing.location.Subscribe")
    _ = try client.next { $0.parameters["fix"] != nil }
    #expect(contextSwitches(of: daemon, silent) > 0)
  }
}
