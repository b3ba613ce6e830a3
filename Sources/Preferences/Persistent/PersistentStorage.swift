internal import FoundationEssentials
internal import Locking

/// A storage in a file, kept through crashes and power losses and shared with other processes.
///
/// A `set` that has returned is on the disk, whole; one that was interrupted has not happened. `standard`
/// is the one that everybody shares, and there may be more for whoever needs them. Making one touches no
/// file: it is opened at first use, and made at the first write.
///
/// The file is an SQLite database in the mode that keeps most through a power loss, with one table
/// `preferences` of keys and JSON values.
public final class PersistentStorage: EncodedStorage {
  /// Who may read the file, when it is made.
  public enum Readers: Sendable {
    /// Its owner alone.
    case owner
    /// Everybody on the machine.
    case everybody
  }

  /// The one that the whole program shares: its own name, no prefix.
  public static let standard = PersistentStorage()

  /// The file.
  public var path: String { file.path }
  /// What is put before every key.
  public let keyPrefix: String
  private let file: PreferenceFile

  /// A storage by name.
  ///
  /// - Parameters:
  ///   - suiteName: The file's name without `.preferences`; nil is the program's own. It is in the folder
  ///     of the environment's `STATE_DIRECTORY` (a systemd service's own), else in the user's
  ///     `XDG_CONFIG_HOME` or `~/.config`. A slash in it is taken for a dash.
  ///   - keyPrefix: What is put before every key, for a part of a program that has its own names.
  public convenience init(suiteName: String? = nil, keyPrefix: String = "") {
    let process = ProcessInfo.processInfo
    self.init(
      path: PreferenceLocation.path(
        suiteName: suiteName ?? process.processName, environment: process.environment,
        home: URL.homeDirectory.path),
      keyPrefix: keyPrefix)
  }

  /// A storage by its file.
  ///
  /// - Parameters:
  ///   - path: The file, which is to be this storage's alone: one that is no database there is taken
  ///     for damaged and set aside. Its folder is made with it.
  ///   - keyPrefix: What is put before every key.
  ///   - readers: Who may read the file, if this process makes it.
  public init(path: String, keyPrefix: String = "", readers: Readers = .owner) {
    self.keyPrefix = keyPrefix
    // By the folder of now: a daemon that goes to another has the same file still.
    let folder = FileManager.default.currentDirectoryPath
    let isWhole = path.utf8.first == UInt8(ascii: "/") || folder.isEmpty
    file = Self.shared(
      isWhole ? path : "\(folder)/\(path)", permissions: readers == .owner ? 0o600 : 0o644)
  }

  /// Which places declare keys in the file, and who observes them.
  public var bookkeeping: KeyBookkeeping { file.bookkeeping }

  /// What is kept under a key.
  public func entry(forKey key: String) throws(StorageError) -> StoredEntry {
    try file.entry(forKey: keyPrefix + key)
  }

  /// Keeps an entry under a key.
  public func setEntry(
    _ entry: StoredEntry, forKey key: String, expecting expected: StoredEntry?
  ) throws(StorageError) -> Bool {
    try file.setEntry(entry, forKey: keyPrefix + key, expecting: expected)
  }

  /// The keys with this storage's prefix that have a value, without it, sorted.
  public func keys() throws(StorageError) -> [String] {
    try file.keys().compactMap { $0.withoutStart(keyPrefix) }
  }

  /// Observes a key: changes by this process on the thread that makes them, those by others on a thread
  /// that is started for it, unless `changeDescriptor` was asked for before.
  public func observe(
    _ key: String, _ handler: @escaping @Sendable () -> Void
  ) throws(StorageError) -> Observation {
    try file.watchOnThread()
    let file = file
    let observation = bookkeeping.observe(keyPrefix + key, state: state(of: key), handler)
    // The file, with its watching, lives as long as somebody observes.
    return Observation { withExtendedLifetime(file) { observation.cancel() } }
  }

  /// For a program with an event loop, which wants no thread: what to wait on for changes by others.
  ///
  /// When it is readable call `processChanges`, on whichever thread the observers are to be called on.
  /// To be asked for before anything of the file is observed.
  public func changeDescriptor() throws(StorageError) -> Int32 {
    try file.changeDescriptor()
  }

  /// Calls the observers of what others have changed.
  public func processChanges() {
    file.processChanges()
  }

  // MARK: - One file, one connection

  private struct WeakFile {
    weak var file: PreferenceFile?
  }

  private static let files = Guarded<[String: WeakFile]>([:])

  /// The one of this process for the path: SQLite's locks belong to processes.
  private static func shared(_ path: String, permissions: UInt32) -> PreferenceFile {
    files.withValue { files in
      if let file = files[path]?.file { return file }
      files = files.filter { $0.value.file != nil }
      let file = PreferenceFile(path: path, permissions: permissions)
      files[path] = WeakFile(file: file)
      return file
    }
  }
}
