import CBenchmarks
import Foundation
import Glibc
import TestSupport

/// What a polled accelerometer costs, and how soon a change is seen: beside a loop that reads the
/// same three files and sends each sample to as many clients.
func measurePolling(_ report: inout Report) throws {
  let tree = try SysfsTree(machine: "02-")
  let device = "iio:device0"
  let mover = try Mover(tree.path(device, "in_accel_x_raw"))
  let files = ["x", "y", "z"].map { tree.path(device, "in_accel_\($0)_raw") }
  let daemon = try DaemonProcess(
    """
    [Location]
    Source=none
    [Accelerometer]
    SysfsRoot=\(tree.root)
    UdevRoot=\(tree.udev)
    \(DaemonProcess.limits)
    """, keeping: tree)
  defer { withExtendedLifetime(daemon) {} }
  let subscribe = { (count: Int, rate: Int) in
    try Readers.varlink(
      daemon.socket, count, "io.bearing.accelerometer.Subscribe", #"{"rate":\#(rate)}"#,
      noting: BENCH_SAMPLE)
  }
  for rate in [100, 1000] {
    for count in [1, 10, 100] {
      let readers = try subscribe(count, rate)
      try readers.wait(for: count * rate / 5)
      mover.move(for: 0.2)  // a sensor that stands still for 5 s is taken for a dead one
      let ours = cpuTime(of: daemon.pid, reading: readers, seconds: 2)
      _ = readers.stop()
      let server = try BareServer(clients: count, rate: rate, files: files)
      defer { withExtendedLifetime(server) {} }
      let bareReaders = try Readers.bare(server.socket, count, noting: BENCH_SAMPLE)
      try bareReaders.wait(for: count * rate / 5)
      let bare = cpuTime(of: server.pid, reading: bareReaders, seconds: 2)
      _ = bareReaders.stop()
      report.row(
        "CPU a sample and stream, \(rate) Hz, \(count) streams",
        ours.nanoseconds / Double(ours.messages) / 1000, "µs",
        beside: "bare loop", bare.nanoseconds / Double(bare.messages) / 1000)
    }
    let readers = try subscribe(1, rate)
    try readers.wait(for: rate / 5)
    // The daemon's x is turned around, and a step is 0.019163 m/s².
    let ours = mover.latencies(seenBy: readers, unit: -19_163)
    let server = try BareServer(clients: 1, rate: rate, files: files)
    defer { withExtendedLifetime(server) {} }
    let bareReaders = try Readers.bare(server.socket, 1, noting: BENCH_SAMPLE)
    try bareReaders.wait(for: rate / 5)
    let bare = mover.latencies(seenBy: bareReaders, unit: 1_000_000)
    for (name, share) in [("median", 0.5), ("99 %", 0.99)] {
      report.row(
        "change to client, \(rate) Hz, \(name)", ours.quantile(share) / 1e6, "ms",
        beside: "bare loop", bare.quantile(share) / 1e6)
    }
  }
}

/// Changes the file that a sensor's value is read from.
private final class Mover {
  private let descriptor: Int32
  private var value = lowest
  private static let lowest = 100
  private static let highest = 999
  /// More than the longest sampling period, so that no change is missed.
  private static let period = 0.02

  init(_ file: String) throws {
    descriptor = unsafe open(file, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot write \(file)") }
  }

  deinit { close(descriptor) }

  /// Sets another value, of always as many digits; gives which and when.
  private func change() -> (value: Int, time: Int64) {
    value = value < Self.highest ? value + 1 : Self.lowest
    let text = "\(value)\n"
    let time = bench_now()
    _ = unsafe pwrite(descriptor, text, text.utf8.count, 0)
    return (value, time)
  }

  /// Changes the value again and again for so many seconds, at moments that follow no rate.
  @discardableResult
  func move(for seconds: Double) -> [(value: Int, time: Int64)] {
    let end = bench_now() + Int64(seconds * 1e9)
    var changes: [(value: Int, time: Int64)] = []
    while bench_now() < end {
      changes.append(change())
      let pause = Self.period * Double.random(in: 1...2)
      bench_wait_until(bench_now() + Int64(pause * 1e9))
    }
    return changes
  }

  /// Nanoseconds from each of some changes to the one reader's seeing it, its keys being so many
  /// units.
  func latencies(seenBy readers: Readers, unit: Double) -> [Double] {
    let changes = move(for: 4)
    bench_wait_until(bench_now() + 200_000_000)
    var seen: [Int: Int64] = [:]
    for reading in readers.stop() where reading.time >= changes[0].time {
      let value = Int((Double(reading.key) / unit).rounded())
      if seen[value] == nil { seen[value] = reading.time }
    }
    return changes.compactMap { change in seen[change.value].map { Double($0 - change.time) } }
  }
}
