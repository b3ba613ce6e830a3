import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import BearingCore

/// What needs a process of its own: this test program runs itself again, for one test of
/// `IIOInsideTests`.
@Suite struct IIOEnvironmentTests {
  static let umockdev = "/usr/bin/umockdev-run"
  static let localedef = "/usr/bin/localedef"

  static func has(_ program: String) -> Bool {
    if FileManager.default.isExecutableFile(atPath: program) { return true }
    print("\(program) is not here: a test is skipped")
    return false
  }

  /// Runs one inner test; what it printed when it did not pass.
  static func failure(
    of test: String, through wrapper: [String] = [], _ environment: [String: String]
  ) throws -> String? {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    let command =
      wrapper + [
        program, "--testing-library", "swift-testing", "--filter", "IIOInsideTests/\(test)",
      ]
    var environment = environment
    environment[IIOInsideTests.gate] = test
    let run = try ProgramRun.run(
      command[0], Array(command.dropFirst()), environment: environment, within: 120)
    let passed = run.status == 0 && (run.output + run.errors).contains("1 test in 1 suite passed")
    return passed ? nil : "status \(run.status)\n\(run.output)\n\(run.errors)"
  }

  @Test(
    "Sensors of the machine's own sysfs have the properties of its device database",
    .enabled(if: has(umockdev)), arguments: IIOFixtures.machines)
  func deviceDatabase(machine: IIOFixtures.Machine) throws {
    let failure = try Self.failure(
      of: "mockedMachine", through: [Self.umockdev, "-d", machine.description, "--"],
      [IIOInsideTests.machine: machine.name])
    #expect(failure == nil)
  }

  /// Whether programs may be traced here, which a container can forbid.
  static let canTrace: Bool = {
    let run = try? ProgramRun.run("/usr/bin/env", ["strace", "-o", "/dev/null", "true"])
    if run?.status != 0 { print("strace cannot trace here: tests are skipped") }
    return run?.status == 0
  }()

  @Test(
    "A device node that is read by others, unplugged, or for ever readable without giving anything",
    .enabled(if: canTrace),
    arguments: [
      ("busyNode", "openat", "EBUSY"), ("unpluggedNode", "read", "ENODEV"),
      ("deafNode", "read", "EAGAIN"),
    ])
  func brokenNode(test: String, call: String, error: String) throws {
    let folder = try TemporaryFolder()
    let trace = [
      "/usr/bin/env", "strace", "-f", "--seccomp-bpf", "-o", "/dev/null",
      "-P", "\(folder.path)/\(IIOBufferMachine.device)", "-e", "trace=\(call)",
      "-e", "inject=\(call):error=\(error)",
    ]
    let failure = try Self.failure(
      of: test, through: trace, [IIOInsideTests.machine: folder.path])
    #expect(failure == nil)
  }

  @Test("A locale with a decimal comma changes no number", .enabled(if: has(localedef)))
  func locale() throws {
    let folder = try TemporaryFolder()
    let made = try ProgramRun.run(
      Self.localedef, ["-i", "de_DE", "-f", "UTF-8", "\(folder.path)/comma"])
    #expect(made.status == 0, "localedef: \(made.errors)")
    let failure = try Self.failure(
      of: "commaLocale", ["LOCPATH": folder.path, "LC_ALL": "comma"])
    #expect(failure == nil)
  }
}

/// The tests that `IIOEnvironmentTests` runs in a process made for them.
@Suite struct IIOInsideTests {
  static let gate = "BEARING_INSIDE_TEST"
  static let machine = "BEARING_INSIDE_MACHINE"

  static func runs(_ test: String) -> Bool {
    ProcessInfo.processInfo.environment[gate] == test
  }

  @Test(.enabled(if: runs("mockedMachine")))
  func mockedMachine() throws {
    let name = try #require(ProcessInfo.processInfo.environment[Self.machine])
    let machine = try #require(IIOFixtures.machines.first { $0.name == name })
    let sources = IIOSources(AccelerometerSettings())
    let list = try sources.sensors()
    #expect(list.map(\.sensor.identifier) == machine.sensors.map(\.device))
    for (found, expected) in zip(list, machine.sensors) {
      #expect(!found.sensor.simulated)
      #expect(found.sensor.warnings == [])
      #expect(found.sensor.location == expected.location)
      #expect(found.sensor.mountMatrix == expected.matrixNumbers)
      #expect(found.sensor.signNegated == (expected.sign == "negated"))
      #expect(try IIOVectors.first(of: found, from: sources).differs(from: expected.vector) < 1e-6)
    }
  }

  /// A sensor whose device node fails, as the folder's name has it.
  static func brokenMachine() throws -> IIOBufferMachine {
    let folder = try #require(ProcessInfo.processInfo.environment[machine])
    return try IIOBufferMachine(IIOScanElement.axes("le:s16/16>>0"), nodes: folder)
  }

  @Test(.enabled(if: runs("busyNode")))
  func busyNode() throws {
    let machine = try Self.brokenMachine()
    let before = try machine.settings()
    let rig = try machine.rig(rate: 50)
    let running = try #require(rig.first(IIOBufferCaptureTests.running))
    let reason =
      "buffer: cannot open \(machine.node): Device or resource busy; another program reads it"
    #expect(running.mode == "polling" && running.reason == reason)
    #expect(try machine.settings() == before)
    #expect(rig.stop())
  }

  @Test(.enabled(if: runs("unpluggedNode")))
  func unpluggedNode() throws {
    let machine = try Self.brokenMachine()
    let before = try machine.settings()
    let rig = try machine.rig(rate: 50)
    #expect(rig.first(IIOBufferCaptureTests.running)?.mode == "buffer")
    machine.give([1])
    #expect(rig.next() == .gone)
    #expect(rig.ends())
    #expect(try machine.settings() == before)
  }

  @Test(.enabled(if: runs("deafNode")))
  func deafNode() throws {
    let machine = try Self.brokenMachine()
    let rig = try machine.rig(rate: 50)
    #expect(rig.first(IIOBufferCaptureTests.running)?.mode == "buffer")
    machine.give([1])
    let running = try #require(rig.first(IIOBufferCaptureTests.running))
    let reason = "buffer: \(machine.node) gave nothing for 2 s"
    #expect(running.mode == "polling" && running.reason == reason)
    #expect(rig.stop())
  }

  @Test(.enabled(if: runs("commaLocale")))
  func commaLocale() throws {
    #expect(setlocale(LC_ALL, "") != nil)
    #expect(strtod("0,5", nil) == 0.5, "the locale is not in force")
    #expect(try NumberText.decimal("0.009806".utf8) == 0.009806)
    #expect(throws: TextProblem.self) { try NumberText.decimal("0,009806".utf8) }
    #expect(IIORate(62.5).text == "62.500000")
    let machine = try IIOFixtures.machine("01-")
    let tree = try machine.tree()
    let sources = IIOSources(tree)
    let found = try #require(try sources.sensors().first)
    #expect(
      try IIOVectors.first(of: found, from: sources).differs(from: machine.sensors[0].vector)
        < 1e-6)
  }
}
