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
  ///   - environment: put over this process' own.
  public init(
    _ configuration: String = simulation, keeping tree: SysfsTree? = nil, wrapper: [String] = [],
    in folder: TemporaryFolder? = nil, environment: [String: String] = [:]
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    self.tree = tree
    try folder.write(configuration, to: "bearingd.conf")
    try folder.write("", to: "log")
    chmod(folder.path, 0o777)  // The daemon may be another user's.
    notices = try NoticeSocket(path: "\(folder.path)/notify-\(UUID().uuidString.prefix(8))")
    let surroundings = [
      "RUNTIME_DIRECTORY": folder.path, "STATE_DIRECTORY": folder.path,
      "CONFIGURATION_DIRECTORY": folder.path, "NOTIFY_SOCKET": notices.path,
      "DAEMON_LOG": folder.path + "/log",
    ].merging(environment) { $1 }
    process = try ChildProcess(
      "/bin/sh",
      ["-c", #"exec "$@" >/dev/null 2>"$DAEMON_LOG""#, "sh"] + wrapper
        + [ProgramRun.path(of: "bearingd")], environment: surroundings)
    Thread.detachNewThread { [process, ended, notices] in
      process.wait()
      ended.signal()
      notices.post(Self.endNotice)
    }
    guard waitFor(notice: "READY=1") else { throw DidNotStart(ending: end(with: SIGKILL)) }
  }

  deinit { end(with: SIGKILL) }

  /// A configuration with a simulated receiver alone.
  public static let simulation = "[Location]\nSource=simulation\n[Accelerometer]\nSource=none\n"
  private static let endNotice = "ENDED=1"

  /// Where it listens.
  public var socket: String { folder.path + "/io.bearing" }
  /// Its process number.
  public var pid: Int32 { process.pid }
  /// All that it wrote to standard error so far.
  public var log: String {
    (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
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
    if ended.wait(timeout: .now() + Self.patience) == .timedOut {
      process.send(SIGKILL)
      ended.wait()
    }
    ended.signal()  // so that it may be asked again
    return Ending(end: process.wait(), seconds: Date().timeIntervalSince(start), log: log)
  }

  /// Kills it as a crash would, and waits until it is gone.
  public func kill() { end(with: SIGKILL) }

  /// Waits until it says a line to the service manager; false when it does not in time.
  public func waitFor(notice: String) -> Bool {
    notices.wait(for: notice, orUntil: Self.endNotice, seconds: Self.patience)
  }
}

/// The service manager's end of sd_notify.
private final class NoticeSocket: Sendable {
  let path: String
  private let descriptor: Int32

  init(path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let result = withUnixAddress(path) { bind(descriptor, $0, $1) }
    guard descriptor >= 0, result == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    chmod(path, 0o777)
  }

  deinit { close(descriptor) }

  /// Sends a word to itself.
  func post(_ text: String) {
    let bytes = Array(text.utf8)
    withUnixAddress(path) { _ = sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
  }

  func wait(for wanted: String, orUntil end: String, seconds: Double) -> Bool {
    let deadline = Date() + seconds
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = deadline.timeIntervalSinceNow
      guard left > 0, poll(&entry, 1, Int32(left * 1000) + 1) > 0 else { return false }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      let lines = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(
        separator: "\n")
      if lines.contains(wanted[...]) { return true }
      if lines.contains(end[...]) { return false }
    }
  }
}

/// Calls `body` with the address of a Unix socket.
@discardableResult
func withUnixAddress<Result>(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) {
    $0.copyBytes(from: path.utf8.prefix($0.count - 1))
  }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
