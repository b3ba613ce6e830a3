import Foundation
import TestSupport
import Testing
import Varlink

/// The examples, each run with the real daemon as its head says.
@Suite struct ExampleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The Python that has what the Python example needs; see Tests/setup-peers.sh.
  private static let python = root.appending(path: ".build/peers/python/bin/python").path

  private let daemon: DemoDaemon
  private var environment: [String: String] { ["BEARING_SOCKET": daemon.socket] }

  /// What Python complains of, but for the machine's being busy, which it sees in this mode too.
  private static func complaints(_ errors: String) -> [Substring] {
    errors.split(separator: "\n").filter { !$0.hasPrefix("Executing <") }
  }

  init() throws {
    daemon = try DemoDaemon()
  }

  @Test func `the Swift example prints places`() throws {
    let lines = try ProgramRun.firstLines(
      1, of: ProgramRun.path(of: "example-fixes"), environment: environment)
    #expect(lines.first?.contains(/^-?\d+\.\d+, -?\d+\.\d+ ± \d+\.\d+ m$/) == true, "\(lines)")
  }

  @Test func `the Swift panel says what there is before there is a position`() throws {
    let lines = try ProgramRun.firstLines(
      6, of: ProgramRun.path(of: "example-panel"), environment: environment)
    let places = lines.filter { $0.contains(/^-?\d+\.\d+, -?\d+\.\d+$/) }
    #expect(!places.isEmpty, "\(lines)")
    let others = lines.filter { !places.contains($0) }
    #expect(
      others.allSatisfy { $0.hasPrefix("NO POSITION (") || $0.hasPrefix("LAST KNOWN ") },
      "\(lines)")
  }

  @Test func `the Swift level tells gravity`() throws {
    let run = try ProgramRun.run(
      ProgramRun.path(of: "example-level"), [], environment: environment)
    let match = try #require(
      run.output.firstMatch(of: #/^mean \(x: (\S+), y: (\S+), z: (\S+)\) m/s², \w+\n$/#), "\(run)")
    let parts = [match.output.1, match.output.2, match.output.3].compactMap { Double($0) }
    #expect(parts.count == 3)
    // The simulated device is turned by and by, so a second's mean can be a little short of 1 g.
    #expect(abs(parts.map { $0 * $0 }.reduce(0, +).squareRoot() - 9.8) < 3)
  }

  @Test func `the Swift vibration meter has every sample`() throws {
    let lines = try ProgramRun.firstLines(
      2, of: ProgramRun.path(of: "example-ring"), environment: environment)
    #expect(lines.count == 2)
    for line in lines {
      let match = try #require(
        line.firstMatch(of: #/^(\d+) samples, \d+ lost, strongest (\S+) m/s², live$/#), "\(line)")
      #expect(Int(match.output.1) ?? 0 >= 500 && (9...12).contains(Double(match.output.2) ?? 0))
    }
  }

  /// The first lines of a C example, which is short and compiles without a warning.
  private func firstLines(_ count: Int, ofC name: String) throws -> [String] {
    let source = Self.root.appending(path: "Examples/c/\(name).c").path
    let text = try String(contentsOfFile: source, encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
    let folder = try TemporaryFolder()
    let program = folder.path + "/" + name
    let compilation = try ProgramRun.run(
      "/usr/bin/cc", ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", program, source])
    #expect(compilation.errors == "")
    return try ProgramRun.firstLines(count, of: program, [daemon.socket])
  }

  @Test func `the C example of the ring has every sample`() throws {
    let lines = try firstLines(500, ofC: "ring")
    var last: (sequence: Int, lost: Int)?
    for line in lines {
      let match = try #require(
        line.firstMatch(of: #/^(\d+) (\S+) (\S+) (\S+), (\d+) lost$/#), "\(line)")
      let sequence = try #require(Int(match.output.1))
      let lost = try #require(Int(match.output.5))
      if let last { #expect(sequence - last.sequence == 1 + lost - last.lost) }
      last = (sequence, lost)
      let parts = [match.output.2, match.output.3, match.output.4].compactMap { Double($0) }
      #expect((7...13).contains(parts.map { $0 * $0 }.reduce(0, +).squareRoot()))
    }
    #expect(lines.count == 500)
  }

  @Test func `the C example prints replies`() throws {
    let lines = try firstLines(3, ofC: "watch")
    let states = try lines.map { try JSON(parsing: Array($0.utf8))["parameters"]?["state"]?.string }
    #expect(states.count == 3 && states.allSatisfy { $0 != nil }, "\(lines)")
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: python)),
    arguments: [
      (["status"], 1, "'kind': 'location'"), (["fix", "--accuracy", "100"], 1, "'latitude': "),
      (["watch", "--count", "2"], 2, "'simulated': True"),
      (["samples", "--rate", "50", "--count", "3"], 3, "'sequence': "),
      (["orientation", "--count", "1"], 1, "'orientation': "),
    ])
  func `the Python example's program shows what the daemon serves`(
    arguments: [String], lines: Int, part: String
  ) throws {
    let file = Self.root.appending(path: "Examples/python/bearing.py").path
    // -X dev shows what is not closed or not awaited.
    let run = try ProgramRun.run(
      Self.python, ["-B", "-X", "dev", file] + arguments, environment: environment)
    #expect(run.status == 0)
    #expect(Self.complaints(run.errors) == [])
    #expect(run.lines.count == lines)
    #expect(run.lines.allSatisfy { $0.contains(part) }, "\(run.output)")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
  func `the Python example tells errors apart`() throws {
    let program = """
      import asyncio
      from bearing import Bearing, BearingError, NothingInTime, Unreachable
      async def main():
          for attempt in (
              Bearing().fix(accuracy=0.001, timeout=0.2),
              Bearing("/nonexistent").status(),
              anext(Bearing("/nonexistent").locations()),
              Bearing().call("io.bearing.location.Nonsense"),
          ):
              try:
                  print(await attempt)
              except (BearingError, Unreachable) as error:
                  print(type(error).__name__)
      asyncio.run(main())
      """
    let folder = Self.root.appending(path: "Examples/python").path
    let run = try ProgramRun.run(
      Self.python, ["-B", "-X", "dev", "-c", program],
      environment: environment.merging(["PYTHONPATH": folder]) { $1 })
    #expect(Self.complaints(run.errors) == [])
    #expect(run.lines == ["NothingInTime", "Unreachable", "Unreachable", "BearingError"])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
  func `the Python example's streams say that the daemon is gone, and go on when it is back`()
    throws
  {
    let first = try DaemonProcess()
    let program = """
      import asyncio, contextlib
      from bearing import Bearing
      async def links(stream, part, back):
          told = []
          async with contextlib.aclosing(stream) as updates:
              async for update in updates:
                  if "link" in update:
                      told.append(update["link"])
                      print(told[-1])
                  elif part in update and update["state"] == "live":
                      if told: break
                      print(part)
          back.set()
          assert told == ["interrupted", "resumed"], told
      async def more(stream, back):
          async with contextlib.aclosing(stream) as fixes:
              async for fix in fixes:
                  if back.is_set(): return
      async def main():
          bearing, back = Bearing(), asyncio.Event()
          await asyncio.gather(
              links(bearing.locations(), "fix", back),
              links(bearing.skies(), "sky", asyncio.Event()),
              more(bearing.fixes(), back))
          try:
              async for _ in Bearing(reconnects=False).locations(): print("ready")
          except Exception as error:
              print(type(error).__name__)
      asyncio.run(main())
      """
    let child = try ChildProcess(
      Self.python, ["-B", "-X", "dev", "-u", "-c", program],
      environment: [
        "BEARING_SOCKET": first.socket,
        "PYTHONPATH": Self.root.appending(path: "Examples/python").path,
      ])
    let cancel = child.kill(after: DaemonProcess.patience * 2)
    defer { cancel() }
    var said = ""
    /// Reads on until it has said that often enough, or has ended.
    func wait(for word: String, times: Int) -> Bool {
      while said.components(separatedBy: word).count <= times {
        let data = child.output.availableData
        if data.isEmpty { return false }
        said += String(decoding: data, as: UTF8.self)
      }
      return true
    }
    #expect(wait(for: "fix", times: 1) && wait(for: "sky", times: 1), "\(said)")
    first.kill()
    #expect(wait(for: "interrupted", times: 2), "\(said)")
    let second = try DaemonProcess(in: first.folder)
    #expect(wait(for: "ready", times: 1), "\(said)")
    second.kill()
    #expect(wait(for: "Unreachable", times: 1), "\(said)")
    #expect(child.wait() == .exit(0))
    let errors = String(decoding: child.errors.readDataToEndOfFile(), as: UTF8.self)
    #expect(Self.complaints(errors) == [])
  }
}
