internal import Foundation
internal import Glibc

/// A private real gpsd without receivers.
public final class GpsdProcess {
  private let folder: TemporaryFolder
  private let port: Int
  private var process: ChildProcess?

  /// One that is not started yet.
  public init(port: Int) throws {
    folder = try TemporaryFolder()
    self.port = port
  }

  /// Starts it; it listens a moment later.
  public func start() throws {
    process = try ChildProcess(
      "/bin/sh",
      [
        "-c", #"exec "$@" >/dev/null 2>&1"#, "sh", "/usr/sbin/gpsd", "-N", "-F",
        folder.path + "/control", "-S", String(port),
      ])
  }

  /// Ends it as a crash would, and waits until it is gone.
  public func kill() { process = nil }

  /// Stops it in its tracks.
  public func freeze() { process?.send(SIGSTOP) }

  /// Lets it go on.
  public func thaw() { process?.send(SIGCONT) }
}

/// A recording that is played into a private real gpsd.
public final class GpsdReplay {
  /// Where that gpsd listens.
  public let port: Int
  private let folder: TemporaryFolder
  private let process: ChildProcess

  /// Starts gpsd and gets ready to play; `cycle` is in seconds between packets.
  public init(recording: String, cycle: Double = 0) throws {
    folder = try TemporaryFolder()
    port = try LoopbackPort.unused()
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("gpsd-replay").path
    let log = try folder.write("", to: "errors")
    process = try ChildProcess(
      "/bin/sh",
      [
        "-c", #"exec "$@" 2>"$REPLAY_LOG""#, "sh", "/usr/bin/python3", tool, recording,
        "--port", String(port), "--cycle", String(cycle), "--out", folder.path + "/out",
      ], environment: ["REPLAY_LOG": log], hasInput: true)
    guard process.output.availableData == Data("ready\n".utf8) else {
      throw LoopbackError.notReady(try String(contentsOfFile: log, encoding: .utf8))
    }
  }

  deinit {
    process.send(SIGTERM)
    let cancel = process.kill(after: 10)
    process.wait()
    cancel()
  }

  /// Plays; to be called when all who listen are connected.
  public func go() {
    process.input?.write(Data("go\n".utf8))
  }

  /// What gpsd sent to a client of its own, once all was played.
  public func output(within seconds: Double = 120) throws -> [String] {
    let cancel = process.kill(after: seconds, with: SIGTERM)
    process.wait()
    cancel()
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
