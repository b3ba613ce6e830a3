import Foundation
import TestSupport
import Testing

@testable import BearingCore

/// The manual page of the configuration: its keys are written from the declarations.
@Suite struct ConfigurationManualTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../../..").standardized
  private static let begin = ".\\\" The keys, as they are declared.\n"
  private static let end = ".\\\" The end of the keys.\n"

  @Test func `the manual has every key with what it may be and its default, and no other`() throws {
    let page = Self.root.appending(path: "docs/man/bearingd.conf.5")
    let text = try String(contentsOf: page, encoding: .utf8)
    let first = try #require(text.range(of: Self.begin))
    let last = try #require(text.range(of: Self.end))
    let expected = Self.reference()
    guard text[first.upperBound..<last.lowerBound] != expected else { return }
    let copy = ProgramRun.productsFolder.appending(path: "bearingd.conf.5")
    try (text[..<first.upperBound] + expected + text[last.lowerBound...])
      .write(to: copy, atomically: true, encoding: .utf8)
    Issue.record("the keys in \(page.path) are not those there are; compare \(copy.path)")
  }

  @Test(arguments: ["bearingd.8", "bearingd.conf.5", "io.bearing.7"])
  func `the manual is well formed`(page: String) throws {
    let run = try ProgramRun.run(
      "/usr/bin/mandoc",
      ["-T", "lint", "-W", "warning", Self.root.appending(path: "docs/man/\(page)").path])
    #expect(run.output + run.errors == "")
    #expect(run.status == 0)
  }

  /// What `bearingd --help` and its manual say of options and exit codes is the same.
  @Test func `the daemon's manual has every option and exit code`() throws {
    let text = try String(
      contentsOf: Self.root.appending(path: "docs/man/bearingd.8"), encoding: .utf8)
    let help = try ProgramRun.run(ProgramRun.path(of: "bearingd"), ["--help"]).output
    let options = help.matches(of: /(?m)^  --([a-z]+)/).map { String($0.1) }
    #expect(options.count >= 6)
    for option in options { #expect(text.contains(".It Fl -\(option)"), "--\(option)") }
    for code in [0, 1, 2, 78] {
      #expect(help.contains(try Regex("[ ]\(code) ")), "\(code)")
      #expect(text.contains("\n.It \(code)\n"), "\(code)")
    }
  }

  @Test(arguments: ["location", "accelerometer", "regions", "preferences", "daemon"])
  func `the protocol's manual has the methods that its guide has`(name: String) throws {
    func methods(
      _ file: String, from start: String, to end: String, _ method: Regex<(Substring, Substring)>
    )
      throws -> Set<String>
    {
      let text = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
      let rest = text[try #require(text.range(of: start)).upperBound...]
      let section = rest.range(of: end).map { rest[..<$0.lowerBound] } ?? rest
      return Set(section.matches(of: method).map { String($0.1) })
    }
    let page = try methods(
      "docs/man/io.bearing.7", from: ".Ss io.bearing.\(name)\n", to: "\n.S", /Fn ([A-Za-z]+)/)
    let guide = try methods(
      "docs/protocol.md", from: "## io.bearing.\(name)\n", to: "\n```",
      /(?:\| |, )`([A-Z][A-Za-z]+)`/)
    #expect(page.count >= 4)
    #expect(page == guide)
  }

  private static func reference() -> String {
    var text = ""
    var section = ""
    for key in ConfigurationKey.all {
      if key.section != section {
        if !section.isEmpty { text += ".El\n" }
        section = key.section
        text += ".Ss [\(section)]\n.Bl -tag -width Ds\n"
      }
      text += ".It Va \(key.name) Ns =\n\(sentences(key.summary))"
      if let value = key.text(Configuration()), !value.isEmpty {
        text += "Takes \(key.expected); the default is\n.Ql \(value) .\n"
      } else {
        text += "Takes \(key.expected).\n"
      }
      if key.change == .onReload { text += "(reload)\n" }
    }
    return text + ".El\n"
  }

  /// Each on a line of its own, as manual pages are written.
  private static func sentences(_ text: String) -> String {
    text.replacingOccurrences(of: ". ", with: ".\n") + "\n"
  }
}
