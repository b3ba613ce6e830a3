import Foundation
import Glibc
import SQLiteStore
import TestSupport
import Testing
import Varlink

/// What one client, one user and all of them may have, and what who goes beyond gets to hear.
@Suite struct LimitTests {
  private static func configuration(_ limits: String) -> String {
    "[Location]\nSource=simulation\n[Accelerometer]\nSource=none\n[Access]\nDefault=precise\n"
      + "[Limits]\n\(limits)"
  }

  private static let user: UInt32 = 54_321

  // MARK: Connections

  private func expectConnections(_ limit: Int, _ clients: [DaemonClient], refused: DaemonClient)
    throws
  {
    let refusal = try refused.call("org.varlink.service.GetInfo")
    #expect(refusal.error == "io.bearing.daemon.QuotaExceeded")
    #expect(refusal.parameters == ["resource": "connections", "limit": .int(Int64(limit))])
    #expect(try refused.rest().isEmpty)
    for client in clients {
      #expect(try client.call("org.varlink.service.GetInfo").parameters["vendor"] == "bearingd")
    }
  }

  @Test(.enabled(if: OtherUser.isPossible, "needs root"))
  func anOrdinaryUserHasA128Connections() throws {
    let daemon = try DaemonProcess()
    var clients = try OtherUser.connect(to: daemon.socket, uid: Self.user, count: 129)
    let refused = clients.removeLast()
    try expectConnections(128, clients, refused: refused)
    let another = try OtherUser.connect(to: daemon.socket, uid: Self.user + 1)[0]
    #expect(try another.call("org.varlink.service.GetInfo").error == nil)
    clients.removeLast().close()
    let own = try DaemonClient(daemon.socket)
    #expect(
      try daemon.waitUntil {
        try own.call("io.bearing.daemon.GetStatus").parameters["clients"] == 129
      })
    let next = try OtherUser.connect(to: daemon.socket, uid: Self.user)[0]
    #expect(try next.call("org.varlink.service.GetInfo").error == nil)
    #expect(daemon.log.contains("refused user \(Self.user) (process "))
  }

  @Test func theDaemonsOwnUserHasAsManyAsTheConfigurationSays() throws {
    let daemon = try DaemonProcess(
      Self.configuration("ConnectionsOfRoot=5\nConnectionsPerUser=5\n"))
    let clients = try (0..<5).map { _ in try DaemonClient(daemon.socket) }
    try expectConnections(5, clients, refused: try DaemonClient(daemon.socket))
  }

  @Test func whoIsRefusedAndSaysNothingIsGoneAfterItsGrace() throws {
    let daemon = try DaemonProcess(
      Self.configuration(
        "ConnectionsOfRoot=1\nConnectionsPerUser=1\nRefusalTime=100ms\nRefusalsWaiting=2\n"))
    let client = try DaemonClient(daemon.socket)
    _ = try client.call("io.bearing.daemon.GetStatus")
    let refused = try (0..<10).map { _ in try DaemonClient(daemon.socket) }
    for refused in refused { #expect(try refused.rest().isEmpty) }
    #expect(try client.call("io.bearing.daemon.GetStatus").parameters["clients"] == 1)
    let list = try client.call("io.bearing.daemon.ListClients").parameters["clients"]?.array
    #expect(list?.count == 1)
  }

  @Test func allTogetherHaveALimitToo() throws {
    let daemon = try DaemonProcess(Self.configuration("Connections=3\n"))
    let clients = try (0..<3).map { _ in try DaemonClient(daemon.socket) }
    try expectConnections(3, clients, refused: try DaemonClient(daemon.socket))
  }

  @Test func whatManyRefusalsAreLoggedAsIsOneLineThatCounts() throws {
    let daemon = try DaemonProcess(
      Self.configuration("ConnectionsOfRoot=1\nConnectionsPerUser=1\nRefusalTime=100ms\n"))
    let client = try DaemonClient(daemon.socket)
    _ = try client.call("io.bearing.daemon.GetStatus")
    #expect(
      try daemon.waitUntil {
        for _ in 0..<10 { try DaemonClient(daemon.socket).close() }
        // The loop has turned: no more come than it takes.
        _ = try client.call("io.bearing.daemon.GetStatus")
        return daemon.log.contains(/and \d+ more of the kind before/)
      })
    let line =
      "refused user \(geteuid()) (process \(getpid())): its limit of 1 connections is reached"
    #expect(daemon.log.contains(line))
  }

  @Test func whoLeavesBeforeTheAnswerHasTheConnectionUntilTheCallIsDone() throws {
    let calls = 20
    let daemon = try DaemonProcess(
      Self.configuration("ConnectionsOfRoot=\(calls + 1)\nConnectionsPerUser=\(calls + 1)\n"))
    let set = DaemonClient.encode(
      "io.bearing.preferences.Set", ["key": "location.minInterval", "value": "5"])
    let first = try DaemonClient(daemon.socket)
    try first.send(set)
    #expect(try first.next().error == nil)
    // Each call waits for seconds now, one after the other.
    let database = try Database(path: daemon.folder.path + "/bearingd.preferences")
    try database.execute("BEGIN IMMEDIATE")
    for _ in 0..<calls {
      let client = try DaemonClient(daemon.socket)
      try client.send(set)
      client.close()
    }
    let status = { try first.call("io.bearing.daemon.GetStatus").parameters }
    #expect(try daemon.waitUntil { try status()["clients"] == 1 })
    var others: [DaemonClient] = []
    func isRefused() throws -> Bool {
      let client = try DaemonClient(daemon.socket)
      if try client.call("org.varlink.service.GetInfo").error != nil { return true }
      others.append(client)
      return false
    }
    var wasRefused = false
    for _ in 0..<calls where !wasRefused { wasRefused = try isRefused() }
    #expect(wasRefused)
    try database.execute("ROLLBACK")
    #expect(try daemon.waitUntil { try !isRefused() })
    #expect(try status()["clients"] == .int(Int64(others.count + 1)))
  }

  // MARK: Streams

  @Test func aUserHasSoManyStreams() throws {
    let daemon = try DaemonProcess(Self.configuration("StreamsOfRoot=2\nStreamsPerUser=2\n"))
    let streams = try (0..<3).map { _ in try DaemonClient(daemon.socket) }
    #expect(try streams[0].open("io.bearing.daemon.SubscribeStatus").error == nil)
    #expect(try streams[1].open("io.bearing.location.Subscribe").error == nil)
    for method in ["io.bearing.location.Subscribe", "io.bearing.daemon.SubscribeStatus"] {
      let refusal = try streams[2].open(method)
      #expect(refusal.error?.hasSuffix(".QuotaExceeded") == true)
      #expect(refusal.parameters == ["resource": "streams", "limit": 2])
    }
    streams[1].close()
    #expect(try streams[0].next { $0.parameters["clients"] == 2 }.continues)
    #expect(try streams[2].open("io.bearing.location.SubscribeSky").error == nil)
  }

  // MARK: Requests

  @Test(arguments: [nil, 2048]) func aRequestHasSoManyBytes(configured: Int?) throws {
    let daemon = try DaemonProcess(
      Self.configuration(configured.map { "RequestSize=\($0)\n" } ?? ""))
    let limit = configured ?? 65_536
    func request(_ size: Int) -> [UInt8] {
      let (start, end) = (#"{"method":"org.varlink.service.GetInfo","pad":""#, #""}"#)
      let pad = String(repeating: "x", count: size - start.count - end.count)
      return Array((start + pad + end).utf8) + [0]
    }
    let client = try DaemonClient(daemon.socket)
    try client.send(request(limit))
    #expect(try client.next().parameters["vendor"] == "bearingd")
    try client.send(request(limit + 1))
    #expect(try client.rest().isEmpty)
  }

  @Test func endlessDataCostsItsSenderTheConnectionAndTheDaemonNoMemory() throws {
    let daemon = try DaemonProcess()
    let other = try DaemonClient(daemon.socket)
    _ = try other.call("io.bearing.daemon.GetStatus")
    let before = daemon.residentBytes
    for byte in [UInt8(ascii: "A"), UInt8(ascii: "["), UInt8(ascii: " ")] {
      let client = try DaemonClient(daemon.socket)
      let piece = [UInt8](repeating: byte, count: 64 * 1024)
      #expect(throws: (any Error).self) {
        for _ in 0..<1024 { try client.send(piece) }
      }
    }
    #expect(try other.call("io.bearing.daemon.GetStatus").parameters["clients"] == 1)
    #expect(daemon.residentBytes - before < 8 << 20)
  }

  @Test(arguments: [nil, 8]) func aRequestIsNotDeeper(configured: Int?) throws {
    let daemon = try DaemonProcess(
      Self.configuration(configured.map { "RequestDepth=\($0)\n" } ?? ""))
    let limit = configured ?? 32
    func request(_ depth: Int) -> [UInt8] {
      // The call's own object is the first.
      let nest = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      return Array(#"{"method":"org.varlink.service.GetInfo","x":\#(nest)}"#.utf8) + [0]
    }
    let client = try DaemonClient(daemon.socket)
    try client.send(request(limit))
    #expect(try client.next().parameters["vendor"] == "bearingd")
    try client.send(request(limit + 1))
    #expect(try client.rest().isEmpty)
  }

  @Test func anIncompleteRequestIsNotWaitedForForEver() throws {
    let daemon = try DaemonProcess(Self.configuration("RequestTime=1\n"))
    let start = Date()
    let client = try DaemonClient(daemon.socket)
    try client.send(DaemonClient.encode("org.varlink.service.GetInfo") + Array("{".utf8))
    #expect(try client.next().parameters["vendor"] == "bearingd")
    #expect(try client.rest().isEmpty)
    #expect(Date().timeIntervalSince(start) >= 0.9)
    #expect(daemon.log.contains("a request was not complete in time"))
  }

  @Test func whoTakesNoByteIsDisconnected() throws {
    let gpsd = try GpsdFake()
    let daemon = try DaemonProcess(gpsd.configuration + "[Limits]\nStallTime=1\n")
    let client = try DaemonClient(daemon.socket)
    let watcher = try DaemonClient(daemon.socket)
    _ = try client.open("io.bearing.location.Subscribe")
    _ = try watcher.open("io.bearing.location.Subscribe")
    let receiver = try gpsd.acceptDaemon()
    for step in 0..<400 {
      receiver.sendFix(step: step)
      _ = try watcher.next { $0.parameters["fix"]?["latitude"] != nil }
    }
    #expect(try daemon.waitUntil { try clientCount(daemon) == 2 })
    #expect(daemon.log.contains("it took no byte in time"))
    // What was in the socket is whole.
    #expect(try client.rest().count > 10)
  }

  /// What limits the queue, and the bytes that two clients leave of it for one: each has 32 KiB in
  /// its socket.
  @Test(arguments: [
    ("QueuePerClient=16K\n", 16_384),
    ("QueuePerClient=1M\nQueuePerUser=96K\nQueueOfRoot=96K\n", 32_768),
  ])
  func whoLetsTooMuchWaitThatMayNotBeDroppedIsDisconnected(limits: String, bytes: Int) throws {
    let gpsd = try GpsdFake()
    let daemon = try DaemonProcess(gpsd.configuration + "[Limits]\nStallTime=5min\n\(limits)")
    let client = try DaemonClient(daemon.socket)
    let watcher = try DaemonClient(daemon.socket)
    _ = try client.open("io.bearing.location.Subscribe")
    _ = try watcher.open("io.bearing.location.Subscribe")
    let receiver = try gpsd.acceptDaemon()
    let reason = "what may not be dropped would go beyond the queue of \(bytes) bytes"
    // A change of state is never dropped.
    var step = 0
    while !daemon.log.contains(reason) {
      try #require(step < 3000)
      receiver.sendFix(step: step)
      _ = try watcher.next { $0.parameters["state"] == "live" }
      receiver.send(#"{"class":"TPV","device":"/dev/fake0","mode":1}"#)
      _ = try watcher.next { $0.parameters["state"] == "lost" }
      step += 1
    }
    // What was in the socket is whole, and the other one goes on.
    #expect(try client.rest().count > 10)
    receiver.sendFix(step: step)
    _ = try watcher.next { $0.parameters["fix"] != nil }
  }

  private func clientCount(_ daemon: DaemonProcess) throws -> JSON? {
    let client = try DaemonClient(daemon.socket)
    return try client.call("io.bearing.daemon.ListClients").parameters["clients"]?.array.map {
      .int(Int64($0.count))
    }
  }
}
