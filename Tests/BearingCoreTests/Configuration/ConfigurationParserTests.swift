import Testing

@testable import BearingCore

@Suite struct ConfigurationParserTests {
  private func parse(
    _ text: String
  ) -> (entries: [ConfigurationEntry], diagnostics: [String]) {
    let result = ConfigurationParser.parse(Array(text.utf8), file: "f")
    return (result.entries, result.diagnostics.map(\.description))
  }

  @Test func takesSectionsAndAssignmentsWithTheirLines() {
    let result = parse(
      "# a comment\n\n[Location]\n GpsdPort = 2948 \n; another\n[Access]\nDefault=x")
    #expect(
      result.entries == [
        ConfigurationEntry(section: "Location", key: "GpsdPort", value: "2948", line: 4),
        ConfigurationEntry(section: "Access", key: "Default", value: "x", line: 7),
      ])
    #expect(result.diagnostics.isEmpty)
  }

  @Test(arguments: [
    ("0,1,0; 1,0,0; 0,0,1", "0,1,0; 1,0,0; 0,0,1"),
    ("a # b", "a # b"),
    ("a=b", "a=b"),
    ("", ""),
    ("\"quoted\"", "\"quoted\""),
    ("ünïcode", "ünïcode"),
    ("one \\\n  two\\\n\tthree", "one two three"),
    ("one \\\n# between\n two", "one two"),
    ("last \\", "last"),
    ("one \\\n\ntwo=2", "one"),
  ]) func readsAValueAsItStands(written: String, value: String) {
    let result = parse("[S]\nKey=\(written)")
    #expect(result.entries.first?.value == value)
    #expect(result.entries.first?.line == 2)
  }

  @Test func aContinuedLineKeepsLaterLineNumbers() {
    let result = parse("[S]\nA=1 \\\n 2 \\\n 3\nB=4\n")
    #expect(result.entries.map(\.line) == [2, 5])
    #expect(result.entries.map(\.value) == ["1 2 3", "4"])
  }

  @Test(arguments: [
    ("Key=1", "f:1: Key=: expected a [Section] before it"),
    ("[S]\n\nnonsense", "f:3: nonsense: expected Key=Value"),
    ("[S]\n=1", "f:2: =1: expected Key=Value"),
    ("[S\nKey=1", "f:1: [S: expected a section as [Name]"),
    ("[]\nKey=1", "f:1: []: expected a section as [Name]"),
    ("[a]b]", "f:1: [a]b]: expected a section as [Name]"),
    ("[S]\nKey=\u{0}1", "f:2: a NUL byte: expected UTF-8 text"),
    ("[S]\nKey=\u{7}1", "f:2: a control character (7): expected UTF-8 text"),
    ("[S]\nKey=a\rb", "f:2: a control character (13): expected UTF-8 text"),
    (
      "[S]\r\nKey=1\r\n",
      "f:1: warning: ends with a carriage return, which is ignored: save it with Unix line ends"
    ),
    (
      "\u{FEFF}[S]\nKey=1",
      "f:1: warning: a byte order mark, which is ignored: save the file as UTF-8 without one"
    ),
    (
      "[S]\nKey=" + String(repeating: "x", count: 8189),
      "f:2: a line of 8193 bytes: the longest is 8192"
    ),
    (
      "[S]\nKey=" + String(repeating: "123456789\\\n", count: 1000),
      "f:2: a continued line of more than 8192 bytes"
    ),
  ]) func saysWhereItCannotRead(text: String, message: String) {
    #expect(parse(text).diagnostics == [message])
  }

  @Test func namesTheLineThatIsNotUTF8() {
    let bytes = Array("[S]\nA=1\nB=".utf8) + [0xC3, 0x28, 0x0A] + Array("C=3".utf8)
    let result = ConfigurationParser.parse(bytes, file: "f")
    #expect(result.diagnostics.map(\.description) == ["f:3: not UTF-8: save the file as UTF-8"])
    #expect(result.entries.map(\.key) == ["A", "C"])
  }

  @Test func aByteOrderMarkAndCarriageReturnsChangeNoValue() {
    let result = parse("\u{FEFF}[S]\r\nA=1 \\\r\n 2\r\nB=3\r\n")
    #expect(result.entries.map(\.value) == ["1 2", "3"])
    #expect(result.entries.map(\.section) == ["S", "S"])
  }

  @Test func givesUpOnAFileThatIsNoConfiguration() {
    let result = parse(String(repeating: "rubbish\n", count: 10_000))
    #expect(result.diagnostics.count == ConfigurationParser.mostErrors + 1)
    #expect(result.diagnostics.last?.hasSuffix("the rest of the file is not read") == true)
  }

  /// Whatever the bytes, parsing ends, and every line number lies in the file.
  @Test(arguments: 0..<32 as Range<UInt64>) func survivesAnyBytes(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let alphabet = Array("[]=\\#; \t\r\nAbé,1".utf8) + [0, 0xFF, 0xEF, 0xBB, 0xBF]
    for _ in 0..<64 {
      let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      let result = ConfigurationParser.parse(bytes, file: "f")
      let places = result.entries.map(\.line) + result.diagnostics.map(\.line)
      #expect(places.allSatisfy { (1...lines).contains($0) }, "bytes \(bytes)")
      #expect(result.entries.allSatisfy { !$0.key.isEmpty && !$0.section.isEmpty })
      #expect(
        result.entries.allSatisfy { $0.value == $0.value.trimmed && !$0.value.contains("\n") })
      var configuration = Configuration()
      _ = configuration.apply(bytes, of: "f")
    }
  }
}

/// A small generator whose numbers depend on the seed alone (SplitMix64).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
