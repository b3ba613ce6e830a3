internal import Varlink

/// The service side of org.varlink.certification: each client has to make the calls in order, each
/// with what the reply to the one before held.
struct Certification {
  private static let order = [
    "Start", "Test01", "Test02", "Test03", "Test04", "Test05", "Test06", "Test07", "Test08",
    "Test09", "Test10", "Test11", "End",
  ]

  private static let replyCount = 10
  private static func streamReply(_ number: Int) -> JSON { .string("Reply number \(number)") }

  private static let pi = 3.141592653589793
  private static let values: [String: JSON] = [
    "bool": false, "int": 2, "float": .double(pi), "string": "a lot of string",
  ]
  private static let map: JSON = ["foo": "Foo", "bar": "Bar"]
  private static let set: JSON = ["one": [:], "two": [:], "three": [:]]
  private static let object: JSON = [
    "object": ["method": "org.varlink.certification.Test09", "parameters": ["map": map]],
    "enum": "two",
    "struct": ["first": 1, "second": "2"],
    "array": ["one", "two", "three"],
    "dictionary": map,
    "stringset": set,
    "interface": [
      "foo": [nil, ["foo": "foo", "bar": "bar"], nil, ["one": "foo", "two": "bar"]],
      "anon": ["foo": true, "bar": false],
    ],
  ]

  /// What each reply holds; the next call has to bring it back.
  private static let replies: [String: [String: JSON]] = [
    "Test01": ["bool": true],
    "Test02": ["int": 1],
    "Test03": ["float": 1.0],
    "Test04": ["string": "ping"],
    "Test05": values,
    "Test06": ["struct": .object(values)],
    "Test07": ["map": map],
    "Test08": ["set": set],
    "Test09": ["mytype": object],
    "Test10": ["last_more_replies": .array((1...replyCount).map(streamReply))],
  ]

  /// The position in the order, by client.
  private var expected: [String: Int] = [:]
  private var clientCount = 0

  /// The whole messages that answer a call.
  mutating func answer(_ call: Call) -> [[UInt8]] {
    guard call.method != "Start" else {
      clientCount += 1
      expected["client-\(clientCount)"] = 1
      return [Reply.encode(parameters: ["client_id": .string("client-\(clientCount)")])]
    }
    guard let client = call.parameters["client_id"]?.string, let position = expected[client] else {
      return call.oneway ? [] : [Reply.encode(error: "org.varlink.certification.ClientIdError")]
    }
    let method = Self.order[position]
    var wanted = Self.replies[Self.order[position - 1]] ?? [:]
    wanted["client_id"] = .string(client)
    guard call.method == method, Self.isSame(call.parameters, .object(wanted)),
      call.more == (method == "Test10"), call.oneway == (method == "Test11")
    else {
      expected[client] = nil
      let details: JSON = [
        "wants": ["method": .string(method), "parameters": .object(wanted)],
        "got": ["method": .string(call.method), "parameters": call.parameters],
      ]
      let error = "org.varlink.certification.CertificationError"
      return call.oneway ? [] : [Reply.encode(error: error, parameters: details)]
    }
    expected[client] = method == "End" ? nil : position + 1
    switch method {
    case "Test10":
      return (1...Self.replyCount).map { number in
        Reply.encode(
          parameters: ["string": Self.streamReply(number)], continues: number < Self.replyCount)
      }
    case "Test11": return []
    case "End": return [Reply.encode(parameters: ["all_ok": true])]
    default: return [Reply.encode(parameters: .object(Self.replies[method] ?? [:]))]
    }
  }

  /// Equal but for how a number is written and for members that are null instead of absent.
  private static func isSame(_ one: JSON, _ other: JSON) -> Bool {
    switch (one, other) {
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy(isSame)
    case (.object(let one), .object(let other)):
      Set(one.keys).union(other.keys).allSatisfy { name in
        isSame(one[name] ?? .null, other[name] ?? .null)
      }
    case (.int, .double), (.double, .int): one.number == other.number
    default: one == other
    }
  }
}
