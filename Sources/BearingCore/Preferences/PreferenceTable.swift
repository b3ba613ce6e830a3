internal import BearingModel
internal import Varlink

/// Whose values they are.
enum PreferenceOwner: Sendable, Hashable {
  case machine
  case user(UInt32)
}

/// All preferences that somebody has set, and which of them hold for whom. It does no input or output.
///
/// What the administrator has fixed comes first, then a user's own, then the machine's, then the
/// declared defaults.
struct PreferenceTable: Sendable {
  /// Users who may have preferences: what a machine with as many has to spare for them.
  static let userLimit = 4096

  private var forced: [String: JSON]
  private var values: [PreferenceOwner: [String: JSON]]

  /// A table of what the configuration fixes and what was stored.
  init(forced: [String: JSON] = [:], values: [PreferenceOwner: [String: JSON]] = [:]) {
    self.forced = forced
    self.values = values
  }

  /// Takes over what the configuration fixes now.
  mutating func force(_ forced: [String: JSON]) { self.forced = forced }

  /// Takes over what was stored.
  mutating func fill(_ values: [PreferenceOwner: [String: JSON]]) { self.values = values }

  /// Gives `owner` a value of its own, or with nil takes it away.
  mutating func set(_ value: JSON?, _ key: String, of owner: PreferenceOwner) {
    values[owner, default: [:]][key] = value
    if values[owner]?.isEmpty ?? false { values[owner] = nil }
  }

  /// Whether the administrator has fixed the key's value.
  func isForced(_ key: String) -> Bool { forced[key] != nil }

  /// The owner's own value; nil when it has none.
  func own(_ key: String, of owner: PreferenceOwner) -> JSON? { values[owner]?[key] }

  /// Whether `owner` may have values, being one of those who have some or not being too many.
  func hasRoom(for owner: PreferenceOwner) -> Bool {
    if owner == .machine || values[owner] != nil { return true }
    return values.count - (values[.machine] == nil ? 0 : 1) < Self.userLimit
  }

  /// What holds for `owner`, and why.
  func preference(_ key: AnyPreferenceKey, for owner: PreferenceOwner) -> Preference {
    let own = own(key.name, of: owner)
    let below = (owner == .machine ? nil : self.own(key.name, of: .machine)) ?? key.standard
    return Preference(
      key: key.name, kind: key.kind, unit: key.unit,
      value: "\(forced[key.name] ?? own ?? below)", defaultValue: "\(below)",
      isDefault: own == nil, forced: isForced(key.name), expected: key.expected,
      description: key.summary)
  }

  /// Every preference as it holds for `owner`.
  func preferences(of owner: PreferenceOwner) -> [Preference] {
    PreferenceKeys.all.map { preference($0, for: owner) }
  }

  /// The value that holds for a user.
  func value<Value>(_ key: PreferenceKey<Value>, for uid: UInt32) -> Value {
    let name = key.name.rawValue
    let json = forced[name] ?? own(name, of: .user(uid)) ?? own(name, of: .machine)
    return json.flatMap(key.type.parse) ?? key.standard
  }

  /// What the streams of a user go by.
  func streams(of uid: UInt32) -> StreamPreferences {
    StreamPreferences(
      minInterval: Int64(value(PreferenceKeys.minInterval, for: uid)) * Nanoseconds.millisecond,
      distanceFilter: value(PreferenceKeys.distanceFilter, for: uid),
      heartbeat: Int64(value(PreferenceKeys.heartbeat, for: uid)) * Nanoseconds.millisecond,
      sensor: value(PreferenceKeys.sensor, for: uid))
  }
}
