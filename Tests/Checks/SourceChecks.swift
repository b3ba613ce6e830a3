import Foundation
import Testing

@Suite struct SourceChecks {
  // MARK: Unsafe code

  /// Where unsafe code may stand, and why it must: a target's folder `System`, and these.
  private static let mayBeUnsafe: [(place: String, why: String)] = [
    ("Sources/Varlink/Socket/", "socket calls"),
    ("Sources/BearingCore/Sources/Gpsd", "libgps and its socket"),
    ("Sources/BearingCore/Sources/IIO", "device files"),
    ("Sources/Locking/", "names the lock to ThreadSanitizer"),
    ("Sources/SQLiteStore/", "libsqlite3"),
    ("Sources/BearingClient/SampleRingMapping.swift", "shared memory"),
    ("Sources/BearingModel/JSONWriter.swift", "copies literals in half the time"),
  ]

  /// Where the compiler may be told that something is safe that it cannot see.
  private static let mayEscapeConcurrency = [
    "Sources/BearingCore/System/", "Sources/Varlink/Socket/",
  ]

  private static func unsafeCode(in files: [SourceFile]) -> [String] {
    files.filter { file in
      !file.path.contains(#/^Sources\/\w+\/System\//#)
        && !mayBeUnsafe.contains { file.path.hasPrefix($0.place) }
    }
    .flatMap { $0.lines(with: #/\bunsafe\b|\bUnsafe|\bwithUnsafe|\bUnmanaged\b/#) }
  }

  private static func concurrencyEscapes(in files: [SourceFile]) -> [String] {
    files.filter { file in !mayEscapeConcurrency.contains { file.path.hasPrefix($0) } }
      .flatMap { $0.lines(with: #/@unchecked\s+Sendable|nonisolated\(unsafe\)/#) }
  }

  @Test func unsafeCodeStandsOnlyWhereItMust() {
    #expect(Self.unsafeCode(in: SourceFile.swift(in: "Sources/")) == [])
  }

  @Test func nothingEscapesTheConcurrencyChecksOutsideOfSystem() {
    #expect(Self.concurrencyEscapes(in: SourceFile.swift(in: "Sources/")) == [])
  }

  @Test func unsafeCodeElsewhereIsFound() {
    let files = [
      SourceFile(
        path: "Sources/A/a.swift", text: "// unsafe\nlet a = \"unsafe\"\nlet b = unsafe c"),
      SourceFile(path: "Sources/A/b.swift", text: "/* unsafe\n */ let p: UnsafePointer<Int>"),
      SourceFile(path: "Sources/BearingCore/System/c.swift", text: "let b = unsafe c"),
      SourceFile(path: "Sources/A/d.swift", text: "final class D: @unchecked Sendable {}"),
    ]
    #expect(
      Self.unsafeCode(in: files) == [
        "Sources/A/a.swift:3: let b = unsafe c",
        "Sources/A/b.swift:2: let p: UnsafePointer<Int>",
      ])
    #expect(
      Self.concurrencyEscapes(in: files)
        == ["Sources/A/d.swift:1: final class D: @unchecked Sendable {}"])
  }

  // MARK: What stops a program

  @Test func noProgramStopsOnPurposeOrForALackOfCare() {
    let stops = #/\bfatalError\(|\bpreconditionFailure\(|\btry!|\bas!/#
    #expect(SourceFile.swift(in: "Sources/").flatMap { $0.lines(with: stops) } == [])
  }

  // MARK: Length

  /// Lines of a file that reads in one sitting.
  private static let longestFile = 400

  @Test func everyFileReadsInOneSitting() {
    let code = [".swift", ".c", ".cpp", ".h", ".py", ".sh", ".varlink"]
    let long = SourceFile.all
      .filter { file in code.contains { file.path.hasSuffix($0) } }
      .map { (path: $0.path, lines: $0.text.count { $0 == "\n" }) }
      .filter { $0.lines > Self.longestFile }
    #expect(long.map(\.path) == [])
    #expect(SourceFile.all.count > 50, "the files are found")
  }

  // MARK: Sleeps

  /// Scripts that must wait for what tells nobody when it is there.
  private static let maySleep: [(path: String, why: String)] = [
    ("Tests/System/box", "a container says nothing when it has booted or ended"),
    ("Tests/System/units.py", "systemd, sysfs and /proc say nothing when they change"),
  ]

  private static func sleeps(in files: [SourceFile]) -> [String] {
    files.filter { file in !maySleep.contains { $0.path == file.path } }
      .flatMap { $0.lines(with: #/\b(?:u|nano)?sleep\s*\(|\bsleep\s+\$?[0-9.]+|Thread\.sleep/#) }
  }

  @Test func noTestSleeps() {
    let tests = SourceFile.all.filter {
      $0.path.hasPrefix("Tests/") && !$0.path.contains("Fixtures")
    }
    #expect(Self.sleeps(in: tests.filter { $0.path != "Tests/Checks/SourceChecks.swift" }) == [])
  }

  @Test(arguments: [
    "try await Task.sleep(for: .seconds(1))", "usleep(10)", "  sleep 0.1",
    "Thread.sleep(forTimeInterval: 1)",
    "time.sleep(1)",
  ]) func aSleepIsFound(line: String) {
    #expect(Self.sleeps(in: [SourceFile(path: "Tests/a", text: line)]).count == 1)
  }

  // MARK: Programs

  /// Foundation's children inherit from each other what is open while they are started at the same
  /// time, and the signals that their thread blocks. This program starts one after the other.
  private static let mayUseFoundation = "Tests/preferences-tool/"

  private static func starts(in files: [SourceFile]) -> [String] {
    files.filter { !$0.path.hasPrefix(mayUseFoundation) }
      .flatMap { $0.lines(with: #/\bProcess\(\)|\bProcess\.run\(|\bPipe\(\)/#) }
  }

  @Test func testsStartProgramsByChildProcessAlone() {
    #expect(Self.starts(in: SourceFile.swift(in: "Tests/")) == [])
  }

  @Test(arguments: ["let holder = Process()", "try Process.run(url)", "x.standardInput = Pipe()"])
  func anotherStartIsFound(line: String) {
    #expect(Self.starts(in: [SourceFile(path: "Tests/A/a.swift", text: line)]).count == 1)
  }
}
