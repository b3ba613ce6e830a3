internal import Locking

/// A storage that is gone with its object: for tests, and for what nobody needs tomorrow.
public final class MemoryStorage: EncodedStorage {
  /// Which places declare its keys, and who observes them.
  public let bookkeeping = KeyBookkeeping()
  /// By the key's bytes: texts that differ in how an accent is written are equal, and two keys.
  private let entries = Guarded<[[UInt8]: StoredEntry]>([:])

  /// Nothing is in it.
  public init() {}

  /// What is kept under a key.
  public func entry(forKey key: String) throws(StorageError) -> StoredEntry {
    entries.withValue { $0[Array(key.utf8)] ?? .absent }
  }

  /// Keeps an entry under a key.
  public func setEntry(
    _ entry: StoredEntry, forKey key: String, expecting expected: StoredEntry?
  ) throws(StorageError) -> Bool {
    let bytes = Array(key.utf8)
    let isKept = entries.withValue { entries in
      if let expected, expected != entries[bytes] ?? .absent { return false }
      entries[bytes] = entry
      return true
    }
    if isKept { bookkeeping.changed(key) }
    return isKept
  }

  /// The keys that have a value, sorted.
  public func keys() throws(StorageError) -> [String] {
    entries.withValue { entries in
      entries.compactMap { key, entry in
        if case .value = entry { key } else { nil }
      }
    }.asSortedKeys()
  }
}
