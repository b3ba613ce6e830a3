import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// More clients than there is room for, and clients that keep the daemon busy.
@Suite struct ExhaustionTests {
  /// Watches how much processor time a daemon uses in a while in which nothing is to happen.
  private func isQuiet(_ daemon: DaemonProcess, _ silent: DaemonClient) throws -> Bool {
    let before = daemon.processorSeconds
    var entry = pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)
    let count = poll(&entry, 1, 2000)
    #expect(count == 0, "nothing was to come")
    return daemon.processorSeconds - before < 0.5
  }

  @Test func descriptorsAreKeptFreeOfConnections() throws {
    let daemon = try DaemonProcess(wrapper: ["/usr/bin/prlimit", "--nofile=140:140"])
    let first = try DaemonClient(daemon.socket)
    _ = try first.call("io.bearing.daemon.GetStatus")
    let clients = try (0..<200).map { _ in try DaemonClient(daemon.socket) }
    var served = 0
    for client in clients {
      let reply: DaemonClient.Message
      do {
        reply = try client.call("org.varlink.service.GetInfo")
      } catch {
        continue  // Refused without a word, since too many were being refused.
      }
      if reply.error == nil { served += 1 } else { #expect(try client.rest().isEmpty) }
    }
    // 140, less 32 of its own, 8 to spare and 64 for those that are being refused, and the first.
    #expect(served == 140 - 32 - 8 - 64 - 1)
    #expect(daemon.descriptorCount <= 140 - 8)
    // A device can still be started: it needs descriptors of its own.
    #expect(try first.call("io.bearing.location.GetFix").parameters["fix"] != nil)
    #expect(try isQuiet(daemon, first))
    for client in clients { client.close() }
    #expect(
      try daemon.waitUntil {
        try first.call("io.bearing.daemon.GetStatus").parameters["clients"] == 1
      })
    let next = try DaemonClient(daemon.socket)
    #expect(try next.call("org.varlink.service.GetInfo").error == nil)
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func withoutAnyDescriptorLeftItServesWhoIsThereAndDoesNotSpin() throws {
    let daemon = try DaemonProcess()
    let first = try DaemonClient(daemon.socket)
    // Answered when what is stored was read, so that no file is open for that moment alone.
    #expect(try first.call("io.bearing.regions.List").error == nil)
    #expect(try first.call("io.bearing.preferences.List").error == nil)
    #expect(try isQuiet(daemon, first))
    func limit(_ soft: Int) throws {
      let run = try ProgramRun.run(
        "/usr/bin/prlimit", ["--pid", String(daemon.pid), "--nofile=\(soft):"])
      #expect(run.status == 0, "\(run.errors)")
    }
    try limit(daemon.nextDescriptor)
    let waiting = try (0..<20).map { _ in try DaemonClient(daemon.socket) }
    for client in waiting { try client.send("org.varlink.service.GetInfo") }
    #expect(try first.call("io.bearing.daemon.GetStatus").parameters["clients"] == 1)
    #expect(try isQuiet(daemon, first))
    try limit(1024)
    for client in waiting { #expect(try client.next().error == nil) }
    #expect(daemon.log.contains("accept a connection"))
    #expect(daemon.stop() == 0)
  }

  @Test func aThousandClientsAtOnceAllHaveEachFix() throws {
    var files = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    files.rlim_cur = files.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    let gpsd = try GpsdFake()
    let daemon = try DaemonProcess(
      gpsd.configuration
        + "[Limits]\nConnectionsPerUser=1024\nStreamsPerUser=1024\nQueuePerUser=64M\n")
    let clients = try (0..<1000).map { _ in try DaemonClient(daemon.socket) }
    for client in clients { try client.send("io.bearing.location.Subscribe", more: true) }
    let receiver = try gpsd.acceptDaemon()
    for client in clients { #expect(try client.next().parameters["state"] != nil) }
    for step in 0..<5 {
      receiver.sendFix(step: step)
      for client in clients {
        let reply = try client.next { $0.parameters["fix"] != nil }
        #expect(reply.parameters["fix"]?["sequence"] == .int(Int64(step + 1)))
        #expect(reply.parameters["dropped"] == nil)
      }
    }
    let last = try DaemonClient(daemon.socket)
    #expect(
      try last.call("io.bearing.daemon.ListClients").parameters["clients"]?.array?.count == 1001)
    let ending = daemon.end()
    #expect(ending.end == .exit(0))
    #expect(!ending.log.contains("did not come to rest"))
  }

  /// A client with as many calls on their way as fit, which costly ones are among.
  @Test func whoCallsWithoutPauseDoesNotHoldUpTheOthers() throws {
    let daemon = try DaemonProcess("[Limits]\nConnectionsPerUser=1024\n")
    let crowd = try (0..<200).map { _ in try DaemonClient(daemon.socket) }
    let others = try (0..<4).map { _ in try DaemonClient(daemon.socket) }
    let flood = Array(
      repeating: DaemonClient.encode("io.bearing.daemon.ListClients", oneway: true), count: 2000
    ).flatMap { $0 }
    let client = try DaemonClient(daemon.socket)
    for other in others {
      try other.send(flood)
      try other.endOutput()
    }
    // Whose calls are all answered is disconnected: here, no one's are yet.
    #expect(try client.call("io.bearing.daemon.GetStatus").parameters["clients"] == 205)
    withExtendedLifetime(crowd) {}
  }
}
