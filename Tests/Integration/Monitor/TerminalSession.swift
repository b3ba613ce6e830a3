import Foundation
import Glibc
import TestSupport
import Testing

/// A terminal in which a shell runs, to type into and to look at; gone with the object.
///
/// It is tmux's, with a server of its own.
final class TerminalSession: Sendable {
  /// What was waited for and what the screen showed instead.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let folder: TemporaryFolder
  /// A client of tmux that tells of all output: whatever changes the screen ends a wait.
  private let control: ChildProcess

  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux") }

  init(columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
    folder = try TemporaryFolder()
    var variables = ["LC_ALL": "C.UTF-8", "PS1": "ready> ", "SWIFT_BACKTRACE": "enable=no"]
    variables.merge(environment) { $1 }
    let settings = variables.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
    for call in [
      [
        "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
        "env -u NO_COLOR -u TMUX \(settings) sh",
      ],
      ["set", "-g", "status", "off"], ["set", "-g", "window-size", "manual"],
      ["resize-window", "-x", "\(columns)", "-y", "\(rows)"],
    ] {
      let run = try Self.tmux(call, in: folder)
      guard run.status == 0 else { throw Failure(description: "tmux \(call[0]): \(run.errors)") }
    }
    control = try ChildProcess(
      "/usr/bin/env", Self.words(for: folder) + ["-C", "attach"], environment: Self.environment,
      hasInput: true)
    try wait { $0.contains("ready>") }
  }

  deinit {
    _ = try? tmux("kill-server")
  }

  // MARK: The keyboard

  /// Types text as it is.
  func type(_ text: String) throws { _ = try tmux("send-keys", "-l", text) }

  /// Types a key by tmux's name for it, such as `C-c` or `Enter`.
  func press(_ key: String) throws { _ = try tmux("send-keys", key) }

  /// Types a command with its return.
  func run(_ command: String) throws {
    try type(command)
    try press("Enter")
  }

  func resize(columns: Int, rows: Int) {
    _ = try? tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  // MARK: The screen

  /// What the screen shows, without the blanks at the lines' ends.
  var screen: String {
    get throws { try tmux("capture-pane", "-p").output }
  }

  /// The same with its escape sequences.
  var screenWithLooks: String {
    get throws { try tmux("capture-pane", "-p", "-e").output }
  }

  /// Whether a full-screen program has the screen, and whether the cursor is to be seen.
  var modes: (isTaken: Bool, hasCursor: Bool) {
    get throws {
      let words = try tmux("display", "-p", "#{alternate_on}#{cursor_flag}").lines
      return (words.first?.first == "1", words.first?.last == "1")
    }
  }

  /// Waits until the screen shows what it should; at each change of it, it is looked at again.
  @discardableResult
  func wait(
    within seconds: Double = 60, until isThere: (String) throws -> Bool
  ) throws -> String {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      let seen = try screen
      if try isThere(seen) { return seen }
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero, waitForNews(atMost: left) else {
        throw Failure(description: "not within \(seconds) s; the screen showed\n\(seen)")
      }
    }
  }

  private func waitForNews(atMost time: Duration) -> Bool {
    let news = control.output
    var entry = pollfd(fd: news.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(time / .milliseconds(1))) > 0 else { return false }
    return !news.availableData.isEmpty
  }

  // MARK: tmux

  private static let environment = ["LC_ALL": "C.UTF-8"]

  private static func words(for folder: TemporaryFolder) -> [String] {
    ["-u", "TMUX", "tmux", "-u", "-S", folder.path + "/socket", "-f", "/dev/null"]
  }

  private func tmux(_ arguments: String...) throws -> ProgramRun {
    try Self.tmux(arguments, in: folder)
  }

  private static func tmux(_ arguments: [String], in folder: TemporaryFolder) throws -> ProgramRun {
    try ProgramRun.run("/usr/bin/env", words(for: folder) + arguments, environment: environment)
  }
}
