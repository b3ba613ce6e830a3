import BearingModel
import Foundation
import Glibc
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

  private func rate(_ machine: Machine) throws -> String {
    try machine.get("sampling_frequency").trimmingCharacters(in: .newlines)
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
    #expect(try self.rate(machine) == rate)
    #expect(try files() == [])
  }

  /// Two names, each for a file, that are one as strings.
  private static let twins: [[[UInt8]]] = [
    [[0xFF], [0xFE]],  // neither is UTF-8
    [Array("\u{E9}".utf8), Array("e\u{301}".utf8)],
  ]

  @Test("Files of other names are no settings: they harm nothing and stay", arguments: twins)
  func strangeNames(twins: [[UInt8]]) throws {
    let machine = try machine()
    for name in twins + [Array("".utf8), Array("watchdog".utf8), Array("iio:device".utf8)] {
      let path = Array("\(folder.path)/settings.".utf8) + name + [0]
      let descriptor = creat(path.map(CChar.init(bitPattern:)), 0o600)
      try #require(descriptor >= 0)
      close(descriptor)
    }
    try folder.write(
      "iio:device0\t/devices/chip/iio:device0\tsampling_frequency\t25\n",
      to: "settings.iio:device0")
    #expect(try Files.names(in: folder.path).count == 6)
    let next = originals()
    next.putBack(Machine.device, in: tree(machine))
    for name in ["", "watchdog", "iio:device"] { next.putBack(name, in: tree(machine)) }
    #expect(try rate(machine) == "25")
    #expect(try Files.names(in: folder.path).count == 5)
  }

  @Test("A FIFO or a folder in the file's place holds nothing up", arguments: [true, false])
  func noFile(isFIFO: Bool) throws {
    let machine = try machine()
    let path = "\(folder.path)/settings.iio:device0"
    let make = { isFIFO ? mkfifo(path, 0o600) : mkdir(path, 0o700) }
    try #require(make() == 0)
    let next = originals()
    next.putBack(Machine.device, in: tree(machine))
    #expect(try files().isEmpty == isFIFO)
    if isFIFO { try #require(make() == 0) }
    let sensor = try #require(tree(machine).devices().first)
    next.note("25", of: "sampling_frequency", in: sensor, for: Machine.device)
    #expect(try files() == ["settings.iio:device0"])
    #expect(try rate(machine) == "50")
  }
}
