import Testing

@testable import Varlink

@Suite("JSON")
struct JSONTests {
  static func parse(_ text: String, depthLimit: Int = 32) throws(JSONError) -> JSON {
    try JSON(parsing: Array(text.utf8), depthLimit: depthLimit)
  }

  @Test(
    arguments: [
      ("null", .null), (" true ", true), ("\t[]\r\n", []), ("{}", [:]),
      ("0", 0), ("-0", 0), ("-12", -12), ("5.0", .double(5)), ("5e0", .double(5)),
      ("1E-2", .double(0.01)), ("-1.5e+3", .double(-1500)),
      ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
      ("9223372036854775808", .double(9_223_372_036_854_775_808)),
      (#""Zürich-北-🧭""#, "Zürich-北-🧭"),
      (#""\u00fc\ud83e\udded\/\"\\\b\f\n\r\t\u0000""#, "ü🧭/\"\\\u{8}\u{C}\n\r\t\u{0}"),
      (#"{"a":[1,{"b":null}],"":false}"#, ["a": [1, ["b": nil]], "": false]),
    ] as [(String, JSON)])
  func isReadAsRFC8259Says(text: String, value: JSON) throws {
    #expect(try Self.parse(text) == value)
  }

  @Test(
    arguments: [
      ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3),
      ("{\"a\"", .unexpectedEnd, 4), ("\"abc", .unexpectedEnd, 4), ("tru", .unexpectedEnd, 3),
      ("trve", .unexpectedByte(0x76), 2), ("[1,]", .unexpectedByte(0x5D), 3),
      ("{\"a\":1,}", .unexpectedByte(0x7D), 7), ("{a:1}", .unexpectedByte(0x61), 1),
      ("01", .trailingBytes, 1), ("1.", .unexpectedEnd, 2), (".5", .unexpectedByte(0x2E), 0),
      ("+1", .unexpectedByte(0x2B), 0), ("-", .unexpectedEnd, 1), ("1ex", .unexpectedByte(0x78), 2),
      ("NaN", .unexpectedByte(0x4E), 0), ("Infinity", .unexpectedByte(0x49), 0),
      ("1e999", .numberOutOfRange, 0), ("{} {}", .trailingBytes, 3),
      ("\"a\u{1}\"", .unexpectedByte(1), 2), ("\"a\nb\"", .unexpectedByte(0x0A), 2),
      (#""\x""#, .invalidEscape, 1), (#""\u12g4""#, .invalidEscape, 5),
      (#""\ud800""#, .unexpectedByte(0x22), 7), (#""\ud800\u0041""#, .invalidEscape, 1),
      (#""\udc00""#, .invalidEscape, 1),
      (#"{"a":1,"a":2}"#, .repeatedMember("a"), 7),
      (#"{"a":1,"\u0061":2}"#, .repeatedMember("a"), 7),
      ("\u{FEFF}{}", .unexpectedByte(0xEF), 0), ("// c\n1", .unexpectedByte(0x2F), 0),
    ] as [(String, JSONError.Reason, Int)])
  func isRefusedWithThePlace(text: String, reason: JSONError.Reason, offset: Int) {
    #expect(throws: JSONError(reason: reason, offset: offset)) { try Self.parse(text) }
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x28, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xC0, 0x80, 0x22], [0x22, 0xF0, 0x9F, 0xA7, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22],
    ] as [[UInt8]])
  func refusesStringsThatAreNotUTF8(bytes: [UInt8]) {
    #expect(throws: JSONError(reason: .invalidUTF8, offset: 0)) { try JSON(parsing: bytes) }
  }

  @Test(arguments: ["[", "{\"a\":", "[[{\"a\":[", "\u{20}["])
  func survivesAnyDepth(unit: String) {
    let bomb = Array(String(repeating: unit, count: 1_000_000).utf8)
    for limit in [0, 32, JSON.maximumDepth, .max] {
      let error = #expect(throws: JSONError.self) { try JSON(parsing: bomb, depthLimit: limit) }
      #expect(error?.reason == .tooDeep(limit: min(limit, JSON.maximumDepth)))
    }
  }

  @Test func countsDepthByNestingNotBySize() throws {
    let atLimit = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    _ = try Self.parse("[" + atLimit.dropFirst().dropLast() + "]")
    #expect(throws: JSONError(reason: .tooDeep(limit: 32), offset: 32)) {
      try Self.parse("[\(atLimit)]")
    }
    let wide = "[" + repeatElement("[]", count: 10_000).joined(separator: ",") + "]"
    #expect(try Self.parse(wide, depthLimit: 2).array?.count == 10_000)
  }

  @Test(
    arguments: [
      (.null, "null"), (.bool(false), "false"), (.int(.min), "-9223372036854775808"),
      (.double(0.1), "0.1"), (.double(-0.0), "0.0"), (.double(1e300), "1e+300"),
      (.double(-1.234e-5), "-0.00001234"), (.double(1e-7), "0.0000001"), (.double(1e-13), "1e-13"),
      (.double(.nan), "null"), ([1, .double(.infinity)], "[1,null]"),
      (["a": .double(.nan), "b": .double(-.infinity), "c": 1, "d": nil], #"{"c":1,"d":null}"#),
      ("\u{0}\u{1F}\u{7F}\"\\/\n\r\t🧭", #""\u0000\u001f"# + "\u{7F}" + #"\"\\/\n\r\t🧭""#),
    ] as [(JSON, String)])
  func isWrittenWithoutWhatJSONDoesNotHave(value: JSON, text: String) {
    #expect(value.description == text)
  }

  @Test func readsBackWhatItWrites() throws {
    let value: JSON = [
      "text": "ü\u{0}\"", "numbers": [1, -1.5, .double(1e-300), .double(-3.1e-9), .int(.max)],
      "none": nil,
      "nested": ["a": [[], [:]], "yes": true],
    ]
    #expect(try JSON(parsing: value.serialised()) == value)
  }

  struct Sample: Codable, Equatable {
    var name: String
    var count: Int
    var ratio: Double?
    var extra: JSON?
  }

  @Test func becomesValuesOfTheCallersTypesAndBack() throws {
    let json: JSON = ["name": "a/b", "count": 3, "extra": ["x": [1, 2.5, "y", nil, true]]]
    let sample = Sample(
      name: "a/b", count: 3, ratio: nil, extra: ["x": [1, 2.5, "y", nil, true]])
    #expect(try json.decode(Sample.self) == sample)
    #expect(try JSON(parsing: JSON.serialising(sample)) == json)
  }

  @Test func saysWhichValueDoesNotFitTheType() {
    let error = #expect(throws: JSONCodingError.self) {
      try (["name": "a", "count": "three"] as JSON).decode(Sample.self)
    }
    #expect(error?.path == ["count"])
    let missing = #expect(throws: JSONCodingError.self) {
      try (["count": 3] as JSON).decode(Sample.self)
    }
    #expect(missing?.path == ["name"])
    let notFinite = #expect(throws: JSONCodingError.self) {
      try JSON.serialising(Sample(name: "", count: 0, ratio: .infinity))
    }
    #expect(notFinite?.path == ["ratio"])
  }
}
