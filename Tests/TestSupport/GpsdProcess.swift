internal import Foundation
internal import Glibc

/// A private real gpsd without receivers.
public final class GpsdProcess {
  private let folder: TemporaryFolder
  private let port: Int
  private var process: Process?

  /// One that is not started yet.
  public init(port: Int) throws {
    folder = try TemporaryFolder()
    self.port = port
  }

  deinit {
    kill()
  }

  /// Starts it; it listens a moment later.
  public func start() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/gpsd")
    process.arguments = ["-N", "-F", folder.path + "/control", "-S", String(port)]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
  }

  /// Ends it as a crash would, and waits until it is gone.
  public func kill() {
    guard let process else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  /// Stops it in its tracks.
  public func freeze() {
    if let process { Glibc.kill(process.processIdentifier, SIGSTOP) }
  }

  /// Lets it go on.
  public func thaw() {
    if let process { Glibc.kill(process.processIdentifier, SIGCONT) }
  }
}

/// A recording that is played into a private real gpsd.
public final class GpsdReplay {
  /// Where that gpsd listens.
  public let port: Int
  private let folder: TemporaryFolder
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts gpsd and gets ready to play; `cycle` is in seconds between packets.
  public init(recording: String, cycle: Double = 0) throws {
    folder = try TemporaryFolder()
    port = try LoopbackPort.unused()
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("gpsd-replay").path
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      tool, recording, "--port", String(port), "--cycle", String(cycle),
      "--out", folder.path + "/out",
    ]
    process.standardInput = input
    process.standardOutput = output
    let log = try folder.write("", to: "errors")
    process.standardError = FileHandle(forWritingAtPath: log)
    try process.run()
    guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else {
      throw LoopbackError.notReady(try String(contentsOfFile: log, encoding: .utf8))
    }
  }

  deinit {
    try? input.fileHandleForWriting.close()
    if process.isRunning { process.terminate() }
    let killer = DispatchWorkItem { [process] in
      Glibc.kill(process.processIdentifier, SIGKILL)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: killer)
    process.waitUntilExit()
    killer.cancel()
  }

  /// Plays; to be called when all who listen are connected.
  public func go() {
    input.fileHandleForWriting.write(Data("go\n".utf8))
  }

  /// What gpsd sent to a client of its own, once all was played.
  public func output(within seconds: Double = 120) throws -> [String] {
    let killer = DispatchWorkItem { [process] in process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: killer)
    process.waitUntilExit()
    killer.cancel()
    let text = try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }
}

/// Recordings of receivers, as bytes.
public enum GpsdRecordings {
  /// How many of another project's are played without BEARING_GPSD_ALL=1.
  private static let few = 10

  private static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// The project's own.
  public static var own: [String] {
    logs(in: root.appendingPathComponent("Tests/Fixtures/recordings").path)
  }

  /// gpsd's own, which are not part of the project: the smallest ones, or all with BEARING_GPSD_ALL=1.
  ///
  /// From the folder BEARING_GPSD_CORPUS, or ../shared/gpsd; empty, and it says so, without one.
  public static let corpus: [String] = {
    let all = logs(in: corpusFolder)
    if all.isEmpty {
      print("skipped: no recordings of gpsd's in \(corpusFolder) (BEARING_GPSD_CORPUS)")
    }
    if ProcessInfo.processInfo.environment["BEARING_GPSD_ALL"] == "1" { return all }
    return Array(all.sorted { size($0) < size($1) }.prefix(few))
  }()

  /// One of gpsd's own by its file's name; nil, and it says so, where it is not there.
  public static func ofCorpus(_ name: String) -> String? {
    let file = corpusFolder + "/" + name
    if FileManager.default.fileExists(atPath: file) { return file }
    print("skipped: no recording \(name) of gpsd's in \(corpusFolder) (BEARING_GPSD_CORPUS)")
    return nil
  }

  /// One of the project's own by its file's name.
  public static func own(_ name: String) -> String {
    root.appendingPathComponent("Tests/Fixtures/recordings").path + "/" + name
  }

  private static var corpusFolder: String {
    ProcessInfo.processInfo.environment["BEARING_GPSD_CORPUS"]
      ?? root.deletingLastPathComponent().appendingPathComponent("shared/gpsd").path
  }

  private static func logs(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".log") }.sorted().map { folder + "/" + $0 }
  }

  private static func size(_ file: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    return attributes?[.size] as? Int ?? .max
  }
}
