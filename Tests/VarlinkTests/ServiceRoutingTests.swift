import Testing

@testable import Varlink

@Suite("A service's answer to one message")
struct ServiceRoutingTests {
  static let description = """
    interface org.example.thing
    type Kind (small, large)
    # [Requires 'more' flag]
    method Watch(kind: ?Kind) -> (kind: Kind)
    method Make(kind: Kind, count: int, sizes: ?[]float) -> ()
    method Later() -> ()
    """

  static func service() throws -> Service {
    let interface = ServiceInterface(
      try InterfaceDescription(parsing: description), implementing: ["Watch", "Make"])
    return Service(
      vendor: "Example", product: "Things", version: "1", url: "https://example.org",
      interfaces: [interface])
  }

  /// The reply, as JSON, or what else is done, as text.
  static func outcome(_ message: String) throws -> JSON {
    switch try service().route(Array(message.utf8)) {
    case .call(let call):
      ["call": .string(call.method), "parameters": call.parameters]
    case .reply(let bytes):
      try JSON(parsing: Array(bytes.dropLast()))
    case .nothing: "nothing"
    case .disconnect: "disconnect"
    }
  }

  @Test(
    arguments: [
      (
        #"{"method":"org.example.thing.Make","parameters":{"kind":"small","count":2,"sizes":null}}"#,
        ["call": "Make", "parameters": ["kind": "small", "count": 2]]
      ),
      (
        #"{"method":"org.example.thing.Watch","more":true,"oneway":false,"parameters":null}"#,
        ["call": "Watch", "parameters": [:]]
      ),
      (
        #"{"method":"org.example.thing.Watch"}"#,
        ["error": "org.varlink.service.ExpectedMore", "parameters": [:]]
      ),
      (#"{"method":"org.example.thing.Watch","oneway":true}"#, "nothing"),
      (
        #"{"method":"org.example.thing.Later"}"#,
        [
          "error": "org.varlink.service.MethodNotImplemented",
          "parameters": ["method": "org.example.thing.Later"],
        ]
      ),
      (
        #"{"method":"org.example.thing.Never","parameters":{}}"#,
        [
          "error": "org.varlink.service.MethodNotFound",
          "parameters": ["method": "org.example.thing.Never"],
        ]
      ),
      (
        #"{"method":"org.example.other.Make"}"#,
        [
          "error": "org.varlink.service.InterfaceNotFound",
          "parameters": ["interface": "org.example.other"],
        ]
      ),
      (
        #"{"method":"org.example.thing.Make","parameters":{"kind":"small","count":"2"}}"#,
        ["error": "org.varlink.service.InvalidParameter", "parameters": ["parameter": "count"]]
      ),
      (
        #"{"method":"org.varlink.service.GetInfo"}"#,
        [
          "parameters": [
            "vendor": "Example", "product": "Things", "version": "1",
            "url": "https://example.org",
            "interfaces": ["org.varlink.service", "org.example.thing"],
          ]
        ]
      ),
    ] as [(String, JSON)])
  func isTheOneTheProtocolAsksFor(message: String, expected: JSON) throws {
    #expect(try Self.outcome(message) == expected)
  }
}
