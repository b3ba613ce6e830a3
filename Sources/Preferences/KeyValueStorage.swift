/// A place that keeps values under keys: a file, memory, a keyring, or several of them in layers.
///
/// A storage of your own needs the first three requirements; the rest has defaults, each with the limits
/// named at it. Every call is synchronous and may be made on any thread.
///
/// The library's storages tell keys apart by their bytes in UTF-8: an "é" of one code point and one of two
/// are two keys, though Swift holds the texts equal.
public protocol KeyValueStorage: Sendable {
  /// The value under a key; nil when there is none.
  func value<T: Codable>(forKey key: String) throws(StorageError) -> T?

  /// Puts a value under a key, or with nil takes away what is there.
  ///
  /// When it returns the storage has it, as durably as that kind of storage keeps things. When it throws,
  /// the old value is there still.
  func setValue<T: Codable>(_ value: T?, forKey key: String) throws(StorageError)

  /// Which places declare this storage's keys, and who observes them.
  var bookkeeping: KeyBookkeeping { get }

  /// What is put before every key of this storage; by default nothing.
  var keyPrefix: String { get }

  /// Changes a value by what it is now, such that no change by others in between is lost.
  ///
  /// By default it reads and writes, and is as safe as others who write the key leave it to be. The
  /// library's storages call `change` again when the value changed meanwhile, so it should do nothing
  /// but compute.
  func updateValue<T: Codable>(
    forKey key: String, _ change: (T?) -> T?
  ) throws(StorageError)

  /// Gives a key the value of the first of its previous names that has one, if it has none of its own.
  ///
  /// By default a reset key takes the previous one's value again; the library's storages remember that it
  /// was reset. A previous key stays as it is, for older versions of the program.
  ///
  /// - Parameter previousKeys: Newest first.
  /// - Returns: Whether the key stands for itself from now on, so that this need not be called again.
  func migrateValue<T: Codable>(
    of type: T.Type, from previousKeys: [String], to key: String
  ) throws(StorageError) -> Bool

  /// The value under a key, or in a storage that cannot be written under the first of its previous names
  /// that has one.
  func value<T: Codable>(
    forKey key: String, previousKeys: [String]
  ) throws(StorageError) -> T?

  /// Calls the handler after the value of the key may have changed, until the observation is cancelled
  /// or let go of.
  ///
  /// By default it tells of changes through containers on this storage object alone.
  func observe(
    _ key: String, _ handler: @escaping @Sendable () -> Void
  ) throws(StorageError) -> Observation
}

extension KeyValueStorage {
  /// Nothing.
  public var keyPrefix: String { "" }

  /// Reads, changes and writes.
  public func updateValue<T: Codable>(
    forKey key: String, _ change: (T?) -> T?
  ) throws(StorageError) {
    try setValue(change(try value(forKey: key)), forKey: key)
  }

  /// Copies the first value that a previous key has.
  public func migrateValue<T: Codable>(
    of type: T.Type, from previousKeys: [String], to key: String
  ) throws(StorageError) -> Bool {
    if try contains(key) { return true }
    for previous in previousKeys {
      if let old: T = try value(forKey: previous) {
        try setValue(old, forKey: key)
        return true
      }
    }
    return false
  }

  /// Migrates, or where that is not allowed looks under each name in turn.
  public func value<T: Codable>(
    forKey key: String, previousKeys: [String]
  ) throws(StorageError) -> T? {
    guard !previousKeys.isEmpty else { return try value(forKey: key) }
    bookkeeping.rename(keyPrefix + key, from: previousKeys)
    do {
      if !bookkeeping.isSettled(keyPrefix + key),
        try migrateValue(of: T.self, from: previousKeys, to: key)
      {
        bookkeeping.settle(keyPrefix + key)
      }
    } catch .readOnly {
      for name in [key] + previousKeys {
        if let found: T = try value(forKey: name) { return found }
      }
    }
    return try value(forKey: key)
  }

  /// Observes the changes that containers on this object make.
  public func observe(
    _ key: String, _ handler: @escaping @Sendable () -> Void
  ) throws(StorageError) -> Observation {
    bookkeeping.observe(keyPrefix + key, handler)
  }

  /// Whether there is a value of any type under the key.
  public func contains(_ key: String) throws(StorageError) -> Bool {
    do {
      let found: AnyValue? = try value(forKey: key)
      return found != nil
    } catch .undecodable {
      return true
    }
  }
}

extension String {
  /// What is behind a start; nil when the text begins otherwise.
  ///
  /// By bytes: a mark that combines with the start's last letter would hide the start from `hasPrefix`.
  func withoutStart(_ start: String) -> String? {
    guard utf8.starts(with: start.utf8) else { return nil }
    return String(decoding: utf8.dropFirst(start.utf8.count), as: UTF8.self)
  }
}

/// Reads as anything that is there.
private struct AnyValue: Codable {
  init(from decoder: any Decoder) {}
  func encode(to encoder: any Encoder) {}
}
