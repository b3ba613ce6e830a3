import Foundation
import Testing

@testable import Varlink

@Suite("Interface descriptions")
struct DescriptionTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures/descriptions")

  static func fixture(_ name: String) throws -> InterfaceDescription {
    let text = try String(contentsOf: folder.appending(path: "\(name).varlink"), encoding: .utf8)
    return try InterfaceDescription(parsing: text)
  }

  @Test func areReadWithEverythingInThem() throws {
    let text = """
      # About it.
      #
      # And more.
      interface org.example.every-thing.x2

      # Not this.

      # A kind
      # of thing.
      type Kind (small, large)  # trailing
      type Part (
        a: bool, b: int, c: float, d: string, e: object, # in between
        f: ?string,
        g: []?Kind,\t
        h: [string][]int,
        set: [string](),
        inner_name2: ?[](x: float, kind: (one, two))
      )
      type Nothing ()
      # [Requires 'more' flag]
      # Watches.
      method Watch(kind:?Kind)->(part: Part)
      method Stop() -> ()
      error Failed ()
      # Too many.
      error Full (limit: int)
      """
    let description = try InterfaceDescription(parsing: text)
    #expect(description.name == "org.example.every-thing.x2")
    #expect(description.documentation == "About it.\n\nAnd more.")
    #expect(description.text == text)
    #expect(description.types.map(\.name) == ["Kind", "Part", "Nothing"])
    #expect(description.types[0].documentation == "A kind\nof thing.")
    #expect(description.types[0].type == .enumeration(["small", "large"]))
    #expect(
      description.types[1].type
        == .structure([
          .init(name: "a", type: .bool), .init(name: "b", type: .int),
          .init(name: "c", type: .float), .init(name: "d", type: .string),
          .init(name: "e", type: .object), .init(name: "f", type: .optional(.string)),
          .init(name: "g", type: .array(.optional(.named("Kind")))),
          .init(name: "h", type: .map(.array(.int))),
          .init(name: "set", type: .map(.structure([]))),
          .init(
            name: "inner_name2",
            type: .optional(
              .array(
                .structure([
                  .init(name: "x", type: .float),
                  .init(name: "kind", type: .enumeration(["one", "two"])),
                ])))),
        ]))
    #expect(description.types[2].type == .structure([]))
    #expect(description.methods.map(\.name) == ["Watch", "Stop"])
    #expect(description.methods.map(\.requiresMore) == [true, false])
    #expect(description.method("Watch")?.documentation == "[Requires 'more' flag]\nWatches.")
    #expect(
      description.method("Watch")?.parameters
        == [.init(name: "kind", type: .optional(.named("Kind")))])
    #expect(description.method("Watch")?.replies == [.init(name: "part", type: .named("Part"))])
    #expect(description.errors.map(\.documentation) == ["", "Too many."])
    #expect(description.error("Full")?.parameters == [.init(name: "limit", type: .int)])
    #expect(description.method("Full") == nil)
  }

  static let start = "interface org.example.x\n"

  @Test(
    arguments: [
      ("", 1, 1, "`interface`", "the end"),
      ("Interface a.b", 1, 1, "`interface`", "`Interface`"),
      ("interface thing\n", 1, 11, "an interface's name like `org.example.thing`", "`thing`"),
      ("interface org2.x\n", 1, 11, "an interface's name like `org.example.thing`", "`org2.x`"),
      ("interface org.X\n", 1, 11, "an interface's name like `org.example.thing`", "`org.X`"),
      ("interface org..x\n", 1, 11, "an interface's name like `org.example.thing`", "`org..x`"),
      ("interface org.x-\n", 1, 11, "an interface's name like `org.example.thing`", "`org.x-`"),
      (start, 2, 1, "a method", "the end"),
      (start + "type A (x: int)\n", 3, 1, "a method", "the end"),
      (start + "methods A() -> ()", 2, 1, "`type`, `method` or `error`", "`methods`"),
      (start + "method a() -> ()", 2, 8, "a name that starts with a capital letter", "`a`"),
      (start + "method A() > ()", 2, 12, "`->`", "`>`"),
      (start + "method A() -> ", 2, 15, "`(`", "the end"),
      (
        start + "method A(x int) -> ()", 2, 12,
        "`:` and a type, or a second name of the enumeration", "`int`"
      ),
      (start + "method A(a, b) -> ()", 2, 9, "fields with types", "`(`"),
      (start + "method A(x: int,) -> ()", 2, 17, "a name that starts with a small letter", "`)`"),
      (start + "method A(x: any) -> ()", 2, 13, "a type", "`any`"),
      (start + "method A(x: ??int) -> ()", 2, 14, "one `?`", "`?`"),
      (start + "method A(x: [int]int) -> ()", 2, 13, "a type", "`[`"),
      (start + "method A(x: int y: int) -> ()", 2, 17, "`)`", "`y`"),
      (start + "method A(x: int, x: bool) -> ()", 2, 18, "a name that is not taken yet", "`x`"),
      (start + "method A(X: int) -> ()", 2, 10, "a name that starts with a small letter", "`X`"),
      (
        start + "method A(a__b: int) -> ()", 2, 10, "single underscores between letters or digits",
        "`a__b`"
      ),
      (
        start + "method A(a_: int) -> ()", 2, 10, "single underscores between letters or digits",
        "`a_`"
      ),
      (start + "method A(x: B) -> ()", 2, 13, "a type that the interface defines", "`B`"),
      (
        start + "type K (one)\nmethod A() -> ()", 2, 12,
        "`:` and a type, or a second name of the enumeration", "`)`"
      ),
      (start + "type K (one, two: int)\nmethod A() -> ()", 2, 17, "`)`", "`:`"),
      (start + "type K int\nmethod A() -> ()", 2, 8, "`(`", "`int`"),
      (start + "method A() -> ()\nmethod A() -> ()", 3, 8, "a name that is not taken yet", "`A`"),
      (start + "error E\nmethod A() -> ()", 3, 1, "`(`", "`method`"),
      (start + "method A() -> ()\r\n", 2, 17, "`type`, `method` or `error`", "a carriage return"),
    ] as [(String, Int, Int, String, String)])
  func areRefusedWhereSomePeerCouldNotReadThem(
    text: String, line: Int, column: Int, expected: String, found: String
  ) {
    let error = #expect(throws: DescriptionError.self) { try InterfaceDescription(parsing: text) }
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.expected == expected)
    #expect(error?.found == found)
  }

  @Test(arguments: ["[]", "?[]", "[string]", "(a: "])
  func nestedWithoutEndAreRefused(unit: String) {
    let text = Self.start + "method A(x: " + String(repeating: unit, count: 1_000_000)
    let error = #expect(throws: DescriptionError.self) { try InterfaceDescription(parsing: text) }
    #expect(error?.expected == "types nested at most 32 deep")
  }

  @Test(arguments: [
    ("io.bearing.accelerometer", 6, ["Subscribe", "SubscribeOrientation", "SubscribeMotion"]),
    ("io.bearing.daemon", 5, ["SubscribeStatus"]),
    ("io.bearing.location", 7, ["Subscribe", "SubscribeSky", "SubscribeHeading"]),
    ("io.bearing.preferences", 5, ["Subscribe"]),
    ("io.bearing.regions", 4, ["Subscribe"]),
  ])
  func ofOurOwnAreRead(name: String, methods: Int, streams: [String]) throws {
    let description = try Self.fixture(name)
    #expect(description.name == name)
    #expect(description.methods.count == methods)
    #expect(description.methods.filter(\.requiresMore).map(\.name) == streams)
  }

  /// What `Tests/Fuzz` found worth keeping.
  @Test(
    arguments: try FileManager.default.contentsOfDirectory(
      at: folder.appending(path: "../fuzz/descriptions"), includingPropertiesForKeys: nil))
  func ofTheFuzzerAreReadOrRefusedWithAPlaceInThem(file: URL) throws {
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let description: InterfaceDescription
    do {
      description = try InterfaceDescription(parsing: text)
    } catch {
      let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      try #require(lines.indices.contains(error.line - 1))
      #expect((1...lines[error.line - 1].count + 1).contains(error.column))
      return
    }
    #expect(!description.methods.isEmpty)
    #expect(text.contains(description.name))
  }

  @Test func theServicesOwnSaysWhatItsTextSays() throws {
    let built = ServiceDescription.parsed
    let parsed = try InterfaceDescription(parsing: built.text)
    #expect(parsed.name == built.name)
    #expect(parsed.documentation == built.documentation)
    #expect(parsed.types == built.types)
    #expect(parsed.methods == built.methods)
    #expect(parsed.errors == built.errors)
  }
}
