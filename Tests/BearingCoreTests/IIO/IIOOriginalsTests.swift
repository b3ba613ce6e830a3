import BearingModel
import Foundation
import TestSupport
import Testing

@testable import BearingCore

/// What a killed daemon has left changed is put back by the next one.
@Suite struct IIOOriginalsTests {
  typealias Machine = IIOBufferMachine

  /// Where what settings were is kept.
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func originals() -> IIOOriginals { IIOOriginals(folder: folder.path) }
  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
  }

  private func machine() throws -> Machine {
    try Machine(
      IIOScanElement.axes("le:s16/16>>0"), trigger: "", clock: "monotonic",
      attributes: [
        "sampling_frequency": "50", "sampling_frequency_available": "50 200 400",
      ],
      others: IIOTimerTests.timer, originals: originals())
  }

  private func tree(_ machine: Machine) -> IIOTree {
    IIOTree(root: machine.tree.root, nodes: (machine.node as NSString).deletingLastPathComponent)
  }

  /// A capture that has changed all that it does, at two rates; it has not ended, as when it is killed.
  private func capture(_ machine: Machine) throws -> IIOCaptureTests.Rig {
    try FileManager.default.createDirectory(
      atPath: IIOTimerTests.timers(machine) + "/bearingd-device0",
      withIntermediateDirectories: true)
    let rig = try machine.rig(rate: 120)
    #expect(rig.first(IIOBufferCaptureTests.running)?.mode == "trigger")
    rig.want(SensorDemand(rate: 300))
    #expect(rig.first(IIOBufferCaptureTests.running)?.rate == 300)
    #expect(try machine.control("enable") == "1\n")
    #expect(try machine.get("sampling_frequency") == "400\n")
    #expect(try machine.tree.get("trigger5", "sampling_frequency") == "300\n")
    return rig
  }

  @Test("A sensor is as it was before, and its timer too")
  func putBack() throws {
    let machine = try machine()
    let before = try machine.settings()
    let rig = try capture(machine)
    #expect(try machine.settings() != before)
    originals().putBack(Machine.device, in: tree(machine))
    #expect(try machine.settings() == before)
    #expect(try machine.tree.get("trigger5", "sampling_frequency") == "100.000\n")
    #expect(try files() == [])
    #expect(rig.stop())
  }

  @Test("A capture that ends by itself leaves nothing to put back")
  func ordinaryEnd() throws {
    let machine = try machine()
    let rig = try capture(machine)
    #expect(try files() == ["settings.iio:device0"])
    #expect(rig.stop())
    #expect(try files() == [])
  }

  @Test("Before a sensor is listed or read again it is as it was before")
  func nextUse() throws {
    let machine = try machine()
    let before = try machine.settings()
    let rig = try capture(machine)
    // The next daemon's list is right, however soon it is asked for.
    let next = originals()
    next.putBackAll(in: tree(machine))
    var settings = AccelerometerSettings()
    settings.sysfsRoot = machine.tree.root
    let sources = IIOSources(settings, originals: next)
    #expect(try sources.sensors().map(\.sensor.rate) == [50])
    #expect(try machine.settings() == before)
    #expect(rig.stop())
  }

  @Test("Put back once: what was set since then stays")
  func once() throws {
    let machine = try machine()
    let rig = try capture(machine)
    let next = originals()
    next.putBack(Machine.device, in: tree(machine))
    try machine.set("sampling_frequency", to: "200\n")
    next.putBack(Machine.device, in: tree(machine))
    #expect(try machine.get("sampling_frequency") == "200\n")
    #expect(rig.stop())
  }

  @Test(
    "What is not whole, of another device, or nothing at all changes nothing",
    arguments: [
      ("", "50"), ("iio:device0\t/devices/chip/iio:device0\tsampling_frequency\t25", "50"),
      ("iio:device0\t/devices/chip/iio:device0\tsampling_frequency\t25\n", "25"),
      ("iio:device0\t/devices/other/iio:device0\tsampling_frequency\t25\n", "50"),
      ("iio:device1\t/devices/chip/iio:device0\tsampling_frequency\t25\n", "50"),
      ("iio:device0\t/devices/chip/iio:device0\tnothing_of_that_name\t25\n", "50"),
      ("\n\t\t\t\n\u{0}\t\n1\t2\t3\t4\t5\n", "50"),
      ("rubbish\n", "50"),
    ])
  func rubbish(text: String, rate: String) throws {
    let machine = try machine()
    try folder.write(text, to: "settings.iio:device0")
    let next = originals()
    next.putBack(Machine.device, in: tree(machine))
    next.putBack("iio:device7", in: tree(machine))
    let now = try machine.get("sampling_frequency").trimmingCharacters(in: .newlines)
    #expect(now == rate)
    #expect(try files() == [])
  }
}
