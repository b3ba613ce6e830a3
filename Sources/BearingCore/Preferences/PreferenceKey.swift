internal import BearingModel
internal import Preferences
internal import Varlink

/// One preference: its name, type, default and meaning.
struct PreferenceKey<Value: Codable & Sendable>: Sendable {
  let name: PreferenceName
  let type: PreferenceType<Value>
  /// The value while nobody has set one.
  let standard: Value
  /// What it decides, for people.
  let summary: String

  init(
    _ name: PreferenceName, _ type: PreferenceType<Value>, default standard: Value,
    _ summary: String
  ) {
    self.name = name
    self.type = type
    self.standard = standard
    self.summary = summary
  }

  /// The value kept in a storage, which has the daemon's other preferences too.
  fileprivate func container(in storage: any KeyValueStorage) -> KeyValueContainer<Value> {
    KeyValueContainer(storage: storage, key: name.rawValue, defaultValue: standard)
  }
}

/// A preference of whatever type, for what is the same for all of them.
struct AnyPreferenceKey: Sendable {
  let name: String
  let kind: String
  let unit: String?
  let expected: String
  let summary: String
  let standard: JSON
  /// The value as it is kept and shown; nil when it is none of the key's.
  let normalised: @Sendable (JSON) -> JSON?
  /// The value in a storage; nil when there is none.
  let read: @Sendable (any KeyValueStorage) throws(StorageError) -> JSON?
  /// Puts a value into a storage, or with nil takes it away.
  let write: @Sendable (JSON?, any KeyValueStorage) throws(StorageError) -> Void

  init<Value>(_ key: PreferenceKey<Value>) {
    let type = key.type
    name = key.name.rawValue
    kind = type.kind
    unit = type.unit
    expected = type.expected
    summary = key.summary
    standard = type.format(key.standard)
    normalised = { type.parse($0).map(type.format) }
    read = { storage throws(StorageError) in
      let container = key.container(in: storage)
      if try container.isDefault() { return nil }
      // What an older or newer version took for a value may be none of this one's.
      let json = type.format(try container.read())
      return type.parse(json).map(type.format)
    }
    write = { json, storage throws(StorageError) in
      let container = key.container(in: storage)
      if let value = json.flatMap(type.parse) {
        try container.write(value)
      } else {
        try container.reset()
      }
    }
  }

  /// The value of a text in a configuration file: JSON, or a text without its quotation marks.
  func value(ofText text: String) -> JSON? {
    if let json = try? JSON(parsing: Array(text.utf8)), let value = normalised(json) {
      return value
    }
    return normalised(.string(text))
  }

  /// The text that `value(ofText:)` reads as the value.
  func text(of value: JSON) -> String { value.string ?? "\(value)" }
}
