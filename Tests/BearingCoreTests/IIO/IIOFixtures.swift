import Foundation
import TestSupport
import Testing

@testable import BearingCore

/// Accelerometers of real machines, with what is right for each.
enum IIOFixtures {
  /// What one sensor of a fixture must give.
  struct Expected: Decodable, Sendable {
    let device: String
    let name: String
    let location: String
    let scale: [String]
    let matrix: String
    let matrixSource: String
    let sign: String
    let deviceFrame: [String]
    let orientation: String
    let tilt: String

    var vector: [Double] { deviceFrame.compactMap { Double($0) } }
    var matrixNumbers: [Double] {
      matrix.split(whereSeparator: { ",; ".contains($0) }).compactMap { Double($0) }
    }
  }

  /// One machine.
  struct Machine: Sendable, CustomTestStringConvertible {
    let name: String
    let sensors: [Expected]

    var description: String { Fixtures.folder + "/iio/\(name).umockdev" }
    var testDescription: String { name }

    func tree() throws -> SysfsTree { try SysfsTree(describedBy: description) }
  }

  /// All of them.
  static let machines: [Machine] = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let file = URL(fileURLWithPath: Fixtures.folder + "/iio/expected.json")
    guard let data = try? Data(contentsOf: file),
      let all = try? decoder.decode([String: [Expected]].self, from: data)
    else { return [] }
    return all.map { Machine(name: $0.key, sensors: $0.value) }.sorted { $0.name < $1.name }
  }()

  /// The machine whose name begins so.
  static func machine(_ prefix: String) throws -> Machine {
    try #require(machines.first { $0.name.hasPrefix(prefix) })
  }
}

extension IIOSources {
  /// Every accelerometer of the tree.
  func sensors() throws -> [DiscoveredSensor] {
    let folders = try accelerometers()
    return assemble(folders, folders.map { read($0, IIOProgress()) })
  }

  /// Sources on a tree with its own device database.
  init(
    _ tree: SysfsTree, withDatabase: Bool = true, matrix: [Double]? = nil, sensor: String? = nil,
    nodes: String? = nil
  ) {
    var settings = AccelerometerSettings()
    settings.sysfsRoot = tree.root
    settings.udevRoot = withDatabase ? tree.udev : nil
    settings.mountMatrix = matrix
    settings.sensor = sensor
    if let nodes { settings.deviceRoot = nodes }
    self.init(settings)
  }
}
