internal import Preferences
internal import Varlink

/// The preferences on disk: one file for the machine and all users. For the storage thread.
struct StoredPreferences: Sendable {
  private static let machine = "machine/"
  private let path: String

  /// Those in a file, which is made when something is first set.
  init(path: String) {
    self.path = path
  }

  /// Everything that is stored. A value that cannot be read is reported and left out.
  func load() throws(StorageError) -> [PreferenceOwner: [String: JSON]] {
    var values: [PreferenceOwner: [String: JSON]] = [:]
    // While it is held the file stays open, which otherwise is opened, and looked through, for each.
    let all = PersistentStorage(path: path)
    defer { withExtendedLifetime(all) {} }
    for entry in try all.keys() {
      guard let (owner, name) = Self.parts(of: entry),
        let key = PreferenceKeys.key(named: name)
      else { continue }  // of another version
      do throws(StorageError) {
        values[owner, default: [:]][name] = try key.read(storage(of: owner))
      } catch {
        guard case .undecodable = error else { throw error }
        Journal.warning("\(error): the default is used", .storage)
      }
    }
    return values
  }

  /// Keeps a value, or with nil keeps none.
  func set(
    _ value: JSON?, _ key: AnyPreferenceKey, of owner: PreferenceOwner
  ) throws(StorageError) {
    try key.write(value, storage(of: owner))
  }

  private func storage(of owner: PreferenceOwner) -> PersistentStorage {
    PersistentStorage(path: path, keyPrefix: Self.prefix(of: owner))
  }

  private static func prefix(of owner: PreferenceOwner) -> String {
    switch owner {
    case .machine: machine
    case .user(let uid): "\(uid)/"
    }
  }

  private static func parts(of entry: String) -> (owner: PreferenceOwner, name: String)? {
    guard let slash = entry.firstIndex(of: "/") else { return nil }
    let name = String(entry[entry.index(after: slash)...])
    if entry.hasPrefix(machine) { return (.machine, name) }
    return UInt32(entry[..<slash]).map { (.user($0), name) }
  }
}
