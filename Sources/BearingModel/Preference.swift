/// Every preference that the daemon knows, by its key.
public enum PreferenceName: String, Sendable, CaseIterable {
  /// Milliseconds between two fixes, for streams that leave it out.
  case minInterval = "location.minInterval"
  /// Metres between two fixes, for streams that leave it out.
  case distanceFilter = "location.distanceFilter"
  /// Milliseconds of silence after which a stream that leaves it out repeats itself.
  case heartbeat = "stream.heartbeat"
  /// The sensor for calls that name none.
  case sensor = "acceleration.sensor"
  /// How places are written for people.
  case coordinates = "display.coordinates"
  /// The units that lengths and speeds are shown in.
  case units = "display.units"
}

/// Whose preferences are meant.
public enum PreferenceScope: String, Sendable, CaseIterable {
  /// The caller's user's own.
  case user
  /// The machine's, for users who have none of their own.
  case machine
}

/// One preference as it holds in a scope.
public struct Preference: Sendable, Equatable, Codable {
  /// Its name.
  public var key: String
  /// integer, number, word or text.
  public var kind: String
  /// The unit of a number: ms or m; nil where there is none.
  public var unit: String?
  /// The value that holds, as JSON text.
  public var value: String
  /// The value that holds in the scope when it has none of its own, as JSON text.
  public var defaultValue: String
  /// Whether the scope has no value of its own.
  public var isDefault: Bool
  /// Whether the administrator has fixed the value.
  public var forced: Bool
  /// What values it may have, in words.
  public var expected: String
  /// What it decides, in words.
  public var description: String

  /// A preference as given.
  public init(
    key: String, kind: String, unit: String?, value: String, defaultValue: String, isDefault: Bool,
    forced: Bool, expected: String, description: String
  ) {
    self.key = key
    self.kind = kind
    self.unit = unit
    self.value = value
    self.defaultValue = defaultValue
    self.isDefault = isDefault
    self.forced = forced
    self.expected = expected
    self.description = description
  }
}

extension Preference: WireWritable {
  /// Writes the wire's `Preference`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("key", key)
      writer.member("kind", kind)
      writer.member("unit", unit)
      writer.member("value", value)
      writer.member("defaultValue", defaultValue)
      writer.member("isDefault", isDefault)
      writer.member("forced", forced)
      writer.member("expected", expected)
      writer.member("description", description)
    }
  }
}
