import CBenchmarks
import Foundation
import TestSupport

/// The least that could be done instead of the daemon: a loop that sends the same to as many clients.
final class BareServer {
  static let role = "bare-server"
  let socket: String
  private let process: ChildProcess
  private let folder: TemporaryFolder

  /// A server that waits for so many clients; then, each period, it sends them `message`, or what it
  /// reads in `files`.
  init(clients: Int, message: String = "", rate: Int, files: [String] = []) throws {
    folder = try TemporaryFolder()
    socket = folder.path + "/bare"
    process = try ChildProcess(
      "/proc/self/exe", [Self.role, socket, String(clients), message, String(rate)] + files)
    let end = bench_now() + 10_000_000_000
    while !FileManager.default.fileExists(atPath: socket) {
      guard bench_now() < end else { throw Failure("the bare server does not listen") }
      bench_wait_until(bench_now() + 1_000_000)
    }
  }

  deinit {
    process.send(SIGKILL)
    process.wait()
  }

  var pid: Int32 { process.pid }

  /// The server's own program, by its arguments.
  static func serve(_ arguments: ArraySlice<String>) throws {
    let words = Array(arguments)
    guard words.count >= 4, let clients = Int32(words[1]), let rate = Int64(words[3]) else {
      throw Failure("\(role) SOCKET CLIENTS MESSAGE RATE [FILE...]")
    }
    _ = bench_raise_descriptors()
    let files = unsafe words.dropFirst(4).map { unsafe UnsafePointer(strdup($0)) } + [nil]
    _ = unsafe bench_bare_server(words[0], clients, words[2], 1_000_000_000 / rate, files)
    throw Failure("the bare server failed")
  }
}

extension DaemonProcess {
  /// The configuration's limits, out of the way of many clients of one user.
  static let limits = """
    [Limits]
    ConnectionsPerUser=2048
    ConnectionsOfRoot=2048
    StreamsPerUser=2048
    StreamsOfRoot=2048
    QueuePerUser=256M
    QueueOfRoot=256M
    """
}

/// CPU nanoseconds of a process in so many seconds, and how many messages came to readers meanwhile.
func cpuTime(
  of process: Int32, reading readers: Readers, seconds: Double
) -> (nanoseconds: Double, messages: Int) {
  let (time, count) = (bench_cpu_time(process), readers.count)
  bench_wait_until(bench_now() + Int64(seconds * 1e9))
  return (Double(bench_cpu_time(process) - time), readers.count - count)
}
