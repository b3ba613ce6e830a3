import Foundation
import TestSupport
import Testing

/// Folders that stand for those on PATH, with programs that say what they were called with.
private struct Machine: ~Copyable {
  let root = FileManager.default.temporaryDirectory.appending(path: "gpsctl-\(UUID())")

  init() throws {
    for folder in ["ours", "other", "gpsd"] {
      try FileManager.default.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true)
    }
    try ProgramFile.copy(ProgramRun.path(of: "gpsctl"), to: path("ours/gpsctl"))
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  func path(_ name: String) -> String { root.appending(path: name).path }

  /// Puts a program in place that prints its name in `label` and each argument on a line.
  func addGpsd(_ name: String, label: String = "gpsd's") throws {
    let script = "#!/bin/sh\necho \"\(label)\"\nfor a; do printf '%s\\n' \"$a\"; done\nexit 7\n"
    try ProgramFile.write(script, to: path(name))
  }

  func run(_ arguments: [String], path folders: [String]) throws -> ProgramRun {
    let search = folders.map { $0.hasPrefix("/") ? $0 : path($0) }.joined(separator: ":")
    return try ProgramRun.run(
      path("ours/gpsctl"), arguments, environment: ["PATH": search])
  }
}

@Suite struct HandOverTests {
  @Test(arguments: [
    ["-n", "/dev/ttyUSB0"], ["-c", "0.2"], ["-x", "\\xb5b \"quoted\" $HOME", "-t", "U-BLOX"],
    ["-t", "U-BLOX"], ["-f", "-n"], ["-D", "4", "-s", "115200", "/dev/ttyACM0"], ["/dev/ttyS0"],
    ["-V"], ["-h"], ["-l"], ["--nmea", "/dev/ttyUSB0"], ["--speed=9600"],
    ["tcp://receiver.example:2000"], ["-e", ""],
  ])
  func `a call in gpsd's form reaches gpsd's program unchanged, and so does its status`(
    arguments: [String]
  ) throws {
    let machine = try Machine()
    try machine.addGpsd("gpsd/gpsctl")
    let run = try machine.run(arguments, path: ["ours", "gpsd", "/usr/bin", "/bin"])
    #expect(run.output == (["gpsd's"] + arguments).joined(separator: "\n") + "\n")
    #expect(run.errors == "")
    #expect(run.status == 7)
  }

  @Test func `the diverted program beside ours goes before another on PATH`() throws {
    let machine = try Machine()
    try machine.addGpsd("gpsd/gpsctl", label: "on PATH")
    try machine.addGpsd("ours/gpsctl.gpsd", label: "diverted")
    #expect(try machine.run(["-V"], path: ["ours", "gpsd", "/bin"]).lines == ["diverted", "-V"])
  }

  @Test func `two copies of ours do not hand a call to each other for ever`() throws {
    let machine = try Machine()
    // A copy with an identity of its own, as in /usr/bin beside /usr/local/bin.
    try ProgramFile.copy(machine.path("ours/gpsctl"), to: machine.path("other/gpsctl"))
    for folders in [["ours", "other"], ["other", "ours"], ["other"], ["ours"], []] {
      let run = try machine.run(["-n", "/dev/ttyUSB0"], path: folders)
      #expect(run.status == 1)
      #expect(run.output == "")
      #expect(run.errors.hasPrefix("gpsctl: \"-n /dev/ttyUSB0\" is a call for gpsd's own gpsctl"))
    }
    try machine.addGpsd("gpsd/gpsctl")
    let run = try machine.run(["-n"], path: ["ours", "other", "gpsd", "/bin"])
    #expect(run.lines == ["gpsd's", "-n"])
  }

  @Test(arguments: [
    (["--help"], 0), (["--version"], 0), (["completion", "-h"], 0), (["--json", "nothing"], 2),
    ([], 2),
  ])
  func `ours are the long options and words`(arguments: [String], status: Int) throws {
    let machine = try Machine()
    try machine.addGpsd("gpsd/gpsctl")
    let run = try machine.run(arguments, path: ["ours", "gpsd"])
    #expect(Int(run.status) == status)
    #expect(!run.output.contains("gpsd's\n"))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gpsctl")))
  func `gpsd's real program takes a call that is handed over`() throws {
    let machine = try Machine()
    let run = try machine.run(["-V"], path: ["ours", "/usr/bin"])
    #expect(run.status == 0)
    #expect((run.output + run.errors).contains("3."))
  }
}
