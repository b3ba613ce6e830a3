import Foundation
import TestSupport
import Testing
import Varlink

/// Clients that come and go in every way: nothing of them may stay.
@Suite struct LifecycleTests {
  private let daemon: DaemonProcess
  private let watcher: DaemonClient

  /// Threads with the daemon's own name: the loop's, and the thread sanitizer's where there is one.
  private static let ownThreads = dlsym(nil, "__tsan_init") == nil ? 1 : 2

  init() throws {
    daemon = try DaemonProcess()
    watcher = try DaemonClient(daemon.socket)
    // The device is made at its first use, and has descriptors of its own from then on.
    let first = try DaemonClient(daemon.socket)
    _ = try first.open("io.bearing.location.Subscribe")
    first.close()
    try waitUntilAlone()
  }

  /// Waits until no client but the watcher is there, nobody subscribes, and the source has ended.
  private func waitUntilAlone() throws {
    let stream = try DaemonClient(daemon.socket)
    var reply = try stream.open("io.bearing.daemon.SubscribeStatus")
    while reply.parameters["clients"] != 2
      || reply.parameters["devices"]?.array?.contains(where: { $0["subscribers"] != 0 }) != false
    {
      reply = try stream.next()
    }
    stream.close()
    // A thread that has just begun still has the daemon's name.
    #expect(
      daemon.waitUntil {
        !daemon.threads.contains("gnss")
          && daemon.threads.count { $0 == "bearingd" } == Self.ownThreads
      })
    // The loop hears of the thread's end, which came before, at its next turn. In one turn it may
    // answer several calls that follow one another closely.
    for _ in 0..<20 { _ = try watcher.call("io.bearing.daemon.GetStatus") }
    #expect(try watcher.call("io.bearing.daemon.GetStatus").parameters["clients"] == 1)
  }

  /// Those of the database come and go in the storage's own time.
  private var descriptors: [String] { daemon.descriptors.filter { !$0.contains("state.db") } }

  private func expectNothingStays(after body: () throws -> Void) throws {
    let before = descriptors
    try body()
    try waitUntilAlone()
    // Not more, for the daemon may have been about to close one before.
    #expect(daemon.waitUntil { descriptors.count <= before.count }, "\(before), now \(descriptors)")
  }

  @Test func whoSendsARequestAndIsGone() throws {
    try expectNothingStays {
      for round in 0..<1000 {
        let client = try DaemonClient(daemon.socket)
        switch round % 3 {
        case 0: try client.send("io.bearing.daemon.GetStatus")
        case 1: try client.send("io.bearing.location.Subscribe", more: true)
        default: try client.send("io.bearing.location.GetFix")
        }
      }
    }
  }

  @Test func whoSaysNothing() throws {
    try expectNothingStays {
      for _ in 0..<1000 { _ = try DaemonClient(daemon.socket) }
    }
  }

  @Test func whoSaysHalfARequest() throws {
    let half = Array(#"{"method":"io.bearing.daemon.GetSta"#.utf8)
    try expectNothingStays {
      for _ in 0..<1000 { try DaemonClient(daemon.socket).send(half) }
    }
  }

  @Test func whoIsKilledInItsStream() throws {
    try expectNothingStays {
      for _ in 0..<50 {
        let subscribe = """
          import socket, sys
          s = socket.socket(socket.AF_UNIX)
          s.connect(sys.argv[1])
          s.sendall(b'{"method":"io.bearing.location.Subscribe","more":true}\\0')
          while True: print(len(s.recv(100)), flush=True)
          """
        let reader = try ChildProcess("/usr/bin/python3", ["-c", subscribe, daemon.socket])
        #expect(reader.output.availableData.count > 0)
        reader.send(SIGKILL)
        reader.wait()
      }
    }
  }

  @Test func whoHandsOverDescriptors() throws {
    try expectNothingStays {
      let client = try DaemonClient(daemon.socket)
      let files = try (0..<16).map { _ in
        try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null"))
      }
      for _ in 0..<100 {
        do {
          try client.send("org.varlink.service.GetInfo", descriptors: files.map(\.fileDescriptor))
        } catch let error as SocketError where error.code == EPERM {
          continue  // Since Linux 6.16 the daemon's socket takes none, and the sender learns of it.
        }
        #expect(try client.next().parameters["vendor"] == "bearingd")
      }
      let last = try client.call("org.varlink.service.GetInfo")
      withExtendedLifetime(files) { #expect(last.parameters["vendor"] == "bearingd") }
    }
  }
}
