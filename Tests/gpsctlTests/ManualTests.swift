import Foundation
import TestSupport
import Testing

@testable import gpsctl

@Suite struct ManualTests {
  private static let page = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/man/gpsctl.1")

  @Test func `the manual has every command and option`() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let commands = Gpsctl.commands.filter { !$0.isHidden }
    let entries = CompletionEntry.all(commands)
    #expect(entries.count >= 8)
    for (path, command) in entries {
      #expect(text.contains(".It Cm \(path.joined(separator: " "))"), "\(path)")
      for option in command.allOptions {
        #expect(text.contains("Fl -\(option.name)"), "\(path) --\(option.name)")
      }
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc")))
  func `the manual is well formed`() throws {
    let run = try ProgramRun.run(
      "/usr/bin/mandoc", ["-T", "lint", "-W", "warning", Self.page.path])
    #expect(run.output + run.errors == "")
    #expect(run.status == 0)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/man")))
  func `the manual fits a terminal of 80 columns`() throws {
    let run = try ProgramRun.run(
      "/usr/bin/man", ["--warnings", "-l", Self.page.path],
      environment: ["MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"])
    #expect(run.errors == "")
    #expect(run.status == 0 && run.output.contains("GPSCTL(1)"))
    #expect(run.lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `each command's help has its options and examples`() throws {
    let program = ProgramRun.path(of: "gpsctl")
    for command in Gpsctl.commands {
      let run = try ProgramRun.run(program, [command.name, "--help"])
      #expect(run.status == 0)
      #expect(run.output.hasPrefix("Usage: gpsctl \(command.name)"))
      for option in command.allOptions { #expect(run.output.contains("--\(option.name)")) }
      #expect(!command.examples.isEmpty, "\(command.name)")
      for example in command.examples { #expect(run.output.contains(example.call)) }
    }
    let monitor = try ProgramRun.run(program, ["monitor", "--help"])
    #expect(!monitor.output.contains("--json"), "it has none")
    let overview = try ProgramRun.run(program, ["--help"])
    #expect(overview.lines.allSatisfy { $0.count <= 80 })
    for command in Gpsctl.commands {
      #expect(overview.output.contains("\n  \(command.name) ") != command.isHidden)
    }
  }

  @Test func `help fits a terminal of 80 columns`() {
    for (path, command) in CompletionEntry.all(Gpsctl.commands) {
      let text = HelpText(commands: Gpsctl.commands).text(of: command, at: path)
      #expect(text.split(separator: "\n").filter { $0.count > 80 } == [], "\(path)")
    }
  }

  /// The calls in help are calls that can be made.
  @Test func `each example can be read`() throws {
    let parser = ArgumentParser(commands: Gpsctl.commands)
    for command in Gpsctl.commands {
      for example in command.examples {
        let own = example.call.prefix { !"|>".contains($0) }.split(separator: " ").dropFirst()
        guard case .run = try parser.parse(own.map(String.init)) else {
          Issue.record("\(example.call)")
          continue
        }
      }
    }
  }
}
