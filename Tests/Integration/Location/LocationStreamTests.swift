import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// What a stream of positions promises, through the socket.
@Suite struct LocationStreamTests {
  private static let subscribe = "io.bearing.location.Subscribe"
  private let gpsd: GpsdFake
  private let daemon: DaemonProcess

  init() throws {
    gpsd = try GpsdFake()
    daemon = try DaemonProcess(gpsd.configuration)
  }

  private func stream(_ parameters: JSON) throws -> (DaemonClient, GpsdFakeConnection) {
    let client = try DaemonClient(daemon.socket)
    _ = try client.open(Self.subscribe, parameters)
    return (client, try gpsd.acceptDaemon())
  }

  private func isNews(_ message: DaemonClient.Message) -> Bool {
    message.parameters["fix"] != nil && message.parameters["repeated"] != true
  }

  @Test("A heartbeat repeats the last fix with its age, and moves no filter's reference")
  func heartbeat() throws {
    let (client, receiver) = try stream(["heartbeat": 100, "distanceFilter": 10])
    receiver.sendFix(47, 8.5)
    let first = try client.next(where: isNews).parameters
    // 6.7 m on: held back, but the last fix that there is.
    receiver.sendFix(47.00006, 8.5)
    var ages: [Int64] = []
    while ages.count < 3 {
      let reply = try client.next().parameters
      guard reply["repeated"] == true, reply["fix"]?["latitude"] == 47.00006 else { continue }
      #expect(reply["fix"]?["sequence"] != first["fix"]?["sequence"])
      ages.append(reply["age"]?.integer ?? -1)
    }
    #expect(zip(ages, ages.dropFirst()).allSatisfy { $1 >= $0 + 90 })
    // 12.2 m from the one delivered, 5.6 m from the one repeated.
    receiver.sendFix(47.00011, 8.5)
    #expect(try client.next(where: isNews).parameters["fix"]?["latitude"] == 47.00011)
  }

