import CBenchmarks
import Foundation
import Glibc
import TestSupport

/// What an accelerometer costs that is read through the kernel's buffer, and how soon its samples are
/// with a client: beside one that is polled.
///
/// A pipe stands for the device node; it is filled as a kernel fills its buffer, by the watermark.
func measureBuffer(_ report: inout Report) throws {
  let rate = 1000
  let sensor = try BufferedSensor(rate: rate)
  let buffered = try sensor.daemon()
  defer { withExtendedLifetime((sensor, buffered)) {} }
  let polled = try BufferedSensor(rate: rate, hasNode: false)
  let polling = try polled.daemon()
  defer { withExtendedLifetime((polled, polling)) {} }
  for count in [1, 10, 100] {
    let ours = try cpuTime(of: buffered, sensor, streams: count, rate)
    let theirs = try cpuTime(of: polling, polled, streams: count, rate)
    report.row(
      "CPU a sample and stream, \(rate) Hz, \(count) streams",
      ours.nanoseconds / Double(ours.messages) / 1000, "µs",
      beside: "polled", theirs.nanoseconds / Double(theirs.messages) / 1000)
  }
  let slow = try cpuTime(of: buffered, sensor, streams: 1, 10)
  let fast = try cpuTime(of: buffered, sensor, streams: 1, rate)
  report.row(
    "CPU a second, a stream of 10 Hz from \(rate) Hz", slow.nanoseconds / seconds / 1e6, "ms",
    beside: "a stream of \(rate) Hz", fast.nanoseconds / seconds / 1e6)

  let readers = try subscribe(buffered, 1, rate)
  try readers.wait(for: rate)
  let readings = readers.stop()
  let latencies = readings.suffix(BufferedSensor.values / 2).map { reading in
    Double(reading.time - sensor.written(Int((Double(reading.key) / 1e4).rounded())))
  }
  for (name, share) in [("median", 0.5), ("99 %", 0.99)] {
    report.row(
      "buffer to client, \(rate) Hz, \(name)", latencies.quantile(share) / 1e3, "µs",
      beside: "the time between samples", 1e6 / Double(rate))
  }
}

private let seconds = 2.0

private func subscribe(_ daemon: DaemonProcess, _ count: Int, _ rate: Int) throws -> Readers {
  try Readers.varlink(
    daemon.socket, count, "io.bearing.accelerometer.Subscribe", #"{"rate":\#(rate)}"#,
    noting: BENCH_SAMPLE)
}

private func cpuTime(
  of daemon: DaemonProcess, _ sensor: BufferedSensor, streams: Int, _ rate: Int
) throws -> (nanoseconds: Double, messages: Int) {
  let readers = try subscribe(daemon, streams, rate)
  try readers.wait(for: max(streams * rate / 5, 2 * streams))
  try sensor.move()
  return cpuTime(of: daemon.pid, reading: readers, seconds: seconds)
}

/// A sensor with files to be polled and, in place of a device node, a pipe that is being filled.
@safe private final class BufferedSensor {
  static let values = Int(BENCH_SCAN_VALUES)
  private static let device = "iio:device0"
  private let tree: SysfsTree
  private let folder: TemporaryFolder
  private let pipe: Int32
  private let scans: OpaquePointer?

  init(rate: Int, hasNode: Bool = true) throws {
    var description = """
      P: /devices/chip/\(Self.device)
      A: name=fake\\n
      A: in_accel_scale=0.01\\n
      A: sampling_frequency=\(rate)\\n
      A: sampling_frequency_available=\(rate)\\n
      A: current_timestamp_clock=boottime\\n
      A: buffer0/enable=0\\n
      A: buffer0/length=2\\n
      A: buffer0/watermark=1\\n

      """
    for (index, axis) in ["x", "y", "z"].enumerated() {
      description += """
        A: in_accel_\(axis)_raw=\(100 * index)\\n
        A: buffer0/in_accel_\(axis)_en=0\\n
        A: buffer0/in_accel_\(axis)_index=\(index)\\n
        A: buffer0/in_accel_\(axis)_type=le:s16/16>>0\\n

        """
    }
    description += """
      A: buffer0/in_timestamp_en=0\\n
      A: buffer0/in_timestamp_index=3\\n
      A: buffer0/in_timestamp_type=le:s64/64>>0\\n

      """
    tree = try SysfsTree(description)
    folder = try TemporaryFolder()
    guard hasNode else {
      unsafe (pipe, scans) = (-1, nil)
      return
    }
    let node = "\(folder.path)/\(Self.device)"
    guard unsafe mkfifo(node, 0o600) == 0, case let pipe = unsafe open(node, O_RDWR | O_CLOEXEC),
      pipe >= 0
    else {
      throw Failure("no pipe at \(node)")
    }
    self.pipe = pipe
    // The daemon asks for 20 ms of samples at once.
    unsafe scans = bench_scans_start(pipe, Int32(max(1, rate / 50)), Int64(1_000_000_000 / rate))
  }

  deinit {
    if let scans = unsafe scans {
      unsafe bench_scans_stop(scans)
      unsafe bench_scans_free(scans)
      bench_close(pipe)
    }
  }

  func daemon() throws -> DaemonProcess {
    try DaemonProcess(
      """
      [Location]
      Source=none
      [Accelerometer]
      SysfsRoot=\(tree.root)
      UdevRoot=\(tree.udev)
      DeviceRoot=\(folder.path)
      \(DaemonProcess.limits)
      """, keeping: tree)
  }

  /// Changes the value that is polled: a sensor that stands still for 5 s is taken for a dead one.
  func move() throws {
    try tree.set(Self.device, "in_accel_z_raw", to: "\(Int.random(in: 900...999))\n")
  }

  /// Nanoseconds at which the last scan with that value was written.
  func written(_ value: Int) -> Int64 {
    guard let scans = unsafe scans else { return 0 }
    return unsafe bench_scans_written(scans, Int32(value))
  }
}
