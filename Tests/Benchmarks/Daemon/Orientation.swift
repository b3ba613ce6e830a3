import CBenchmarks
import Foundation
import TestSupport

/// What it costs to know which way up the device is: beside iio-sensor-proxy, on the same mocked
/// sensor, with one client each.
func measureOrientation(_ report: inout Report) throws {
  let seconds = 20.0
  guard MockedMachine.isAvailable, SensorProxy.isAvailable else {
    return print("| umockdev, iio-sensor-proxy or dbus-daemon is not installed | | | | |")
  }
  let machine = try MockedMachine()
  try machine.plug(SensorProxy.sensor)
  let proxy = try SensorProxy(machine)
  let daemon = try DaemonProcess("[Location]\nSource=none\n", environment: machine.environment)
  defer { withExtendedLifetime((machine, proxy, daemon)) {} }
  let readers = try Readers.varlink(
    daemon.socket, 1, "io.bearing.accelerometer.SubscribeOrientation", "{}", noting: BENCH_COUNT)
  try readers.wait(for: 1)
  let before = (bench_cpu_time(daemon.pid), bench_cpu_time(proxy.pid))
  let end = bench_now() + Int64(seconds * 1e9)
  var tilt = 0
  while bench_now() < end {
    // A value that never changes is a dead sensor's.
    tilt = (tilt + 1) % 7
    try machine.set(SensorProxy.place, "in_accel_x_raw", to: "\(tilt)\n")
    bench_wait_until(bench_now() + 100_000_000)
  }
  let after = (bench_cpu_time(daemon.pid), bench_cpu_time(proxy.pid))
  report.row(
    "CPU a second, one client of the orientation", Double(after.0 - before.0) / seconds / 1e3, "µs",
    beside: "iio-sensor-proxy", Double(after.1 - before.1) / seconds / 1e3)
}

/// iio-sensor-proxy on a bus of its own, in a mocked machine, with a client that wants the orientation.
private final class SensorProxy {
  static let place = "/devices/chip/iio:device0"
  static let sensor = """
    P: \(place)
    N: iio:device0
    E: DEVNAME=/dev/iio:device0
    E: SUBSYSTEM=iio
    E: DEVTYPE=iio_device
    E: IIO_SENSOR_PROXY_TYPE=iio-poll-accel
    A: name=fake\\n
    A: in_accel_scale=0.01\\n
    A: in_accel_x_raw=0\\n
    A: in_accel_y_raw=981\\n
    A: in_accel_z_raw=0\\n

    """
  private static let proxy = "/usr/sbin/iio-sensor-proxy"
  private static let bus = "/usr/bin/dbus-daemon"
  private static let client = "/usr/bin/monitor-sensor"
  private let processes: [ChildProcess]
  let pid: Int32

  static var isAvailable: Bool {
    [proxy, bus, client].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  init(_ machine: MockedMachine) throws {
    let folder = try TemporaryFolder()
    let address = "unix:path=\(folder.path)/bus"
    let configuration = try folder.write(
      """
      <busconfig><type>system</type><listen>\(address)</listen>
      <policy context="default"><allow user="*"/><allow own="*"/>
      <allow send_destination="*" eavesdrop="true"/><allow receive_sender="*"/></policy>
      </busconfig>
      """, to: "bus.conf")
    let environment = machine.environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": address]) { $1 }
    let bus = try ChildProcess(
      Self.bus, ["--nofork", "--print-address", "--config-file=\(configuration)"])
    _ = try bus.output.read(upToCount: 1)
    let proxy = try ChildProcess(Self.proxy, [], environment: environment)
    let client = try ChildProcess(Self.client, [], environment: environment)
    processes = [client, proxy, bus]
    pid = proxy.pid
    // It tells the orientation once it has the sensor.
    var told = ""
    while !told.contains("accelerometer") {
      guard let bytes = try client.output.read(upToCount: 64), !bytes.isEmpty else {
        throw Failure("iio-sensor-proxy gives no orientation: \(told)")
      }
      told += String(decoding: bytes, as: UTF8.self)
    }
    guard told.contains("Has accelerometer") else { throw Failure("no sensor: \(told)") }
    withExtendedLifetime(folder) {}
  }

  deinit {
    for process in processes {
      process.send(SIGKILL)
      process.wait()
    }
  }
}
