import Testing

@testable import Varlink

@Suite("One client of a service")
struct ServiceConnectionTests {
  var connection: ServiceConnection

  init() throws {
    connection = ServiceConnection(service: try ServiceRoutingTests.service(), requestLimit: 1000)
  }

  mutating func receive(_ messages: String...) {
    connection.receive(messages.map { $0 + "\0" }.joined().utf8.span)
  }

  static let watch = #"{"method":"org.example.thing.Watch","more":true}"#
  static let make = #"{"method":"org.example.thing.Make","parameters":{"kind":"small","count":1}}"#
  static let info = #"{"method":"org.varlink.service.GetInfo"}"#

  /// A step as text: the method called, `reply`, `idle` or why the client is disconnected.
  mutating func step() -> String {
    switch connection.next() {
    case .call(let call): call.method
    case .send: "reply"
    case .idle: "idle"
    case .disconnect(let reason): "\(reason)"
    }
  }

  @Test mutating func isAnsweredInOrderHoweverMuchItSendsAhead() {
    receive(Self.watch, Self.info, Self.make, Self.info)
    #expect(step() == "Watch")
    #expect(connection.isBusy)
    // The stream runs: nothing behind it is answered, not even what needs no call.
    #expect(step() == "idle")
    receive(Self.watch)
    #expect(step() == "idle")
    connection.finishedCall()
    #expect(step() == "reply")
    #expect(step() == "Make")
    #expect(step() == "idle")
    connection.finishedCall()
    #expect(step() == "reply")
    #expect(step() == "Watch")
  }

  @Test mutating func getsNothingForOnewayNotEvenAnError() {
    receive(
      #"{"method":"org.varlink.service.GetInfo","oneway":true}"#,
      #"{"method":"org.example.thing.Never","oneway":true}"#,
      #"{"method":"org.example.nothing.Never","oneway":true}"#,
      #"{"method":"org.example.thing.Later","oneway":true}"#,
      #"{"method":"org.example.thing.Make","parameters":{"kind":1},"oneway":true}"#,
      #"{"method":"org.example.thing.Watch","oneway":true}"#,
      Self.info)
    #expect(step() == "reply")
    #expect(step() == "idle")
  }

  @Test(
    arguments: [
      ("nonsense", .invalidJSON(.init(reason: .unexpectedByte(0x6F), offset: 1))),
      ("[]", .notAnObject), ("1", .notAnObject),
      ("{}", .missingMethod), (#"{"method":null}"#, .missingMethod),
      (#"{"method":1}"#, .invalidMember("method")),
      (#"{"method":"GetInfo"}"#, .invalidMethodName), (#"{"method":"a."}"#, .invalidMethodName),
      (#"{"method":".A"}"#, .invalidMethodName), (#"{"method":"a b.C"}"#, .invalidMethodName),
      (#"{"method":"a.B","parameters":[]}"#, .invalidMember("parameters")),
      (#"{"method":"a.B","more":1}"#, .invalidMember("more")),
      (#"{"method":"a.B","oneway":"true"}"#, .invalidMember("oneway")),
      (#"{"method":"a.B","more":true,"oneway":true}"#, .moreAndOneway),
      (#"{"method":"a.B","upgrade":true}"#, .upgrade),
    ] as [(String, DisconnectReason)])
  mutating func isDisconnectedForWhatIsNoCall(message: String, reason: DisconnectReason) throws {
    receive(Self.info, message, Self.info)
    #expect(step() == "reply")
    #expect(step() == "\(reason)")
    // For good, whatever else comes.
    receive(Self.info)
    #expect(step() == "\(reason)")
    #expect(!connection.wantsInput)
    #expect(connection.bufferedCount <= Self.info.utf8.count + 1)
  }

  @Test func isDisconnectedForAMethodNameTooLongToRepeat() throws {
    let service = try ServiceRoutingTests.service()
    let message = #"{"method":"\#(String(repeating: "a", count: 600)).B"}"#
    guard case .disconnect(.invalidMethodName) = service.route(Array(message.utf8)) else {
      Issue.record("the call was answered")
      return
    }
  }

  @Test func repeatsNoMoreOfAnUnknownNameThanFitsInAName() throws {
    let unknown = String(repeating: #"\u0001"#, count: 10_000)
    let message = #"{"method":"org.varlink.service.GetInfo","parameters":{"\#(unknown)":1}}"#
    guard case .reply(let reply) = try ServiceRoutingTests.service().route(Array(message.utf8))
    else {
      Issue.record("the call was not answered")
      return
    }
    #expect(reply.count < 4096)
  }

  @Test mutating func mayEndItsInputAndStillGetsItsReplies() {
    receive(Self.watch, Self.make)
    connection.receiveEnd()
    #expect(!connection.wantsInput)
    #expect(step() == "Watch")
    #expect(step() == "idle")
    connection.finishedCall()
    #expect(step() == "Make")
    connection.finishedCall()
    #expect(step() == "\(DisconnectReason.finished)")
  }

  @Test mutating func isNotReadFromWhileEnoughWaits() {
    receive(Self.watch)
    #expect(step() == "Watch")
    var sent = 0
    while connection.wantsInput {
      receive(Self.info)
      sent += 1
      #expect(sent < 100)
    }
    #expect(connection.bufferedCount <= 1000 + Self.info.utf8.count + 1)
    #expect(step() == "idle")
    connection.finishedCall()
    for _ in 0..<sent { #expect(step() == "reply") }
    #expect(step() == "idle")
    #expect(connection.wantsInput)
  }

  @Test mutating func isReadFromUntilARequestOfTheLongestKindIsComplete() {
    let padding = String(repeating: " ", count: 1000 - Self.info.utf8.count)
    connection.receive((Self.info + padding).utf8.span)
    #expect(step() == "idle")
    #expect(connection.wantsInput)
    connection.receive([0].span)
    #expect(step() == "reply")
    connection.receive((Self.info + padding + " ").utf8.span)
    #expect(step() == "\(DisconnectReason.messageTooLong(limit: 1000))")
  }

  @Test mutating func showsWhichMessageIsIncomplete() {
    #expect(connection.incompleteMessage == nil)
    connection.receive("{\"me".utf8.span)
    let first = connection.incompleteMessage
    #expect(first != nil)
    connection.receive("thod\"".utf8.span)
    #expect(connection.incompleteMessage == first)
    connection.receive(":\"org.varlink.service.GetInfo\"}\0{".utf8.span)
    #expect(connection.incompleteMessage != nil)
    #expect(connection.incompleteMessage != first)
    #expect(step() == "reply")
    connection.receive("}\0".utf8.span)
    #expect(connection.incompleteMessage == nil)
  }
}
