import TestSupport
import Testing
import Varlink

/// The order of calls and answers on one connection, and how a connection ends.
@Suite struct CallOrderTests {
  private let daemon: DaemonProcess

  init() throws {
    daemon = try DaemonProcess()
  }

  @Test func answersComeInTheOrderOfTheCalls() throws {
    let client = try DaemonClient(daemon.socket)
    for _ in 0..<20 {
      for _ in 0..<25 {
        try client.send("io.bearing.daemon.GetStatus")
        try client.send("org.varlink.service.GetInfo")
        try client.send("io.bearing.location.GetLastKnown")
        try client.send("io.bearing.location.NoSuchMethod")
      }
      for _ in 0..<25 {
        #expect(try client.next().parameters["pid"]?.integer == Int64(daemon.pid))
        #expect(try client.next().parameters["product"] == "bearingd")
        #expect(try client.next().parameters["state"] == "off")
        #expect(try client.next().error == "org.varlink.service.MethodNotFound")
      }
    }
  }

  @Test func callsBehindARunningStreamWait() throws {
    let client = try DaemonClient(daemon.socket)
    try client.send("io.bearing.daemon.SubscribeStatus", ["heartbeat": 100], more: true)
    try client.send("org.varlink.service.GetInfo")
    for _ in 0..<10 {
      let reply = try client.next()
      #expect(reply.continues)
      #expect(reply.parameters["devices"] != nil)
    }
  }

  @Test func aSlowCallHoldsBackThoseBehindItAndNoOtherClient() throws {
    let client = try DaemonClient(daemon.socket)
    try client.send("io.bearing.location.GetFix", ["timeout": 60_000])
    try client.send("org.varlink.service.GetInfo")
    let other = try DaemonClient(daemon.socket)
    #expect(try other.call("org.varlink.service.GetInfo").parameters["vendor"] == "bearingd")
    #expect(try client.nextIfThere() == nil)
    #expect(try client.next().parameters["fix"] != nil)
    #expect(try client.next().parameters["vendor"] == "bearingd")
  }

  @Test(
    arguments: [
      ("io.bearing.daemon.GetStatus", [:]),
      ("io.bearing.location.Subscribe", [:]),
      ("io.bearing.location.GetFix", ["timeout": 1]),
      ("io.bearing.location.GetFix", ["timeout": "soon"]),
      ("io.bearing.regions.List", [:]),
      ("org.varlink.service.GetInfo", [:]),
      ("no.such.interface.Method", [:]),
    ] as [(String, JSON)])
  func aOnewayCallIsNeverAnswered(method: String, parameters: JSON) throws {
    let client = try DaemonClient(daemon.socket)
    try client.send(method, parameters, oneway: true)
    #expect(try client.call("io.bearing.location.GetLastKnown").parameters["state"] != nil)
  }

  @Test func aHalfClosedClientGetsItsAnswerAndThenTheEnd() throws {
    let client = try DaemonClient(daemon.socket)
    try client.send("io.bearing.daemon.GetStatus")
    try client.send("io.bearing.location.GetFix", ["timeout": 60_000])
    try client.endOutput()
    let answers = try client.rest()
    #expect(answers.count == 2)
    #expect(answers.last?.parameters["fix"] != nil)
  }

  @Test func aHalfClosedStreamGoesOnUntilItsReaderIsGone() throws {
    let client = try DaemonClient(daemon.socket)
    try client.send("io.bearing.location.Subscribe", ["heartbeat": 100], more: true)
    try client.endOutput()
    for _ in 0..<20 { #expect(try client.next().continues) }
    let watcher = try DaemonClient(daemon.socket)
    _ = try watcher.open("io.bearing.daemon.SubscribeStatus")
    client.close()
    let reply = try watcher.next { $0.parameters["clients"] == 1 }
    #expect(reply.parameters["devices"]?.array?.first?["subscribers"] == 0)
    #expect(reply.parameters["devices"]?.array?.first?["state"] == "off")
  }

  @Test(arguments: [
    #"{"method":"org.varlink.service.GetInfo","more":true,"oneway":true}"#,
    #"{"method":"org.varlink.service.GetInfo","upgrade":true}"#,
    #"{"method":"org.varlink.service.GetInfo","more":1}"#,
    #"{"method":"org.varlink.service.GetInfo","parameters":[]}"#,
    #"{"method":7}"#, #"{"parameters":{}}"#, #"[]"#, #""text""#, "{", "GET / HTTP/1.1\r\n\r\n",
  ])
  func whoBreaksTheProtocolIsDisconnectedWithoutAWord(message: String) throws {
    let client = try DaemonClient(daemon.socket)
    try client.send(Array(message.utf8) + [0])
    #expect(try client.rest().count == 0)
    let other = try DaemonClient(daemon.socket)
    #expect(try other.call("io.bearing.daemon.GetStatus").parameters["clients"] == 1)
  }
}
