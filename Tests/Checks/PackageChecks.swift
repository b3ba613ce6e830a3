import Foundation
import TestSupport
import Testing

/// The package's description, and what goes with it.
@Suite struct PackageChecks {
  private struct Description: Decodable {
    var targets: [Target]
  }

  private struct Target: Decodable {
    var name: String
    var type: String
    var path: String?
    var settings: [Setting]

    var folder: String { path ?? (type == "test" ? "Tests/" : "Sources/") + name }

    /// Its settings for one tool as words, such as `swiftLanguageMode=6`.
    func settings(_ tool: String) -> Set<String> {
      Set(settings.filter { $0.tool == tool }.flatMap(\.words))
    }
  }

  private struct Setting: Decodable {
    var tool: String
    var words: [String]

    private enum Keys: String, CodingKey { case tool, kind }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      tool = try container.decode(String.self, forKey: .tool)
      let kind = try container.decode([String: [String: Argument]].self, forKey: .kind)
      words = kind.flatMap { name, arguments in
        arguments.isEmpty ? [name] : arguments.values.flatMap { $0.words.map { "\(name)=\($0)" } }
      }
    }
  }

  private struct Argument: Decodable {
    var words: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      words = try (try? container.decode([String].self)) ?? [container.decode(String.self)]
    }
  }

  /// Read as the package manager does, beside the build that runs this test.
  private func targets() throws -> [Target] {
    let scratch = try TemporaryFolder()
    let run = try ProgramRun.run(
      "/usr/bin/env",
      [
        "swift", "package", "--package-path", SourceFile.root.path, "--scratch-path", scratch.path,
        "dump-package",
      ], within: 120)
    try #require(run.status == 0, "\(run.errors)")
    return try JSONDecoder().decode(Description.self, from: Data(run.output.utf8)).targets
  }

  @Test func everyTargetHasTheStrictSettings() throws {
    let always: Set<String> = [
      "swiftLanguageMode=6", "treatAllWarnings=error", "enableUpcomingFeature=ExistentialAny",
      "enableUpcomingFeature=InternalImportsByDefault",
      "enableUpcomingFeature=MemberImportVisibility",
    ]
    let warnings: Set<String> = ["unsafeFlags=-Wall", "unsafeFlags=-Wextra", "unsafeFlags=-Werror"]
    var seen = 0
    for target in try targets() {
      let files = SourceFile.all.filter { $0.path.hasPrefix(target.folder + "/") }
      func has(_ suffix: String) -> Bool { files.contains { $0.path.hasSuffix(suffix) } }
      if has(".swift") {
        // Macros of Swift Testing expand to code that strict memory safety does not accept.
        let isTest = target.type == "test" || target.name == "TestSupport"
        let wanted = isTest ? always : always.union(["strictMemorySafety"])
        #expect(wanted.subtracting(target.settings("swift")) == [], "\(target.name)")
        seen += 1
      }
      if has(".c") { #expect(warnings.subtracting(target.settings("c")) == [], "\(target.name)") }
      if has(".cpp") {
        #expect(warnings.subtracting(target.settings("cxx")) == [], "\(target.name)")
      }
    }
    #expect(seen >= 10, "the targets' files are found")
  }

  @Test func everyDebianPackageHasItsReason() throws {
    let makefile = try #require(SourceFile.all.first { $0.path == "Makefile" }).text
    let reasons = try #require(SourceFile.all.first { $0.path == "docs/dependencies.md" }).text
    let lists = makefile.replacing("\\\n", with: " ")
      .matches(of: #/(?m)^\w+_PACKAGES := (.*)$/#).flatMap { $0.output.1.split(separator: " ") }
    #expect(lists.count > 10)
    for package in lists { #expect(reasons.contains("`\(package)`")) }
  }

  @Test func everyLibraryThatIsLinkedHasItsPackage() throws {
    let packages = [
      "gps": "libgps-dev", "systemd": "libsystemd-dev", "GeographicLib": "libgeographiclib-dev",
      "stdc++": "g++", "sqlite3": "libsqlite3-dev", "ncursesw": "libncurses-dev",
    ]
    let makefile = try #require(SourceFile.all.first { $0.path == "Makefile" }).text
    let libraries = try targets().flatMap { $0.settings("linker") }
      .compactMap { $0.hasPrefix("linkedLibrary=") ? String($0.dropFirst(14)) : nil }
    #expect(libraries.contains("gps"))
    for library in libraries {
      let package = try #require(packages[library], "which package has \(library)?")
      #expect(makefile.contains(" \(package)"))
    }
  }
}
