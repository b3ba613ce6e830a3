import BearingModel
import TestSupport
import Testing
import Varlink

/// One position for who asks once: the receiver runs for that long.
@Suite struct OneShotTests {
  private static let getFix = "io.bearing.location.GetFix"
  private let gpsd: GpsdFake
  private let daemon: DaemonProcess

  init() throws {
    gpsd = try GpsdFake()
    daemon = try DaemonProcess(gpsd.configuration)
  }

  private func ask(_ parameters: JSON) throws -> DaemonClient {
    let client = try DaemonClient(daemon.socket)
    try client.send(Self.getFix, parameters)
    return client
  }

  private func state() throws -> String? {
    let status = try DaemonClient(daemon.socket).call("io.bearing.daemon.GetStatus").parameters
    return status["devices"]?.array?.first { $0["kind"] == "location" }?["state"]?.string
  }

  @Test("The first fix that is accurate enough is the answer, and the receiver rests again")
  func accuracy() throws {
    let client = try ask(["accuracy": 10, "timeout": 60_000])
    let receiver = try gpsd.acceptDaemon()
    for (step, accuracy) in [50.0, 20, nil, 4, 2].enumerated() {
      receiver.sendFix(fakeLatitude(step: step), 8.5, accuracy: accuracy)
    }
    let reply = try client.next().parameters
    #expect(reply["fix"]?["horizontalAccuracy"] == 4.0)
    #expect(reply["fix"]?["latitude"]?.number == fakeLatitude(step: 3))
    #expect(reply["bestEffort"] == false)
    #expect(reply["age"]?.integer.map { (0..<10_000).contains($0) } == true)
    #expect(receiver.isClosedByClient())
    #expect(try state() == "off")
    // Exactly one reply: what comes next is that of the next call.
    #expect(try client.call("io.bearing.location.GetLastKnown").parameters["state"] == "off")
  }

  /// The reply to a call after whose beginning, and before whose time was over, such fixes came.
  private func reply(
    _ parameters: [String: JSON], afterFixesOf accuracies: [Double?]
  ) throws -> DaemonClient.Message {
    // The later times are for a machine that is so busy that the fixes do not come within the first.
    for time: Int64 in [1500, 10_000, 50_000] {
      let witness = try DaemonClient(daemon.socket)
      _ = try witness.open("io.bearing.location.Subscribe")
      let receiver = try gpsd.acceptDaemon()
      var parameters = parameters
      parameters["timeout"] = .int(time)
      let client = try ask(.object(parameters))
      for _ in 0..<2 { _ = try state() }
      for (step, accuracy) in accuracies.enumerated() {
        receiver.sendFix(fakeLatitude(step: step), 8.5, accuracy: accuracy)
      }
      let last = fakeLatitude(step: accuracies.count - 1)
      _ = try witness.next { $0.parameters["fix"]?["latitude"]?.number == last }
      let early = try client.nextIfThere()
      witness.close()
      let reply = try early ?? client.next()
      #expect(receiver.isClosedByClient())
      if early == nil { return reply }
    }
    throw DaemonClient.Failure.timedOut
  }

  @Test("When the time is over there is an error, with the state")
  func timeout() throws {
    let reply = try reply(["accuracy": 10], afterFixesOf: [50])
    #expect(reply.error == "io.bearing.location.Timeout")
    #expect(["live", "stale", "lost"].contains(reply.parameters["state"]?.string))
  }

  @Test("With bestEffort the most accurate fix since the call is the answer then")
  func bestEffort() throws {
    let reply = try reply(["accuracy": 10, "bestEffort": true], afterFixesOf: [50, 20, nil, 30])
    #expect(reply.parameters["fix"]?["horizontalAccuracy"] == 20.0)
    #expect(reply.parameters["bestEffort"] == true)
  }

  @Test("Without any fix bestEffort has none to give")
  func noFix() throws {
    let reply = try ask(["timeout": 300, "bestEffort": true]).next()
    #expect(reply.error == "io.bearing.location.Timeout")
    let at = ["connecting", "noReceiver", "searching"]
    #expect(at.contains(reply.parameters["state"]?.string ?? ""))
  }

  @Test("A fix that is there is the answer when it is young and accurate enough")
  func maxAge() throws {
    let first = try ask(["timeout": 60_000])
    let receiver = try gpsd.acceptDaemon()
    receiver.sendFix(47, 8.5, accuracy: 5)
    _ = try first.next()
    #expect(receiver.isClosedByClient())
    let known = try ask(["maxAge": 600_000, "accuracy": 5, "timeout": 0]).next().parameters
    #expect(known["fix"]?["latitude"] == 47.0)
    #expect(try state() == "off")
    // Nobody is asked when the one that is there will not do and no time is given.
    for parameters: JSON in [
      ["maxAge": 600_000, "accuracy": 4, "timeout": 0], ["maxAge": 0, "timeout": 0],
      ["timeout": 0],
    ] {
      #expect(try ask(parameters).next().error == "io.bearing.location.Timeout")
    }
  }

  @Test("One that is satisfied leaves the receiver to one that is not")
  func twoAtOnce() throws {
    let easy = try ask(["accuracy": 50, "timeout": 60_000])
    let hard = try ask(["accuracy": 5, "timeout": 60_000])
    let receiver = try gpsd.acceptDaemon()
    receiver.sendFix(47, 8.5, accuracy: 30)
    #expect(try easy.next().parameters["fix"]?["horizontalAccuracy"] == 30.0)
    receiver.sendFix(47, 8.5, accuracy: 3)
    #expect(try hard.next().parameters["fix"]?["horizontalAccuracy"] == 3.0)
    #expect(receiver.isClosedByClient())
  }

  @Test("A caller that goes away takes its demand with it")
  func abandoned() throws {
    let client = try ask(["timeout": 600_000])
    let receiver = try gpsd.acceptDaemon()
    client.close()
    #expect(receiver.isClosedByClient())
  }

  @Test(
    "What cannot be is refused by name",
    arguments: [
      ("timeout", 600_001), ("timeout", -1), ("maxAge", -1), ("accuracy", -0.5),
    ] as [(String, JSON)])
  func refused(name: String, value: JSON) throws {
    let reply = try DaemonClient(daemon.socket).call(Self.getFix, .object([name: value]))
    #expect(reply.error == "org.varlink.service.InvalidParameter")
    #expect(reply.parameters["parameter"]?.string == name)
  }
}
