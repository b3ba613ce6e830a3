public import BearingModel
public import Varlink

extension BearingClient {
  private static let preferencesInterface = "io.bearing.preferences"

  /// All preferences as they hold in a scope.
  public func preferences(
    scope: PreferenceScope = .user, patience: Duration = BearingClient.patience
  ) async throws(BearingError) -> [Preference] {
    try await call(
      "\(Self.preferencesInterface).List", ["scope": .string(scope.rawValue)],
      as: PreferenceList.self, patience: patience
    ).preferences
  }

  /// One preference as it holds in a scope.
  ///
  /// - Throws: `other` with the name `io.bearing.preferences.UnknownKey` when there is none of that key.
  public func preference(
    _ key: String, scope: PreferenceScope = .user
  ) async throws(BearingError) -> Preference {
    try await change("Get", ["key": .string(key)], scope)
  }

  /// Gives a scope a value of its own. The machine's is for root and the group bearing-admin.
  ///
  /// - Parameter value: of the key's type and within its range.
  /// - Returns: the preference as it holds then.
  /// - Throws: `other` with the name `…UnknownKey`, `…InvalidValue`, or `…Forced` when the administrator
  ///   has fixed the value; `denied` for the machine's.
  @discardableResult
  public func setPreference(
    _ key: String, to value: JSON, scope: PreferenceScope = .user
  ) async throws(BearingError) -> Preference {
    try await change("Set", ["key": .string(key), "value": .string("\(value)")], scope)
  }

  /// Takes a scope's own value away, so that its default holds.
  ///
  /// - Throws: as `setPreference`.
  @discardableResult
  public func resetPreference(
    _ key: String, scope: PreferenceScope = .user
  ) async throws(BearingError) -> Preference {
    try await change("Reset", ["key": .string(key)], scope)
  }

  /// The preferences of a scope: first all, then those that change.
  public func preferenceUpdates(
    scope: PreferenceScope = .user, heartbeat: Duration? = nil
  ) -> BearingStream<PreferenceList> {
    stream(
      "\(Self.preferencesInterface).Subscribe",
      Self.parameters([
        "scope": .string(scope.rawValue), "heartbeat": heartbeat.map { .milliseconds($0) },
      ]))
  }

  private func change(
    _ method: String, _ parameters: [String: JSON], _ scope: PreferenceScope
  ) async throws(BearingError) -> Preference {
    struct Reply: Decodable { var preference: Preference }
    return try await call(
      "\(Self.preferencesInterface).\(method)",
      .object(parameters.merging(["scope": .string(scope.rawValue)]) { $1 }), as: Reply.self
    ).preference
  }
}

/// Some or all preferences, as the daemon sent them together.
public struct PreferenceList: Sendable, Equatable, Decodable {
  /// In the order in which the daemon lists them.
  public var preferences: [Preference]
}
