import Testing

@testable import BearingCore

/// Samples of a source, for tests.
enum IIOVectors {
  /// A vector that was read.
  struct Vector: Equatable {
    let time: BootTime
    let x: Double
    let y: Double
    let z: Double

    /// The largest difference of a component, in metres per second squared.
    func differs(from expected: [Double]) -> Double {
      guard expected.count == 3 else { return .infinity }
      return max(abs(x - expected[0]), abs(y - expected[1]), abs(z - expected[2]))
    }
  }

  /// The vector in a report; nil when it is another one.
  static func vector(_ report: SensorReport) -> Vector? {
    guard case .sample(let time, let x, let y, let z, _) = report else { return nil }
    return Vector(time: time, x: x, y: y, z: z)
  }

  /// The first vector of `sensor`.
  static func first(
    of sensor: DiscoveredSensor, from sources: some AccelerometerSources
  ) throws -> Vector {
    let rig = try SourceRig(sources.capture(sensor), SensorDemand(rate: 50))
    let vector = try #require(rig.first(vector))
    #expect(rig.stop())
    return vector
  }
}
