import CBenchmarks
import Foundation
import TestSupport

/// What it costs that the daemon is there and nobody asks, and how soon it is there: beside gpsd.
func measureIdle(_ report: inout Report) throws {
  let (seconds, starts) = (30, 20)
  // Pages that wait to be written to the disk would count as the program's.
  sync()
  let gpsd = try RealGpsd(rate: 1)
  defer { withExtendedLifetime(gpsd) {} }
  let daemon = try DaemonProcess("[Location]\nGpsdPort=\(gpsd.port)\n")
  defer { withExtendedLifetime(daemon) {} }
  let folder = try TemporaryFolder()
  let lonely = try ChildProcess(
    "/usr/sbin/gpsd",
    ["-N", "-S", String(try LoopbackPort.unused()), "-F", folder.path + "/control"])
  defer { withExtendedLifetime(lonely) {} }
  bench_wait_until(bench_now() + 1_000_000_000)
  let before = (contextSwitches(daemon.pid), contextSwitches(lonely.pid))
  bench_wait_until(bench_now() + Int64(seconds) * 1_000_000_000)
  let after = (contextSwitches(daemon.pid), contextSwitches(lonely.pid))
  report.row(
    "context switches in \(seconds) s, nobody listens", after.0 - before.0, "",
    beside: "gpsd, no client, no receiver", after.1 - before.1)
  report.row(
    "private dirty memory", privateDirty(daemon.pid), "KiB",
    beside: "gpsd, no client, no receiver", privateDirty(lonely.pid))
  lonely.send(SIGKILL)
  lonely.wait()

  let file = try folder.write("[Location]\nGpsdPort=\(gpsd.port)\n", to: "bearingd.conf")
  let notify = folder.path + "/notify"
  var (ours, theirs): ([Double], [Double]) = ([], [])
  for _ in 0..<starts {
    ours.append(
      try timeToReady(
        [ProgramRun.path(of: "bearingd"), "--config", file],
        [
          "RUNTIME_DIRECTORY=\(folder.path)", "STATE_DIRECTORY=\(folder.path)",
          "NOTIFY_SOCKET=\(notify)",
        ], notify: notify))
    let port = try LoopbackPort.unused()
    theirs.append(
      try timeToReady(
        ["/usr/sbin/gpsd", "-N", "-S", String(port), "-F", folder.path + "/control"], [],
        port: Int32(port)))
  }
  report.row(
    "from start to ready, median of \(starts)", ours.quantile(0.5) / 1e6, "ms",
    beside: "gpsd, to its port", theirs.quantile(0.5) / 1e6)
}

private func timeToReady(
  _ words: [String], _ environment: [String], notify: String? = nil, port: Int32 = 0
) throws -> Double {
  let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
  let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
  defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
  let time = unsafe bench_time_to_ready(words[0], arguments, variables, notify, port)
  guard time > 0 else { throw Failure("\(words[0]) does not start") }
  return Double(time)
}

/// Of all threads, wanted and unwanted ones.
private func contextSwitches(_ process: Int32) -> Double {
  let tasks = "/proc/\(process)/task"
  let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
  return threads.reduce(0) { sum, thread in
    sum + number("voluntary_ctxt_switches:", in: "\(tasks)/\(thread)/status")
      + number("nonvoluntary_ctxt_switches:", in: "\(tasks)/\(thread)/status")
  }
}

/// In KiB.
private func privateDirty(_ process: Int32) -> Double {
  number("Private_Dirty:", in: "/proc/\(process)/smaps_rollup")
}

private func number(_ name: String, in file: String) -> Double {
  let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
  let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
  return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0
}
