import CBenchmarks
import TestSupport

/// From gpsd's write to the client's read: clients of the daemon beside clients of gpsd.
///
/// One gpsd, one receiver at 20 Hz, in turns: gpsd with 60 clients, then with the daemon, which has 60
/// and then 200 of its own. One more client of gpsd, the first that it writes to, tells when it wrote.
func measureLatency(_ report: inout Report) throws {
  let (rate, turns, seconds) = (20, 2, 6)
  let gpsd = try RealGpsd(rate: rate)
  defer { withExtendedLifetime(gpsd) {} }
  try gpsd.play(seconds: 200)
  let daemon = try DaemonProcess(
    "[Location]\nGpsdPort=\(gpsd.port)\n[Accelerometer]\nSource=none\n" + DaemonProcess.limits)
  defer { withExtendedLifetime(daemon) {} }
  var direct: [Double] = []
  var ours: [Int: [Double]] = [60: [], 200: []]
  for _ in 0..<turns {
    direct += try latencies(gpsd, 60, seconds) { try Readers.gpsd(gpsd.port, $0) }
    for count in [60, 200] {
      ours[count]? += try latencies(gpsd, count, seconds) {
        try Readers.varlink(
          daemon.socket, $0, "io.bearing.location.Subscribe",
          #"{"minInterval":0,"distanceFilter":0}"#, noting: BENCH_FIX)
      }
    }
  }
  for (name, share) in [("median", 0.5), ("99 %", 0.99)] {
    for count in [60, 200] {
      report.row(
        "fix to \(count) clients, \(name)", ours[count, default: []].quantile(share) / 1000, "µs",
        beside: "60 clients of gpsd", direct.quantile(share) / 1000)
    }
  }
}

/// Nanoseconds from each of gpsd's writes after the first second to each client's read of it.
func latencies(
  _ gpsd: RealGpsd, _ count: Int, _ seconds: Int, _ connect: (Int) throws -> Readers
) throws -> [Double] {
  let first = try Readers.gpsd(gpsd.port, 1)
  try first.wait(for: 1)
  let readers = try connect(count)
  try readers.wait(for: count * gpsd.rate)
  let begin = bench_now()
  bench_wait_until(begin + Int64(seconds) * 1_000_000_000)
  let readings = readers.stop()
  var written: [Int64: Int64] = [:]
  for reading in first.stop() where reading.time > begin && written[reading.key] == nil {
    written[reading.key] = reading.time
  }
  var seen: [Set<Int64>] = Array(repeating: [], count: count)
  return readings.compactMap { reading in
    guard let time = written[reading.key], seen[reading.client].insert(reading.key).inserted
    else { return nil }
    return Double(reading.time - time)
  }
}
