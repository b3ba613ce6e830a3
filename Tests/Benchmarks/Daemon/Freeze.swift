import CBenchmarks
import TestSupport

/// The longest time without a fix at ten clients, while one more does not read: gpsd's and ours.
///
/// Each has a gpsd of its own, at the same rate, fast so that buffers are soon full.
func measureFreeze(_ report: inout Report) throws {
  let (rate, others, longest) = (500, 10, 100)
  let gpsd = try RealGpsd(rate: rate)
  defer { withExtendedLifetime(gpsd) {} }
  let daemonsGpsd = try RealGpsd(rate: rate)
  defer { withExtendedLifetime(daemonsGpsd) {} }
  let daemon = try DaemonProcess(
    "[Location]\nGpsdPort=\(daemonsGpsd.port)\n[Accelerometer]\nSource=none\n")
  defer { withExtendedLifetime(daemon) {} }
  let subscribe = { (count: Int) in
    try Readers.varlink(
      daemon.socket, count, "io.bearing.location.Subscribe",
      #"{"minInterval":0,"distanceFilter":0}"#, noting: BENCH_FIX)
  }
  let direct = try Readers.gpsd(gpsd.port, others)
  let ours = try subscribe(others)
  // Ours is stopped by never reading from a connection that has asked; gpsd's asks for all there is.
  let stuck = Readers.connectToGpsd(
    gpsd.port, asking: #","nmea":true,"raw":2"#, receiveBuffer: 2048)
  let ourStuck = unsafe bench_connect_unix(daemon.socket)
  let call =
    #"{"method":"io.bearing.location.Subscribe","parameters":{"minInterval":0},"more":true}"# + "\0"
  _ = unsafe bench_send(ourStuck, call, call.utf8.count)
  defer {
    bench_close(stuck)
    bench_close(ourStuck)
  }
  try gpsd.play(seconds: longest)
  try daemonsGpsd.play(seconds: longest)
  try direct.wait(for: others * rate)
  try ours.wait(for: others * rate)
  let begin = bench_now()
  waitForFreeze(of: direct, atMost: Int64(longest - 5))
  let end = bench_now()
  report.row(
    "longest time without a fix, one of 11 clients not reading", longestGap(ours, begin, end) / 1e6,
    "ms",
    beside: "gpsd, one of 11 not reading", longestGap(direct, begin, end) / 1e6)
}

/// Until the readers had nothing for 3 s and then something again, or the time is up.
private func waitForFreeze(of readers: Readers, atMost seconds: Int64) {
  let second: Int64 = 1_000_000_000
  let end = bench_now() + seconds * second
  var (count, since) = (readers.count, bench_now())
  while bench_now() < end {
    bench_wait_until(bench_now() + second / 10)
    guard readers.count != count else { continue }
    if bench_now() - since > 3 * second { return }
    (count, since) = (readers.count, bench_now())
  }
}

/// Nanoseconds between two readings of one client since `begin`, or from its last to the end.
private func longestGap(_ readers: Readers, _ begin: Int64, _ end: Int64) -> Double {
  var last: [Int: Int64] = [:]
  var longest: Int64 = 0
  for reading in readers.stop() where reading.time >= begin {
    longest = max(longest, reading.time - last[reading.client, default: reading.time])
    last[reading.client] = reading.time
  }
  return Double(last.values.reduce(longest) { max($0, end - $1) })
}
