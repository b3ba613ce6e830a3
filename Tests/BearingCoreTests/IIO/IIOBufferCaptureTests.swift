import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import BearingCore

/// The kernel's buffer as a source of samples; a pipe stands in for the device node.
@Suite struct IIOBufferCaptureTests {
  typealias Machine = IIOBufferMachine

  /// The rest of a report that says how a sensor is sampled.
  struct Running: Equatable {
    let mode: String
    let rate: Double
    let reason: String?
  }

  static func running(_ report: SensorReport) -> Running? {
    guard case .running(let mode, let rate, let reason, _) = report else { return nil }
    return Running(mode: mode, rate: rate, reason: reason)
  }

  /// A scan of little-endian 16-bit values with a time.
  static func scan(_ x: Int16, _ y: Int16, _ z: Int16, _ time: BootTime) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in [x, y, z, 0x5A5A] {
      bytes += withUnsafeBytes(of: value.littleEndian, Array.init)
    }
    return bytes + withUnsafeBytes(of: time.nanoseconds.littleEndian, Array.init)
  }

  @Test(
    "A recorded buffer comes out as vectors, in whatever pieces it is read",
    arguments: IIOBufferFixtures.recordings, [Machine.Layout.buffer0, .legacy])
  func recordings(recording: IIOBufferFixtures.Recording, layout: Machine.Layout) throws {
    let machine = try Machine(recording, layout: layout)
    let rig = try machine.rig(rate: 50)
    #expect(rig.first(Self.running) == Running(mode: "buffer", rate: 50, reason: nil))
    let bytes = try recording.bytes()
    var last = BootTime(nanoseconds: 0)
    var given = 0
    for (index, scan) in try recording.scans().enumerated() {
      // Each time all of this scan, and a part of the next.
      let end = min(bytes.count, (index + 1) * recording.size + index % recording.size)
      machine.give(bytes[given..<end])
      given = end
      let vector = try #require(rig.first(IIOVectors.vector))
      #expect(vector.differs(from: scan.vector) < 1e-9)
      #expect(vector.time > last && vector.time <= .now())
      last = vector.time
    }
    #expect(rig.stop())
  }

  /// Gives three samples with a time each; those times, and the ones that came out.
  static func times(
    _ machine: Machine, _ rig: IIOCaptureTests.Rig, offset: Int64
  ) throws -> (given: [BootTime], taken: [BootTime]) {
    let start = BootTime.now()
    let given = [0, 10_000, 23_000].map { start + $0 }
    // None is of the future.
    while BootTime.now() <= given[2] {}
    machine.give(given.flatMap { scan(1, -2, 3, $0 + -offset) })
    return (given, try given.map { _ in try #require(rig.first(IIOVectors.vector)).time })
  }

  @Test(
    "Times are the kernel's, on CLOCK_BOOTTIME, which the kernel is told to use",
    // With a NUL as Linux 6.1 has it.
    arguments: ["realtime\n", "boottime\n\0", "realtime\n\0"])
  func stamps(clock: String) throws {
    let machine = try Machine(IIOScanElement.axes("le:s16/16>>0"))
    try machine.set("current_timestamp_clock", to: clock)
    let rig = try machine.rig(rate: 100)
    _ = rig.first(Self.running)
    #expect(try machine.get("current_timestamp_clock").hasPrefix("boottime\n"))
    let times = try Self.times(machine, rig, offset: 0)
    #expect(times.taken == times.given)
    #expect(rig.stop())
    #expect(try machine.get("current_timestamp_clock").hasPrefix(clock.prefix(9)))
  }

  @Test("Where the clock cannot be chosen it is realtime, and converted from")
  func fixedClock() throws {
    let machine = try Machine(IIOScanElement.axes("le:s16/16>>0"), clock: nil)
    let rig = try machine.rig(rate: 100)
    _ = rig.first(Self.running)
    let times = try Self.times(machine, rig, offset: KernelClock.realtime.offset())
    // The offset is measured here and there; of one batch it is one.
    let errors = zip(times.taken, times.given).map { $0 - $1 }
    #expect(errors[0] == errors[1] && errors[1] == errors[2])
    #expect(abs(errors[0]) < Nanoseconds.second)
    #expect(rig.stop())
  }

  @Test(
    "What is set for the buffer is put back when it stops",
    arguments: [Machine.Layout.buffer0, .legacy])
  func settings(layout: Machine.Layout) throws {
    let machine = try Machine(
      IIOScanElement.axes("le:s12/16>>4"), layout: layout, trigger: "", clock: "monotonic",
      attributes: [
        "in_accel_sampling_frequency": "12.500000",
        "sampling_frequency_available": "12.500000 100 1000",
      ], others: "P: /devices/chip/trigger0\nA: name=fake-dev0\\n\n")
    let before = try machine.settings()
    let rig = try machine.rig(rate: 500)
    #expect(rig.first(Self.running) == Running(mode: "buffer", rate: 1000, reason: nil))
    #expect(try machine.get("in_accel_sampling_frequency") == "1000\n")
    #expect(try machine.get("trigger/current_trigger") == "fake-dev0\n")
    #expect(try machine.get("current_timestamp_clock") == "boottime\n")
    for element in ["in_accel_x", "in_accel_y", "in_accel_z", "in_timestamp"] {
      #expect(try machine.get("\(layout.elements)/\(element)_en") == "1\n")
    }
    // 2 s are kept, and 20 ms collected.
    #expect(try machine.control("length") == "2000\n")
    #expect(try machine.control("watermark") == "20\n")
    #expect(try machine.control("enable") == "1\n")
    #expect(rig.stop())
    #expect(try machine.settings() == before)
  }

  @Test("A buffer whose rate no sensor has is filled for the rate that is wanted")
  func absurdRate() throws {
    let machine = try Machine(
      IIOScanElement.axes("le:s16/16>>0"),
      attributes: ["sampling_frequency": "9223372036854775807"])
    let rig = try machine.rig(rate: 50)
    #expect(rig.first(Self.running) == Running(mode: "buffer", rate: 50, reason: nil))
    #expect(try machine.control("length") == "100\n")
    machine.give(Self.scan(1, 2, 3, .now()))
    #expect(rig.first(IIOVectors.vector) != nil)
    #expect(rig.stop())
  }

  @Test("Another rate begins the buffer anew with another watermark; the same rate does not")
  func demandChanges() throws {
    let machine = try Machine(
      IIOScanElement.axes("le:s16/16>>0"),
      attributes: [
        "sampling_frequency": "100", "sampling_frequency_available": "10 100 400",
      ])
    let rig = try machine.rig(rate: 50)
    #expect(rig.first(Self.running)?.rate == 100)
    #expect(try machine.control("watermark") == "2\n")
    rig.want(SensorDemand(rate: 90))
    machine.give(Self.scan(1, 2, 3, .now()))
    // The sample comes without another report before it.
    #expect(rig.next().flatMap(IIOVectors.vector) != nil)
    rig.want(SensorDemand(rate: 300))
    #expect(rig.first(Self.running)?.rate == 400)
    #expect(try machine.control("watermark") == "8\n")
    rig.want(SensorDemand(rate: 1))
    #expect(rig.first(Self.running)?.rate == 10)
    #expect(try machine.control("watermark") == "1\n")
    #expect(try machine.control("length") == "20\n")
    #expect(rig.stop())
    #expect(try machine.get("sampling_frequency") == "100\n")
  }

  @Test(
    "What a killed daemon left on is switched off, and its timer not taken for the sensor's own")
  func leftovers() throws {
    let machine = try Machine(
      IIOScanElement.axes("le:s16/16>>0"), trigger: "bearingd-device0",
      others: "P: /devices/chip/trigger0\nA: name=fake-dev0\\n\n")
    try machine.set("buffer0/enable", to: "1\n")
    let rig = try machine.rig(rate: 50)
    #expect(rig.first(Self.running)?.mode == "buffer")
    #expect(try machine.get("trigger/current_trigger") == "fake-dev0\n")
    #expect(rig.stop())
    #expect(try machine.control("enable") == "0\n")
    #expect(try machine.get("trigger/current_trigger") == "\n")
  }

  @Test("A buffer that gives nothing is left for polling, which is remembered")
  func silence() throws {
    let machine = try Machine(IIOScanElement.axes("le:s16/16>>0"))
    let before = try machine.settings()
    let rig = try machine.rig(rate: 20)
    #expect(rig.first(Self.running)?.mode == "buffer")
    let fallback = try #require(rig.first(Self.running))
    let reason = "buffer: \(machine.node) gave nothing for 2 s"
    #expect(fallback == Running(mode: "polling", rate: 20, reason: reason))
    #expect(try machine.settings() == before)
    #expect(rig.first(IIOVectors.vector)?.differs(from: [0.07, 0.07, 0.07]) ?? 1 < 1e-9)
    #expect(rig.stop())
    let again = try machine.rig(rate: 20)
    #expect(again.next().flatMap(Self.running) == fallback)
    #expect(again.stop())
  }

  @Test("What gave nothing is tried again after ten minutes, after a suspend, and when it is gone")
  func memory() {
    let memory = IIOModeMemory()
    func make(_ path: String) -> Sensor {
      Sensor(
        identifier: "iio:device0", path: path, name: "lis3dh", location: "", mode: "", rate: 0,
        availableRates: [], scale: [], mountMatrix: [], mountMatrixSource: "", signNegated: false,
        simulated: false, warnings: [])
    }
    let (sensor, other) = (make("one"), make("two"))
    let (now, asleep) = (BootTime.now(), BootTime.asleep())
    memory.note(sensor, .buffer, gaveNothing: "gave nothing")
    let failed = [IIOMode.buffer: "gave nothing"]
    #expect(memory.failed(sensor) == failed)
    #expect(memory.failed(other).isEmpty)
    #expect(memory.failed(sensor, now: now + 599 * Nanoseconds.second) == failed)
    #expect(memory.failed(sensor, now: now + 700 * Nanoseconds.second).isEmpty)
    #expect(memory.failed(sensor, asleep: asleep + 3 * Nanoseconds.second).isEmpty)
    #expect(memory.failed(sensor, asleep: asleep + Nanoseconds.millisecond) == failed)
    memory.forget(sensor)
    #expect(memory.failed(sensor).isEmpty)
  }

  @Test("A buffer that ends is left for polling; of a device that is gone, the source ends")
  func ends() throws {
    for isGone in [false, true] {
      let machine = try Machine(IIOScanElement.axes("le:s16/16>>0"))
      let rig = try machine.rig(rate: 100)
      #expect(rig.first(Self.running)?.mode == "buffer")
      machine.give(Self.scan(1, 2, 3, .now()))
      #expect(rig.first(IIOVectors.vector) != nil)
      if isGone { try machine.tree.unplug(Machine.device) }
      machine.unplugNode()
      if isGone {
        #expect(rig.next() == .gone)
        #expect(rig.ends())
      } else {
        let reason = "buffer: \(machine.node) has ended"
        #expect(
          rig.next().flatMap(Self.running) == Running(mode: "polling", rate: 100, reason: reason))
        #expect(rig.stop())
      }
    }
  }

  @Test("An unplugged device whose node stays silent is gone")
  func silentUnplug() throws {
    let machine = try Machine(IIOScanElement.axes("le:s16/16>>0"))
    let rig = try machine.rig(rate: 100)
    #expect(rig.first(Self.running)?.mode == "buffer")
    try machine.tree.unplug(Machine.device)
    #expect(rig.next() == .gone)
    #expect(rig.ends())
  }
}
