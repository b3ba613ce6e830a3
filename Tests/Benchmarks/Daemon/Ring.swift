import CBenchmarks
import TestSupport

/// What the daemon needs for clients that map the ring of samples, beside clients of the socket, each
/// of all samples of a sensor at 1000 Hz; and how much of what is sampled they have.
func measureRing(_ report: inout Report) throws {
  let (rate, seconds) = (1000, 3.0)
  let daemon = try DaemonProcess(
    "[Location]\nSource=none\n[Accelerometer]\nSource=simulation\n" + DaemonProcess.limits)
  defer { withExtendedLifetime(daemon) {} }
  for count in [1, 100, 1000] {
    let streams = try streamLoad(daemon, count, rate, seconds, latency: 0)
    let batches = try streamLoad(daemon, count, rate, seconds, latency: 10)
    let ring = try ringLoad(daemon, count, rate, seconds, pause: 0)
    let unwoken = try ringLoad(daemon, count, rate, seconds, pause: 10_000_000)
    let clients = count == 1 ? "1 client" : "\(count) clients"
    report.row(
      "CPU a second, \(clients)", ring.milliseconds, "ms", beside: "of streams",
      streams.milliseconds)
    report.row(
      "CPU a second, \(clients)", ring.milliseconds, "ms",
      beside: "of streams that take 10 ms at once", batches.milliseconds)
    report.row(
      "CPU a second, \(clients) that look and are not woken", unwoken.milliseconds, "ms",
      beside: "woken", ring.milliseconds)
    report.row(
      "CPU a sample and client, \(clients)", 1000 * ring.milliseconds / ring.samples, "µs",
      beside: "of streams", 1000 * streams.milliseconds / streams.samples)
    report.row(
      "samples a second to each, \(clients)", ring.samples / Double(count), "",
      beside: "of streams", streams.samples / Double(count))
  }
}

/// CPU milliseconds of the daemon and samples that readers had, both in a second.
private typealias Load = (milliseconds: Double, samples: Double)

private func streamLoad(
  _ daemon: DaemonProcess, _ count: Int, _ rate: Int, _ seconds: Double, latency: Int
) throws -> Load {
  let readers = try Readers.varlink(
    daemon.socket, count, "io.bearing.accelerometer.Subscribe",
    #"{"rate":\#(rate),"maxLatency":\#(latency)}"#, noting: BENCH_COUNT)
  try readers.wait(for: 20 * count)
  let (nanoseconds, messages) = cpuTime(of: daemon.pid, reading: readers, seconds: seconds)
  _ = readers.stop()
  return (nanoseconds / seconds / 1e6, Double(messages) / seconds)
}

private func ringLoad(
  _ daemon: DaemonProcess, _ count: Int, _ rate: Int, _ seconds: Double, pause: Int64
) throws -> Load {
  guard let rings = unsafe bench_rings_start(daemon.socket, count, Int32(rate), pause) else {
    throw Failure("\(count) clients cannot have the ring")
  }
  defer { unsafe bench_rings_end(rings) }
  bench_wait_until(bench_now() + 500_000_000)
  let time = bench_cpu_time(daemon.pid)
  let samples = unsafe bench_rings_samples(rings)
  bench_wait_until(bench_now() + Int64(seconds * 1e9))
  return (
    Double(bench_cpu_time(daemon.pid) - time) / seconds / 1e6,
    Double(unsafe bench_rings_samples(rings) - samples) / seconds
  )
}
