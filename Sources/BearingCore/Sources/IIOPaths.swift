internal import Locking

/// The paths of sensors, of which no two are the same: of those whose lasting places are alike, the
/// second becomes `…#2`.
///
/// A sensor keeps its path for as long as it is there, whatever becomes of the others.
final class IIOPaths: Sendable {
  /// By the sensors' places as the kernel has them now.
  private let given = Guarded<[String: String]>([:])

  /// The path of the sensor at that place of the kernel's; nil when it has none yet.
  func path(at place: String) -> String? { given.withValue { $0[place] } }

  /// The paths of the sensors that are there, each with the kernel's place and the lasting one.
  func distinct(_ sensors: [(place: String, lasting: String)]) -> [String] {
    given.withValue { given in
      var paths: [String: String] = [:]
      for sensor in sensors {
        guard let path = given[sensor.place],
          path == sensor.lasting || path.hasPrefix(sensor.lasting + "#")
        else { continue }
        paths[sensor.place] = path
      }
      var taken = Set(paths.values)
      for sensor in sensors where paths[sensor.place] == nil {
        var path = sensor.lasting
        var number = 1
        while !taken.insert(path).inserted {
          number += 1
          path = "\(sensor.lasting)#\(number)"
        }
        paths[sensor.place] = path
      }
      given = paths
      return sensors.map { paths[$0.place] ?? $0.lasting }
    }
  }
}
