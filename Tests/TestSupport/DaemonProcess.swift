import Foundation
public import Glibc

/// The real daemon on a configuration of the test's, in a folder of its own, gone with the object.
public final class DaemonProcess: Sendable {
  /// How a daemon ended.
  public struct Ending: Sendable {
    /// By itself with a status, or by a signal.
    public let end: ChildProcess.End
    /// Seconds from asking it to end to its end.
    public let seconds: Double
    /// All that it wrote to standard error.
    public let log: String
  }

  /// It ended before it was ready, or was not ready in time.
  public struct DidNotStart: Error, CustomStringConvertible {
    /// How it ended.
    public let ending: Ending
    /// The ending in words.
    public var description: String { "bearingd does not serve, \(ending.end): \(ending.log)" }
  }

  /// What every wait for the daemon may take, in seconds: far more than it needs.
  public static let patience: Double = 60

  /// The folder with all that is the daemon's.
  public let folder: TemporaryFolder
  private let process: ChildProcess
  private let ended = DispatchSemaphore(value: 0)
  private let notices: NoticeSocket
  private let tree: SysfsTree?

  /// A daemon that has said that it is ready.
  ///
  /// - Parameters:
  ///   - configuration: the text of its bearingd.conf.
  ///   - tree: kept as long as the daemon, which reads it.
  ///   - wrapper: a program with arguments that becomes bearingd, such as `prlimit --nofile=64`.
  ///   - folder: the folder of a daemon before it, to start on what that one left.
  ///   - arguments: after the program's name; by default it starts beside any daemon of the machine's.
  ///   - environment: put over this process' own.
  ///   - hasDeafManager: whether the service manager reads nothing once the daemon is ready.
  public init(
    _ configuration: String = simulation, keeping tree: SysfsTree? = nil, wrapper: [String] = [],
    in folder: TemporaryFolder? = nil, arguments: [String] = ["--force"],
    environment: [String: String] = [:], hasDeafManager: Bool = false
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    self.tree = tree
    // The daemon may be another user's, whatever the test's own files are made with.
    chmod(folder.path, 0o777)
    chmod(try folder.write(configuration, to: "bearingd.conf"), 0o644)
    try folder.write("", to: "log")
    notices = try NoticeSocket(
      path: "\(folder.path)/notify-\(UUID().uuidString.prefix(8))", isDeaf: hasDeafManager)
    let surroundings = [
      "RUNTIME_DIRECTORY": folder.path, "STATE_DIRECTORY": folder.path,
      "CONFIGURATION_DIRECTORY": folder.path, "NOTIFY_SOCKET": notices.path,
      "DAEMON_LOG": folder.path + "/log",
      // Under the thread sanitizer a race ends the daemon, and with it the test that needs it.
      "TSAN_OPTIONS": "halt_on_error=1",
    ].merging(environment) { $1 }
    process = try ChildProcess(
      "/bin/sh",
      ["-c", #"exec "$@" >/dev/null 2>"$DAEMON_LOG""#, "sh"] + wrapper
        + [ProgramRun.path(of: "bearingd")] + arguments, environment: surroundings)
    Thread.detachNewThread { [process, ended, notices] in
      process.wait()
      ended.signal()
      notices.end()
    }
    guard waitFor(notice: "READY=1") else { throw DidNotStart(ending: end(with: SIGKILL)) }
  }

  deinit { end(with: SIGKILL) }

  /// A configuration with a simulated receiver alone.
  public static let simulation = "[Location]\nSource=simulation\n[Accelerometer]\nSource=none\n"

  /// Where it listens.
  public var socket: String { folder.path + "/io.bearing" }
  /// Its process number.
  public var pid: Int32 { process.pid }
  /// All that it wrote to standard error so far.
  public var log: String {
    (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
  }

  /// Waits for its end, for so many seconds at most; whether it has ended.
  public func hasEnded(within seconds: Double) -> Bool {
    guard ended.wait(timeout: .now() + seconds) == .success else { return false }
    ended.signal()  // so that it may be asked again
    return true
  }

  /// Sends it a signal.
  public func send(_ signal: Int32) { process.send(signal) }

  /// Ends it as a service manager does, waits for its end, and gives its exit status, or the number
  /// of the signal that ended it.
  @discardableResult
  public func stop() -> Int32 {
    switch end().end {
    case .exit(let status): status
    case .signal(let signal): signal
    }
  }

  /// Ends it by a signal and waits for its end; one that does not end in time is killed.
  @discardableResult
  public func end(with signal: Int32 = SIGTERM) -> Ending {
    let start = Date()
    process.send(signal)
    if !hasEnded(within: Self.patience) {
      process.send(SIGKILL)
      while !hasEnded(within: Self.patience) {}
    }
    return Ending(end: process.wait(), seconds: Date().timeIntervalSince(start), log: log)
  }

  /// Kills it as a crash would, and waits until it is gone.
  public func kill() { end(with: SIGKILL) }

  /// Waits until it says a line to the service manager; false when it does not in time.
  public func waitFor(notice: String) -> Bool {
    notices.wait(for: notice, seconds: Self.patience)
  }
}
