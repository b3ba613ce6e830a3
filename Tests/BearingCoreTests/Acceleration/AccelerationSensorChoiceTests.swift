import BearingModel
import Testing

@testable import BearingCore

@Suite struct AccelerationSensorChoiceTests {
  static func sensor(
    _ number: Int, path: String, location: String, label: String? = nil, isRemovable: Bool = false,
    unusable: String? = nil
  ) -> DiscoveredSensor {
    DiscoveredSensor(
      sensor: Sensor(
        identifier: "iio:device\(number)", path: path, name: "chip", location: location,
        mode: "polling", rate: 0, availableRates: [], scale: [0.01, 0.01, 0.01],
        mountMatrix: [1, 0, 0, 0, 1, 0, 0, 0, 1], mountMatrixSource: "none", signNegated: false,
        simulated: false, warnings: []),
      label: label, isRemovable: isRemovable, unusable: unusable)
  }

  static let all = [
    sensor(0, path: "/devices/pad", location: "display", isRemovable: true),
    sensor(1, path: "/devices/base", location: "base", label: "accel-base"),
    sensor(2, path: "/devices/z", location: "display", label: "accel-display"),
    sensor(3, path: "/devices/y", location: "display"),
    sensor(4, path: "/devices/a", location: "display", unusable: "no scale"),
    sensor(5, path: "/devices/camera", location: "camera"),
  ]

  static func chosen(named: String? = nil, configured: String? = nil) -> String? {
    guard
      case .sensor(let found) = SensorChooser.choose(
        from: all, named: named, configured: configured)
    else { return nil }
    return found.sensor.identifier
  }

  @Test("Without a name it is the usable display sensor whose path comes first")
  func byDefault() {
    #expect(Self.chosen() == "iio:device3")
  }

  @Test(
    "A path, identifier, label or location names a sensor, also one that is not chosen otherwise",
    arguments: [
      ("/devices/base", "iio:device1"), ("iio:device1", "iio:device1"),
      ("accel-base", "iio:device1"), ("base", "iio:device1"), ("camera", "iio:device5"),
      ("iio:device0", "iio:device0"), ("accel-display", "iio:device2"),
      ("/devices/a", "iio:device4"), ("display", "iio:device3"),
    ])
  func byName(name: String, identifier: String) {
    #expect(Self.chosen(named: name) == identifier)
    #expect(Self.chosen(configured: name) == identifier)
    #expect(Self.chosen(named: name, configured: "/devices/y") == identifier)
  }

  @Test("What is not there is said, with what there is")
  func absent() {
    #expect(
      SensorChooser.choose(from: Array(Self.all[1...1]), named: "lid", configured: nil)
        == .none(
          reason: "the sensor asked for, \"lid\", is not here; there are: iio:device1 (base)"))
    #expect(
      SensorChooser.choose(from: Array(Self.all[1...1]), named: nil, configured: "lid")
        == .none(
          reason: "the configured sensor, \"lid\", is not here; there are: iio:device1 (base)"))
    #expect(
      SensorChooser.choose(from: Array(Self.all[0...1]), named: nil, configured: nil)
        == .none(
          reason: "no accelerometer sits in the display; name one of: "
            + "iio:device0 (display), iio:device1 (base)"))
    #expect(
      SensorChooser.choose(from: [], named: nil, configured: nil)
        == .none(reason: "this machine has no accelerometer that Linux knows (IIO)"))
  }

  @Test("A display sensor that cannot be used is chosen when it is the only one")
  func unusable() {
    #expect(
      SensorChooser.choose(from: Array(Self.all[4...5]), named: nil, configured: nil)
        == .sensor(Self.all[4]))
  }
}
