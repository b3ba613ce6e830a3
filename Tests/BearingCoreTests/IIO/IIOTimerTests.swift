import BearingModel
import Foundation
import TestSupport
import Testing

@testable import BearingCore

/// Sensors with a buffer and no trigger of their own: a timer makes them take samples.
///
/// In a copy of sysfs a timer's folder does not make a trigger: it is there from the start.
@Suite struct IIOTimerTests {
  typealias Machine = IIOBufferMachine
  typealias Running = IIOBufferCaptureTests.Running

  static let timer =
    "P: /devices/trigger5\nA: name=bearingd-device0\\n\nA: sampling_frequency=100.000\\n\n"
  static let reason = "the sensor has no trigger of its own"

  static func machine(_ others: String = timer) throws -> Machine {
    try Machine(
      IIOScanElement.axes("le:s16/16>>0"), trigger: "",
      attributes: ["sampling_frequency": "50", "sampling_frequency_available": "50 200"],
      others: others)
  }

  /// Where the tree's timers are made.
  static func timers(_ machine: Machine) -> String {
    machine.tree.root + "/kernel/config/iio/triggers/hrtimer"
  }

  static func make(_ names: [String], in machine: Machine) throws {
    for name in names {
      try FileManager.default.createDirectory(
        atPath: "\(timers(machine))/\(name)", withIntermediateDirectories: true)
    }
  }

  @Test("A timer that was left, or made for the daemon, is used at the rate that is wanted")
  func timerIsUsed() throws {
    let machine = try Self.machine()
    try Self.make(["bearingd-device0", "bearingd-device7", "mine"], in: machine)
    let rig = try machine.rig(rate: 120)
    #expect(
      rig.first(IIOBufferCaptureTests.running)
        == Running(mode: "trigger", rate: 120, reason: Self.reason))
    #expect(try machine.get("trigger/current_trigger") == "bearingd-device0\n")
    #expect(try machine.get("sampling_frequency") == "200\n")
    #expect(try machine.tree.get("trigger5", "sampling_frequency") == "120\n")
    machine.give(IIOBufferCaptureTests.scan(1, 2, 3, .now()))
    #expect(rig.first(IIOVectors.vector)?.differs(from: [0.01, 0.02, 0.03]) ?? 1 < 1e-9)
    #expect(rig.stop())
    #expect(try machine.get("trigger/current_trigger") == "\n")
    #expect(try machine.get("sampling_frequency") == "50\n")
    // Its own is gone, and that of a sensor that is no longer there; others' stay.
    #expect(try FileManager.default.contentsOfDirectory(atPath: Self.timers(machine)) == ["mine"])
  }

  @Test("Where no timer can be made, the sensor is polled, which tells why")
  func noTimer() throws {
    let machine = try Self.machine("")
    let rig = try machine.rig(rate: 40)
    let place = Self.timers(machine) + "/bearingd-device0"
    let reason =
      Self.reason + "; trigger: cannot make the timer \(place): No such file or directory"
    #expect(
      rig.first(IIOBufferCaptureTests.running)
        == Running(mode: "polling", rate: 40, reason: reason))
    #expect(rig.stop())
    #expect(try machine.get("trigger/current_trigger") == "\n")
  }

  @Test("A sensor whose own trigger gives nothing gets a timer, then is polled")
  func everyMode() throws {
    let machine = try Self.machine(
      Self.timer + "\nP: /devices/chip/trigger1\nA: name=fake-any-motion-dev0\\n\n\n"
        + "P: /devices/chip/trigger2\nA: name=fake-dev0\\n\n")
    let rig = try machine.rig(rate: 50)
    let reason = "\(machine.node) gave nothing for 2 s"
    #expect(
      rig.first(IIOBufferCaptureTests.running) == Running(mode: "buffer", rate: 50, reason: nil))
    #expect(try machine.get("trigger/current_trigger") == "fake-dev0\n")
    #expect(
      rig.first(IIOBufferCaptureTests.running)
        == Running(mode: "trigger", rate: 50, reason: "buffer: \(reason)"))
    #expect(try machine.get("trigger/current_trigger") == "bearingd-device0\n")
    #expect(
      rig.first(IIOBufferCaptureTests.running)
        == Running(mode: "polling", rate: 50, reason: "buffer, trigger: \(reason)"))
    #expect(rig.stop())
    #expect(try machine.get("trigger/current_trigger") == "\n")
  }
}
