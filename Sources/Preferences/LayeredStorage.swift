/// Several storages, one over the other: what an administrator fixed, the user's, the machine's, defaults.
///
/// A value is read from the first layer that has one. It is written to the user's, and refused while the
/// administrator has fixed it. A layer that cannot be read as the type asked for is reported and passed
/// over, but for a fixed one: a value that was fixed is never replaced by the user's.
public final class LayeredStorage: KeyValueStorage {
  /// Where a value comes from, the strongest first.
  public enum Layer: Sendable, CaseIterable {
    /// Fixed by the administrator.
    case forced
    /// The user's own.
    case user
    /// The machine's, for all its users.
    case machine
    /// What the program brings.
    case defaults
  }

  /// Which places declare its keys, and who observes them.
  public let bookkeeping = KeyBookkeeping()
  private let layers: [(layer: Layer, storage: any KeyValueStorage)]
  private let user: any KeyValueStorage

  /// Puts storages over each other; nil leaves a layer out.
  public init(
    forced: (any KeyValueStorage)? = nil, user: any KeyValueStorage,
    machine: (any KeyValueStorage)? = nil, defaults: (any KeyValueStorage)? = nil
  ) {
    let all: [(Layer, (any KeyValueStorage)?)] = [
      (.forced, forced), (.user, user), (.machine, machine), (.defaults, defaults),
    ]
    layers = all.compactMap { layer, storage in storage.map { (layer, $0) } }
    self.user = user
  }

  /// The layer that a container's value comes from; nil when it is the container's default.
  ///
  /// A key that was renamed is looked for under its previous names too, once its container was used.
  public func layer(of key: String) throws(StorageError) -> Layer? {
    let previousKeys = bookkeeping.previousKeys(of: key)
    for (layer, storage) in layers {
      // Where the key stands for itself it may have been reset, and its previous names do not count.
      let isSettled = storage.bookkeeping.isSettled(storage.keyPrefix + key)
      for name in [key] + (isSettled ? [] : previousKeys) where try storage.contains(name) {
        return layer
      }
    }
    return nil
  }

  /// The value in the first layer that has one.
  public func value<T: Codable>(forKey key: String) throws(StorageError) -> T? {
    try value(forKey: key, previousKeys: [])
  }

  /// The value in the first layer that has one, each layer knowing the key's previous names.
  public func value<T: Codable>(
    forKey key: String, previousKeys: [String]
  ) throws(StorageError) -> T? {
    for (layer, storage) in layers {
      do {
        if let value: T = try storage.value(forKey: key, previousKeys: previousKeys) {
          return value
        }
      } catch {
        guard layer != .forced, case .undecodable = error else { throw error }
        StorageReport.failure(error).send()
      }
    }
    return nil
  }

  /// Writes to the user's layer.
  public func setValue<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
    try refuseForced(key)
    try user.setValue(value, forKey: key)
  }

  /// Changes the user's value by the one that holds now.
  public func updateValue<T: Codable>(
    forKey key: String, _ change: (T?) -> T?
  ) throws(StorageError) {
    try refuseForced(key)
    let below: T? = try value(forKey: key, previousKeys: bookkeeping.previousKeys(of: key))
    try user.updateValue(forKey: key) { (old: T?) in change(old ?? below) }
  }

  /// Migrates in each layer.
  public func migrateValue<T: Codable>(
    of type: T.Type, from previousKeys: [String], to key: String
  ) throws(StorageError) -> Bool {
    var isSettled = true
    for (_, storage) in layers {
      isSettled = try storage.migrateValue(of: type, from: previousKeys, to: key) && isSettled
    }
    return isSettled
  }

  /// Observes every layer; the handler may be called though the value that holds is the same.
  public func observe(
    _ key: String, _ handler: @escaping @Sendable () -> Void
  ) throws(StorageError) -> Observation {
    // The layers tell on threads of their own; through here it is one call at a time.
    let told = bookkeeping.observe(key, handler)
    var observations = [told]
    for (_, storage) in layers {
      observations.append(try storage.observe(key) { [bookkeeping] in bookkeeping.changed(key) })
    }
    return Observation { [observations] in
      for observation in observations { observation.cancel() }
    }
  }

  private func refuseForced(_ key: String) throws(StorageError) {
    if try layer(of: key) == .forced { throw .forced(key: key) }
  }
}
