/// One key of the configuration: where its value goes, what it may be, and what it means.
struct ConfigurationKey: Sendable {
  /// When a change of the key's value takes effect.
  enum Change: Sendable {
    /// At once, on `systemctl reload`.
    case onReload
    /// When the daemon starts anew.
    case onRestart
  }

  /// Without brackets.
  let section: String
  /// For a family such as `User.NAME`, ends in `.NAME`.
  let name: String
  /// What an error says was expected.
  let expected: String
  /// What the key decides, for the file and the manual.
  let summary: String
  let change: Change
  /// Sets the value from text, empty for the default; false when the text is no such value. The name
  /// is what stands for `NAME` in a family.
  let assign: @Sendable (inout Configuration, _ name: String, _ text: String) -> Bool
  /// The value as it is written; nil for a family.
  let text: @Sendable (Configuration) -> String?
  /// Takes the value over from another configuration.
  let copy: @Sendable (_ from: Configuration, _ to: inout Configuration) -> Void
  /// Whether both have the same value.
  let isEqual: @Sendable (Configuration, Configuration) -> Bool

  /// A key of one value.
  init<Value: Sendable & Equatable>(
    _ section: String, _ name: String,
    _ path: any WritableKeyPath<Configuration, Value> & Sendable,
    _ value: ConfigurationValue<Value>, _ change: Change, _ summary: String
  ) {
    self.section = section
    self.name = name
    self.expected = value.expected
    self.summary = summary
    self.change = change
    assign = { configuration, _, text in
      guard let parsed = text.isEmpty ? Configuration()[keyPath: path] : value.parse(text) else {
        return false
      }
      configuration[keyPath: path] = parsed
      return true
    }
    self.text = { value.format($0[keyPath: path]) }
    copy = { from, to in to[keyPath: path] = from[keyPath: path] }
    isEqual = { $0[keyPath: path] == $1[keyPath: path] }
  }

  /// A key of one value that may be absent, which is written as nothing.
  init<Value: Sendable & Equatable>(
    _ section: String, _ name: String,
    optional path: any WritableKeyPath<Configuration, Value?> & Sendable,
    _ value: ConfigurationValue<Value>, _ change: Change, _ summary: String
  ) {
    self.init(section, name, path, value.optional, change, summary)
  }

  /// A family of access rules, one for each name; an empty text takes a rule away.
  init(
    _ section: String, rules name: String,
    _ path: any WritableKeyPath<Configuration, [AccessSettings.Rule]> & Sendable,
    _ change: Change, _ summary: String
  ) {
    let value = ConfigurationValue<Precision>.word
    self.section = section
    self.name = name
    self.expected = value.expected
    self.summary = summary
    self.change = change
    assign = { configuration, name, text in
      var rules = configuration[keyPath: path]
      let place = rules.firstIndex { $0.name == name }
      if text.isEmpty {
        if let place { rules.remove(at: place) }
      } else if let precision = value.parse(text) {
        let rule = AccessSettings.Rule(name: name, precision: precision)
        if let place { rules[place] = rule } else { rules.append(rule) }
      } else {
        return false
      }
      configuration[keyPath: path] = rules
      return true
    }
    self.text = { _ in nil }
    copy = { from, to in to[keyPath: path] = from[keyPath: path] }
    isEqual = { $0[keyPath: path] == $1[keyPath: path] }
  }

  /// A preference that is fixed for all users while it has a value here.
  init(fixing key: AnyPreferenceKey) {
    let name = key.name
    section = "Preferences"
    self.name = name
    expected = key.expected
    summary = "For all users, while it has a value here: " + key.summary
    change = .onReload
    assign = { configuration, _, text in
      let value = text.isEmpty ? nil : key.value(ofText: text)
      guard text.isEmpty || value != nil else { return false }
      configuration.preferences[name] = value
      return true
    }
    text = { $0.preferences[name].map(key.text) ?? "" }
    copy = { from, to in to.preferences[name] = from.preferences[name] }
    isEqual = { $0.preferences[name] == $1.preferences[name] }
  }

  /// What stands for `NAME` when `key` is this key: empty for a key of one value, nil for another key.
  func match(_ key: String) -> String? {
    let family = ".NAME"
    guard name.hasSuffix(family) else { return key == name ? "" : nil }
    let prefix = name.dropLast(family.count - 1)
    return key.hasPrefix(prefix) && key.count > prefix.count
      ? String(key.dropFirst(prefix.count)) : nil
  }
}
