/// What is kept under a key, encoded.
public enum StoredEntry: Sendable, Equatable {
  /// Nothing: it was never written.
  case absent
  /// Nothing: it was written and then reset, so that no previous name of the key counts any more.
  case reset
  /// A value's JSON, in UTF-8.
  case value([UInt8])
}

/// A storage that keeps bytes: values are written to it as JSON.
///
/// It gives the typed half of `KeyValueStorage`; what remains is to keep entries.
public protocol EncodedStorage: KeyValueStorage {
  /// What is kept under a key.
  func entry(forKey key: String) throws(StorageError) -> StoredEntry

  /// Keeps an entry under a key and tells its observers.
  ///
  /// - Parameter expected: Does nothing unless this is what is kept now, with nothing in between; nil
  ///   for whatever is.
  /// - Returns: Whether it was kept.
  func setEntry(
    _ entry: StoredEntry, forKey key: String, expecting expected: StoredEntry?
  ) throws(StorageError) -> Bool

  /// The keys that have a value, sorted by their bytes.
  func keys() throws(StorageError) -> [String]
}

extension EncodedStorage {
  /// Tries of `updateValue` before it says that the key is busy.
  private static var mostTries: Int { 10_000 }

  /// Reads the JSON under the key.
  public func value<T: Codable>(forKey key: String) throws(StorageError) -> T? {
    guard case .value(let bytes) = try entry(forKey: key) else { return nil }
    // As T, which may be an optional itself: an optional's nil is a value too.
    return try JSONValue.decode(bytes, key: key) as T
  }

  /// Writes the value as JSON.
  public func setValue<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
    let entry = try value.map { value throws(StorageError) in
      StoredEntry.value(try JSONValue.encode(value, key: key))
    }
    _ = try setEntry(entry ?? .reset, forKey: key, expecting: nil)
  }

  /// Reads, and writes if nobody else wrote meanwhile; else again.
  public func updateValue<T: Codable>(
    forKey key: String, _ change: (T?) -> T?
  ) throws(StorageError) {
    try updateValue(forKey: key, orElse: { () throws(StorageError) in nil }, change)
  }

  /// The same, where another value counts while there is no entry.
  func updateValue<T: Codable>(
    forKey key: String, orElse other: () throws(StorageError) -> T?, _ change: (T?) -> T?
  ) throws(StorageError) {
    for _ in 0..<Self.mostTries {
      let old = try entry(forKey: key)
      let value: T?
      if case .value(let bytes) = old {
        value = try JSONValue.decode(bytes, key: key) as T
      } else {
        value = try other()
      }
      let new = try change(value).map { value throws(StorageError) in
        StoredEntry.value(try JSONValue.encode(value, key: key))
      }
      if try setEntry(new ?? .reset, forKey: key, expecting: old) { return }
    }
    throw .busy(attempt: "update \"\(key)\"", reason: "others change it all the time")
  }

  /// Takes over the entry of the newest previous name that was ever written or reset.
  public func migrateValue<T: Codable>(
    of type: T.Type, from previousKeys: [String], to key: String
  ) throws(StorageError) -> Bool {
    if try entry(forKey: key) != .absent { return true }
    for previous in previousKeys {
      let old = try entry(forKey: previous)
      guard old != .absent else { continue }
      // Whoever was first has settled it.
      _ = try setEntry(old, forKey: key, expecting: .absent)
      return true
    }
    return false
  }

  /// Observes what is kept, and tells only of what differs from what was there.
  public func observe(
    _ key: String, _ handler: @escaping @Sendable () -> Void
  ) throws(StorageError) -> Observation {
    bookkeeping.observe(keyPrefix + key, state: state(of: key), handler)
  }

  /// What is kept under the key, for telling whether it changed.
  func state(of key: String) -> @Sendable () -> [UInt8]? {
    {
      guard case .value(let bytes)? = try? entry(forKey: key) else { return nil }
      return bytes
    }
  }
}

extension Sequence<[UInt8]> {
  /// Keys that are given by their bytes: each once, and sorted by them.
  func asSortedKeys() -> [String] {
    Set(self).sorted { $0.lexicographicallyPrecedes($1) }
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
