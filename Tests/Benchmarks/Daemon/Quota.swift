import CBenchmarks
import Glibc
import TestSupport
import Varlink

/// From gpsd's write to the read of one user's clients, while another user has all that it may have,
/// reads none of it, and asks for more without a pause: beside the same while it does not ask for
/// more, and without that user.
func measureQuota(_ report: inout Report) throws {
  let (rate, turns, seconds, count) = (20, 2, 6, 20)
  let gpsd = try RealGpsd(rate: rate)
  defer { withExtendedLifetime(gpsd) {} }
  try gpsd.play(seconds: 200)
  let daemon = try DaemonProcess(
    "[Location]\nGpsdPort=\(gpsd.port)\n[Accelerometer]\nSource=none\n[Access]\nDefault=precise\n")
  defer { withExtendedLifetime(daemon) {} }
  let measure = {
    try latencies(gpsd, count, seconds) {
      try Readers.varlink(
        daemon.socket, $0, "io.bearing.location.Subscribe",
        #"{"minInterval":0,"distanceFilter":0}"#, noting: BENCH_FIX)
    }
  }
  var (alone, full, over): ([Double], [Double], [Double]) = ([], [], [])
  for _ in 0..<turns {
    alone += try measure()
    let greedy = try GreedyUser(of: daemon)
    full += try measure()
    try greedy.askForMore(of: daemon)
    over += try measure()
    withExtendedLifetime(greedy) {}
  }
  for (name, share) in [("median", 0.5), ("99 %", 0.99)] {
    let what = "fix to \(count) clients, another user being over its quota, \(name)"
    let ours = over.quantile(share) / 1000
    report.row(what, ours, "µs", beside: "it has its quota", full.quantile(share) / 1000)
    report.row(what, ours, "µs", beside: "no other user", alone.quantile(share) / 1000)
  }
}

/// A user with as many connections as it may have, each with a stream that it does not read.
private final class GreedyUser {
  private static let uid: UInt32 = 54_341
  private static let connections = 128
  private static let program = """
    import socket, sys
    while True:
        client = socket.socket(socket.AF_UNIX)
        client.connect(sys.argv[1])
        client.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
        if b"QuotaExceeded" not in client.recv(4096):
            sys.exit("there was room")
        client.close()
    """

  private let streams: [DaemonClient]
  private var process: ChildProcess?

  init(of daemon: DaemonProcess) throws {
    streams = try OtherUser.connect(to: daemon.socket, uid: Self.uid, count: Self.connections)
    for stream in streams {
      try stream.send(
        "io.bearing.location.Subscribe", ["minInterval": 0, "distanceFilter": 0], more: true)
    }
  }

  /// Starts a program of the user's that tries to have one more, again and again.
  func askForMore(of daemon: DaemonProcess) throws {
    process = try ChildProcess(
      "/usr/bin/setpriv",
      [
        "--reuid=\(Self.uid)", "--regid=\(Self.uid)", "--clear-groups", "/usr/bin/python3", "-c",
        Self.program, daemon.socket,
      ])
  }

  deinit {
    process?.send(SIGKILL)
    process?.wait()
    for stream in streams { stream.close() }
  }
}
