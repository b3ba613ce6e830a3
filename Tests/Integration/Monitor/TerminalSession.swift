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
  private let control: Process
  private let news: FileHandle
  private let controlInput: Pipe

  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux") }

  init(columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
    folder = try TemporaryFolder()
    var variables = ["LC_ALL": "C.UTF-8", "PS1": "ready> ", "SWIFT_BACKTRACE": "enable=no"]
    variables.merge(environment) { $1 }
    let settings = variables.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
    let (input, output) = (Pipe(), Pipe())
    controlInput = input
    control = Process()
    news = output.fileHandleForReading
    let status = try Self.startServer([
      "tmux", "-u", "-S", folder.path + "/socket", "-f", "/dev/null", "new-session", "-d", "-x",
      "\(columns)", "-y", "\(rows)", "env -u NO_COLOR -u TMUX \(settings) sh",
    ])
    guard status == 0 else { throw Failure(description: "tmux new-session: status \(status)") }
    _ = try tmux("set", "-g", "status", "off")
    _ = try tmux("set", "-g", "window-size", "manual")
    resize(columns: columns, rows: rows)
    control.executableURL = URL(fileURLWithPath: "/usr/bin/tmux")
    control.arguments = ["-S", folder.path + "/socket", "-C", "attach"]
    control.environment = Self.environment
    control.standardInput = input
    control.standardOutput = output
    control.standardError = FileHandle.nullDevice
    try control.run()
    try wait { $0.contains("ready>") }
  }

  deinit {
    _ = try? tmux("kill-server")
    try? controlInput.fileHandleForWriting.close()
    control.waitUntilExit()
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
    var entry = pollfd(fd: news.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(time / .milliseconds(1))) > 0 else { return false }
    return !news.availableData.isEmpty
  }

  // MARK: tmux

  /// Runs the call that leaves a server behind. Foundation's would hand on its descriptors, on which
  /// it waits for the call's end, and its threads' blocked signals, and the server could not end.
  private static func startServer(_ arguments: [String]) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 as ClosedRange<Int32> {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    for descriptor in 3..<1024 as Range<Int32> {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
      texts.map { strdup($0) } + [nil]
    }
    let words = strings(arguments)
    let variables = strings(environment.map { "\($0.key)=\($0.value)" })
    defer { for text in words + variables { free(text) } }
    var pid: pid_t = 0
    let error = posix_spawnp(&pid, arguments[0], &actions, &attributes, words, variables)
    guard error == 0 else { throw Failure(description: "\(arguments[0]): error \(error)") }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return status
  }

  private static var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables["TMUX"] = nil
    variables["LC_ALL"] = "C.UTF-8"
    return variables
  }

  private func tmux(_ arguments: String...) throws -> ProgramRun {
    try Self.tmux(arguments, in: folder)
  }

  private static func tmux(_ arguments: [String], in folder: TemporaryFolder) throws -> ProgramRun {
    try ProgramRun.run(
      "/usr/bin/env",
      ["-u", "TMUX", "tmux", "-u", "-S", folder.path + "/socket", "-f", "/dev/null"] + arguments,
      environment: ["LC_ALL": "C.UTF-8"])
  }
}
