import Foundation
import TestSupport
import Testing

/// The guide's code is the example's, and the example does what it says.
struct DocumentationTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardized

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("every piece of Swift in the guide stands in the example, which is compiled")
  func guide() throws {
    let example = try Self.text("Examples/Preferences/main.swift")
    let pieces = try Self.text("docs/preferences.md").components(separatedBy: "```swift\n")
      .dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(pieces.count == 3)
    for piece in pieces { #expect(example.contains(piece), "\(piece)") }
  }

  @Test("the example counts its starts and greets by name")
  func example() throws {
    let folder = try TemporaryFolder()
    for number in 1...2 {
      let run = try ProgramRun.run(
        ProgramRun.path(of: "example-preferences"), number == 1 ? [] : ["Ada"],
        environment: ["STATE_DIRECTORY": folder.path])
      let start = "started \(number) times, in metric units"
      #expect(run.lines == (number == 1 ? [start] : [start, "hello, Ada"]), "\(run.errors)")
    }
    #expect(
      FileManager.default.fileExists(atPath: folder.path + "/example-preferences.preferences"))
  }
}
