import Foundation
import Glibc
import TestSupport
import Testing

/// `gpsctl monitor` in a real terminal, on the real daemon with simulated devices.
@Suite(.enabled(if: TerminalSession.isThere)) struct MonitorTests {
  private static let program = ProgramRun.path(of: "gpsctl")
  private let demo: DemoDaemon

  init() throws { demo = try DemoDaemon() }

  private func session(
    columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]
  ) throws -> TerminalSession {
    try TerminalSession(
      columns: columns, rows: rows,
      environment: environment.merging(["BEARING_SOCKET": demo.socket]) { $1 })
  }

  // MARK: What it shows

  @Test func `it shows all that the daemon has, and follows the terminal's size`() throws {
    let terminal = try session()
    try terminal.run("\(Self.program) monitor")
    try terminal.wait { $0.contains("● live") && $0.contains("12 used") && $0.contains("vertical") }
    let full = try terminal.wait { $0.contains("Acceleration x ") && $0.contains("km/h") }
    let lines = full.split(separator: "\n")
    #expect(lines.count == 24)
    #expect(lines[0].hasPrefix(" gpsctl monitor  simulated"))
    #expect(lines[0].count == 79 && lines[0].hasSuffix("● connected"))
    #expect(lines[2].contains(#/46\.9\d{5,}, 7\.4\d{5,}/#))
    #expect(lines[23].hasPrefix(" q quit   ? help"))
    #expect(full.contains(#/●G12  █+. 48/#))

    terminal.resize(columns: 120, rows: 45)
    try terminal.wait { screen in
      let lines = screen.split(separator: "\n")
      return lines.count == 45 && lines[0].count == 119 && lines[44].hasPrefix(" q quit")
        && lines[43].contains("last 1") && screen.contains("Signals")
    }
    terminal.resize(columns: 40, rows: 12)
    try terminal.wait { screen in
      let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
      return lines[0].count == 39 && lines[2].hasPrefix(" ● live") && lines[2].hasSuffix(" s old")
        && lines[5].hasPrefix(" satellites 11 of 12 used") && lines[11].hasPrefix(" q quit")
    }
    terminal.resize(columns: 30, rows: 10)
    try terminal.wait { $0.contains("30x10, needs 40x12") && !$0.contains("live") }
    terminal.resize(columns: 80, rows: 24)
    try terminal.wait { $0.contains("● live") && $0.contains("Signals") }
  }

  @Test func `keys change units, format and scale, hold the picture and show help`() throws {
    let terminal = try session()
    try terminal.run("\(Self.program) monitor --units imperial --coordinates dms")
    try terminal.wait { $0.contains("mph") && $0.contains("″N 7°2") }
    try terminal.type("u")
    try terminal.wait { $0.contains(" kn ") && $0.contains("u nautical") }
    try terminal.type("f")
    try terminal.wait { $0.contains("32T 3") && $0.contains("f utm") }
    try terminal.type("++")
    try terminal.wait { $0.contains("│  +5 ") && $0.contains("│  -5 ") }
    try terminal.type(" ")
    try terminal.wait { $0.contains("PAUSED for 1.") && $0.contains("○ paused") }
    try terminal.type(" ")
    try terminal.wait { $0.contains("● live") }
    try terminal.type("?")
    try terminal.wait { $0.contains("hold the picture, or go on ") }
  }

  @Test func `colours are used unless they are not wanted, and ASCII where it is all there is`()
    throws
  {
    let colour = #/\e\[(?:\d+;)*3[1-7]m/#
    let coloured = try session()
    try coloured.run("\(Self.program) monitor")
    try coloured.wait { $0.contains("● live") }
    #expect(try coloured.screenWithLooks.contains(colour))

    let plain = try session(environment: ["NO_COLOR": "1", "LC_ALL": "C"])
    try plain.run("\(Self.program) monitor")
    let screen = try plain.wait { $0.contains("* live") && $0.contains("Acceleration x ") }
    #expect(screen.allSatisfy { $0.isASCII })
    #expect(try !plain.screenWithLooks.contains(colour))
  }

  // MARK: How it ends

  @Test(
    arguments: [
      ("q", 0), ("C-c", 130), ("C-\\", 131), ("TERM", 143), ("HUP", 129), ("SEGV", nil),
      ("ABRT", nil),
    ] as [(String, Int?)])
  func `the terminal is as before, whatever ends it`(end: String, status: Int?) throws {
    let terminal = try session()
    let folder = try TemporaryFolder()
    let pipe = folder.path + "/ended"
    #expect(mkfifo(pipe, 0o600) == 0)
    // Open for both, so that neither side waits for the other.
    var ended = pollfd(fd: open(pipe, O_RDWR | O_CLOEXEC), events: Int16(POLLIN), revents: 0)
    defer { close(ended.fd) }
    try terminal.run("cd \(folder.path)")
    try terminal.run(
      "sh -c 'echo $$ >pid; exec \(Self.program) monitor'; echo $? >ended; echo look''ed")
    try terminal.wait { $0.contains("● live") }
    try terminal.press("C-s")
    kill(try #require(Int32(try folder.text("pid"))), SIGTERM)
    #expect(poll(&ended, 1, 60_000) == 1, "it does not end")
    var status = [UInt8](repeating: 0, count: 16)
    #expect(read(ended.fd, &status, status.count) == 4 && status.starts(with: Array("143\n".utf8)))
    // Where the signal overtook the key, it is the shell that the key has stopped.
    try terminal.press("C-q")
    try terminal.wait { $0.contains("looked") }
    let after = try terminal.modes
    #expect(!after.isTaken && after.hasCursor)
  }

  @Test func `it stops with the terminal as it was, and comes back`() throws {
    let terminal = try session(environment: ["ENV": ""])
    try terminal.run("set -m")
    try terminal.run("\(Self.program) monitor")
    try terminal.wait { $0.contains("● live") }
    try terminal.press("C-z")
    try terminal.wait { $0.contains("Stopped") && !$0.contains("● live") }
    let stopped = try terminal.modes
    #expect(!stopped.isTaken && stopped.hasCursor)
    try terminal.run("fg")
    try terminal.wait { $0.contains("● live") && $0.contains("q quit") }
    #expect(try terminal.modes.isTaken)
    try terminal.type("q")
    try terminal.wait { $0.contains("Stopped") }
  }

  // MARK: The daemon

  @Test func `a daemon that goes is missed at once, and followed again when it is back`() throws {
    let configuration = "[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n"
    let first = try DaemonProcess(configuration)
    let terminal = try TerminalSession(environment: ["BEARING_SOCKET": first.socket])
    try terminal.run("\(Self.program) monitor")
    try terminal.wait { $0.contains("● live") && $0.contains("● connected") }
    first.kill()
    let lost = try terminal.wait {
      $0.contains("connection lost, trying again") && $0.contains("Last position")
    }
    #expect(!lost.contains("live"))
    #expect(lost.contains("○ connection lost"))
    let second = try DaemonProcess(configuration, in: first.folder)
    try terminal.wait { $0.contains("● connected") && $0.contains("● live") }
    withExtendedLifetime(second) {}
  }

  @Test func `without a daemon it says so and leaves the screen alone`() throws {
    let terminal = try TerminalSession(environment: ["BEARING_SOCKET": "/nonexistent/io.bearing"])
    try terminal.run("\(Self.program) monitor; echo ended with $?")
    let screen = try terminal.wait { $0.contains("ended with 4") }
    #expect(screen.contains("ready> \(Self.program) monitor".prefix(60)))
    #expect(screen.contains("gpsctl: the daemon cannot be reached"))
  }

  // MARK: Terminals that will not do

  @Test func `what is no terminal is refused`() throws {
    let run = try ProgramRun.run(Self.program, ["monitor"])
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(
      run.errors
        == "gpsctl: monitor needs a terminal, and standard input is none; for files and pipes there "
        + "is gpsctl watch\n")
    #expect(try ProgramRun.run(Self.program, ["monitor", "--json"]).status == 2)
  }

  @Test(arguments: [
    ("dumb", "the terminal (TERM=dumb) cannot move its cursor"),
    ("no-such-terminal", "terminfo does not know the terminal's type (TERM=no-such-terminal)"),
  ])
  func `a terminal that cannot be drawn on is told by its type`(type: String, text: String) throws {
    let terminal = try session(columns: 200, environment: ["TERM": type])
    try terminal.run("\(Self.program) monitor; echo ended with $?")
    #expect(try terminal.wait { $0.contains("ended with 1") }.contains("gpsctl: " + text))
  }
}

extension TemporaryFolder {
  /// A file's text without its last line end.
  fileprivate func text(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