  @Test("What was dropped since its reader was behind is explained so, and nothing else")
  func queue() throws {
    let (behind, receiver) = try stream([:])
    let other = try DaemonClient(daemon.socket)
    func ask(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
      try other.call("io.bearing.daemon." + method, parameters).parameters
    }
    let clients = try #require(try ask("ListClients")["clients"]?.array)
    let number = try #require(
      clients.first { $0["stream"]?.string == Self.subscribe }?["identifier"])
    let reader = try DaemonClient(daemon.socket)
    _ = try reader.open(Self.subscribe)
    func dropped() throws -> Int64 {
      let clients = try ask("ListClients")["clients"]?.array ?? []
      return clients.first { $0["identifier"] == number }?["dropped"]?.integer ?? 0
    }
    var step = 0
    while try dropped() < 5 {
      receiver.sendFix(step: step)
      _ = try reader.next(where: isNews)
      step += 1
      try #require(step < 10_000)
    }
    let decisions = try #require(
      try ask("Explain", ["client": number])["decisions"]?.decode([FilterDecision].self))
    var arrived: Set<Int> = []
    while !arrived.contains(step) {
      arrived.insert(
        try Int(behind.next(where: isNews).parameters["fix"]?["sequence"]?.integer ?? 0))
    }
    #expect(decisions.count == 16)
    #expect(decisions.map(\.passed) == decisions.map { arrived.contains($0.sequence) })
    let lost = decisions.filter { !$0.passed }
    #expect(lost.map(\.filter) == Array(repeating: "queue", count: 5))
    #expect(lost.allSatisfy { $0.value == nil && $0.limit == nil })
  }

  @Test("maximumAccuracy holds back what is less accurate, or of unknown accuracy")
  func maximumAccuracy() throws {
    let (client, receiver) = try stream(["maximumAccuracy": 20])
    for (step, accuracy) in [50.0, nil, 20, 20.1, 3].enumerated() {
      receiver.sendFix(fakeLatitude(step: step), 8.5, accuracy: accuracy)
    }
    let told = try (0..<2).map { _ in
      try client.next(where: isNews).parameters["fix"]?["latitude"]?.number
    }
    #expect(told == [fakeLatitude(step: 2), fakeLatitude(step: 4)])
  }

  @Test("At rest a place that wanders is no movement, and three fixes in a row far off are one")
  func stationary() throws {
    let (client, receiver) = try stream(["distanceFilter": 5])
    receiver.sendFix(47, 8.5, accuracy: 5, speed: 0.1)
    _ = try client.next(where: isNews)
    // 11 m to and fro: beyond the filter, within three accuracies of a receiver at rest.
    for index in 0..<10 {
      receiver.sendFix(47 + (index % 2 == 0 ? 0.0001 : 0), 8.5, accuracy: 5, speed: 0.1)
    }
    // 22 m, 33 m and 44 m: three in a row beyond 15 m.
    for index in 2..<5 { receiver.sendFix(47 + Double(index) * 0.0001, 8.5, speed: 0.1) }
    #expect(try client.next(where: isNews).parameters["fix"]?["latitude"] == 47.0004)
  }

  @Test("gpsd that goes and comes again is told to a client that stays connected")
  func restarts() throws {
    let (client, first) = try stream([:])
    first.sendFix(47, 8.5)
    _ = try client.next(where: isNews)
    gpsd.refuse()
    first.reset()
    let gone = try client.next { $0.parameters["state"] == "connecting" }.parameters
    #expect(gone["fix"] == nil)
    try gpsd.listenAgain()
    let second = try gpsd.acceptDaemon()
    _ = try client.next { $0.parameters["state"] == "searching" }
    second.send(bytes: Array(#"{"class":"TPV","device":"/dev/fake0","mode":3,"lat":1"#.utf8))
    second.reset()
    _ = try client.next { $0.parameters["state"] == "connecting" }
    let third = try gpsd.acceptDaemon()
    third.sendFix(47.0001, 8.5)
    let back = try client.next(where: isNews).parameters
    #expect(back["state"] == "live" && back["fix"]?["latitude"] == 47.0001)
  }

  @Test("Each change of state is told once to every stream, of positions, skies and headings")
  func states() throws {
    let (witness, receiver) = try stream([:])
    _ = try witness.next { $0.parameters["state"] == "searching" }
    let clients = try ["Subscribe", "SubscribeSky", "SubscribeHeading"].map { method in
      let client = try DaemonClient(daemon.socket)
      let first = try client.open("io.bearing.location.\(method)").parameters
      #expect(first == ["state": "searching"])
      return client
    }
    receiver.sendFix(47, 8.5)
    _ = try witness.next(where: isNews)
    gpsd.refuse()
    receiver.reset()
    let told = try clients.map { client in
      var told: [JSON] = []
      while told.last?["state"] != "connecting" {
        let reply = try client.next().parameters
        if reply["fix"] == nil { told.append(reply) }
      }
      return told
    }
    // On a machine that is slow the fix may have grown old in between.
    let between: [JSON] = [["state": "stale"], ["state": "lost"]].filter { told[0].contains($0) }
    let expected: [JSON] = [["state": "live"]] + between + [["state": "connecting"]]
    #expect(told == [expected, expected, expected])
  }

  /// Whether the kernel says that something keeps the clock right, read by another program.
  private func isClockSynchronised() throws -> Bool {
    let state = try ProgramRun.run(
      "/usr/bin/python3",
      ["-c", "import ctypes; print(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(1024)))"])
    return state.lines.first != "5" && state.lines.first != "-1"
  }

  /// Whether the receiver's time comes to be trusted when it is that many days ahead.
  private func isTrusted(daysAhead: Double) throws -> Bool {
    let (client, receiver) = try stream([:])
    // Three that come in time are enough; more are for a machine that is busy.
    for step in 0..<20 {
      let time = Date().addingTimeInterval(daysAhead * 86_400)
      let text = time.formatted(
        .iso8601.year().month().day().time(includingFractionalSeconds: true))
      receiver.send(
        """
        {"class":"TPV","device":"/dev/fake0","mode":3,"time":"\(text)Z","eph":3,"lon":8.5,\
        "lat":\(fakeLatitude(step: step))}
        """)
      let fix = try client.next(where: isNews).parameters["fix"]
      if fix?["timestampTrusted"] == true { return true }
    }
    return false
  }

  @Test("A receiver's UTC is trusted, but not two days off a system clock that is synchronised")
  func clock() throws {
    #expect(try isTrusted(daysAhead: 0.01))
    #expect(try isTrusted(daysAhead: 2) == !isClockSynchronised())
  }
}
