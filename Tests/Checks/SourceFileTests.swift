import Testing

/// What the checks take for code.
@Suite struct SourceFileTests {
  @Test(arguments: [
    ("a // b\nc", ["a ", "c"]),
    ("a /* b\nb */ c", ["a ", " c"]),
    ("a \"b // b\" c", ["a  c"]),
    ("a \"b \\\" b\" c", ["a  c"]),
    ("a \"\"\"\n b \" b\n \\\"\"\" b \\\n b\n\"\"\" c", ["a ", "", "", "", " c"]),
    ("a \"b\nc", ["a ", "c"]),
    ("a / b\n\nc", ["a / b", "", "c"]),
  ]) func commentsAndLiteralsAreNoCode(text: String, code: [String]) {
    #expect(SourceFile(path: "a", text: text).codeLines == code)
  }

  @Test func everyFileKeepsItsLines() {
    for file in SourceFile.swift(in: "Sources/") {
      #expect(
        file.codeLines.count
          == file.text.split(separator: "\n", omittingEmptySubsequences: false).count,
        "\(file.path)")
    }
  }
}
