import Foundation
import Glibc
public import Varlink

/// The real daemon on a configuration of the test's, in a temporary folder, gone with the object.
public final class DaemonProcess: Sendable {
  /// Why it does not serve.
  public struct Failure: Error, CustomStringConvertible {
    /// What it said.
    public let description: String
  }

  /// Its socket.
  public var socket: String { folder.path + "/io.bearing" }
  /// Where its configuration, socket and state are.
  public let folder: TemporaryFolder
  private let process: Process
  private let tree: SysfsTree?

  /// Starts it with that configuration text and waits until it says that it is ready, 30 s at most.
  ///
  /// - Parameters:
  ///   - configuration: its text.
  ///   - tree: kept as long as the daemon, which reads it.
  ///   - folder: that of an earlier daemon, for one that finds its state; nil is a fresh one.
  public init(
    _ configuration: String, keeping tree: SysfsTree? = nil, in folder: TemporaryFolder? = nil
  ) throws {
    self.tree = tree
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    let file = try folder.write(configuration, to: "bearingd.conf")
    unlink(folder.path + "/notify")
    let notices = try NoticeSocket(folder.path + "/notify")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ProgramRun.path(of: "bearingd"))
    process.arguments = ["--config", file]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "RUNTIME_DIRECTORY": folder.path, "STATE_DIRECTORY": folder.path,
      "NOTIFY_SOCKET": folder.path + "/notify",
    ]) { $1 }
    let log = folder.path + "/log"
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: log)
    try process.run()
    self.process = process
    guard notices.wait(for: "READY=1", seconds: 30) else {
      process.terminate()
      let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      throw Failure(description: "bearingd does not serve: \(said)")
    }
  }

  deinit { _ = stop() }

  /// The process.
  public var identifier: Int32 { process.processIdentifier }

  /// How many threads it has.
  public var threadCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task").count) ?? 0
  }

  /// How much memory it has at hand, in bytes.
  public var residentBytes: Int {
    let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
      Int($0)
    }
    return 1024 * (kibibytes ?? 0)
  }

  /// Ends it as a service manager does, waits for its end, and gives its exit status.
  public func stop() -> Int32 {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Kills it as a crash would, and waits until it is gone.
  public func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// What it has said on standard error.
  public var log: String {
    (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
  }

  /// A new connection to it.
  public func connect() throws -> Peer { try Peer(socket) }

  /// One client of it.
  public final class Peer {
    /// How long a reply may take, in milliseconds: long, for a loaded machine.
    public static let patience: Int32 = 30_000
    private var connection: BlockingConnection

    fileprivate init(_ socket: String) throws { connection = try BlockingConnection(to: socket) }

    /// Calls a method and gives the parameters of its reply; throws its error.
    public func call(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
      try connection.call(method, parameters, timeout: Self.patience).parameters
    }

    /// The name of the error that a call is answered with, and its parameters; nil when it is none.
    public func error(
      of method: String, _ parameters: JSON = [:], more: Bool = false
    ) throws -> (name: String, parameters: JSON)? {
      do {
        try connection.send(method, parameters, more: more)
        _ = try connection.receive(timeout: Self.patience)
        return nil
      } catch VarlinkError.remote(let name, let parameters) {
        return (name, parameters)
      }
    }

    /// Begins a stream.
    public func stream(_ method: String, _ parameters: JSON = [:]) throws {
      try connection.send(method, parameters, more: true)
    }

    /// The stream's next reply.
    public func next() throws -> JSON {
      try connection.receive(timeout: Self.patience).parameters
    }

    /// The stream's next reply that `accepts`, leaving out those before it, heartbeats too.
    public func next(_ accepts: (JSON) -> Bool) throws -> JSON {
      let end = Date() + Double(Self.patience) / 1000
      while Date() < end {
        let reply = try next()
        if accepts(reply) { return reply }
      }
      throw VarlinkError.timedOut
    }
  }
}

/// The socket that a service tells its state on, as systemd has one for it.
private struct NoticeSocket: ~Copyable {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw DaemonProcess.Failure(description: "no notify socket \(path)") }
  }

  deinit { close(descriptor) }

  func wait(for word: String, seconds: Double) -> Bool {
    let end = Date() + seconds
    var buffer = [UInt8](repeating: 0, count: 1024)
    while true {
      let left = end.timeIntervalSinceNow
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0, Glibc.poll(&poll, 1, Int32(left * 1000) + 1) > 0 else { return false }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0, String(decoding: buffer[..<count], as: UTF8.self).contains(word) { return true }
    }
  }
}
