internal import BearingModel

/// The daemon's preferences, each declared here and nowhere else.
enum PreferenceKeys {
  private static let day = 86_400_000  // milliseconds
  private static let hour = 3_600_000  // milliseconds
  private static let farthest = 1_000_000.0  // metres
  private static let longestSensorName = 128

  static let minInterval = PreferenceKey(
    .minInterval, .milliseconds(0...day), default: 0,
    "The least time between two fixes on a stream that does not say; 0 is no limit. A change acts at"
      + " once on the streams that are open.")

  static let distanceFilter = PreferenceKey(
    .distanceFilter, .metres(0...farthest), default: 0,
    "The least way between two fixes on a stream that does not say; 0 is no limit. A change acts at"
      + " once on the streams that are open.")

  static let heartbeat = PreferenceKey(
    .heartbeat, .milliseconds(0...hour), default: 0,
    "After how long without news a stream that does not say repeats itself; 0 is never. A change acts"
      + " at once on the streams that are open.")

  static let sensor = PreferenceKey(
    .sensor, .text(upTo: longestSensorName), default: nil,
    "The accelerometer for calls that name none, by its name, path or label, while it is there; null"
      + " lets the daemon choose. A change acts at once on the streams that are open.")

  static let coordinates = PreferenceKey(
    .coordinates, .word(["decimal", "dms", "utm", "maidenhead"]), default: "decimal",
    "How gpsctl writes a place.")

  static let units = PreferenceKey(
    .units, .word(["metric", "imperial", "nautical"]), default: "metric",
    "The units that gpsctl shows lengths and speeds in.")

  /// All of them, in the order in which they are listed.
  static let all: [AnyPreferenceKey] = [
    AnyPreferenceKey(minInterval), AnyPreferenceKey(distanceFilter), AnyPreferenceKey(heartbeat),
    AnyPreferenceKey(sensor), AnyPreferenceKey(coordinates), AnyPreferenceKey(units),
  ]

  /// The preference of that name; nil when there is none.
  static func key(named name: String) -> AnyPreferenceKey? { all.first { $0.name == name } }

  /// The names that `name` was probably meant to be, the likeliest first; its part behind the dot
  /// alone will do.
  static func nearest(to name: String) -> [String] {
    let names = Set(all.map(\.name))
    let byLastPart = Dictionary(names.map { (lastPart($0), [$0]) }, uniquingKeysWith: +)
    let near =
      nearestNames(to: name, in: names)
      + nearestNames(to: lastPart(name), in: Set(byLastPart.keys))
      .flatMap { (byLastPart[$0] ?? []).sorted() }
    return near.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private static func lastPart(_ name: String) -> String {
    name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
  }
}
