internal import Foundation
internal import Locking
public import Preferences
internal import SQLiteStore

/// A storage on Foundation's `UserDefaults`, for values that other code reads and writes there.
///
/// A value is kept as the property list that plain code would keep: a number, a string, a date, data, an
/// array, and a `Codable` structure as a dictionary of its properties; read is also a structure that
/// other code has put there as data, in JSON or as an encoded property list.
///
/// On Linux `UserDefaults` cuts and rewrites its file in place: killed at that moment, a program loses all
/// of its values, and several programs overwrite each other's. Use it to read and to hand over values;
/// `PersistentStorage` keeps them. Its file there has dates in whole seconds and 0 without a sign: a
/// date is rounded down as it is written, -0.0 is 0, and a date more than 1e16 s from 2001 is refused. nil
/// cannot be kept: as a value it takes the value away, and an array or a dictionary that has one, or the
/// text "$null", is refused. So are a number that is alone under "CF$UID", with which the file could not
/// be read any more, more than 64 arrays and dictionaries inside each other, which `UserDefaults` takes
/// ever longer for, and whole numbers of 128 bits.
public final class UserDefaultsStorage: KeyValueStorage {
  /// Where it keeps which keys were reset or migrated.
  private static let settledKey = "KeyValueStorage.settledKeys"

  /// Which places declare keys of the suite, and who observes them.
  public let bookkeeping: KeyBookkeeping
  private let suiteName: String?
  /// Held from reading to writing.
  private let writing = Guarded(())
  /// Tells when a file of the folder was touched; nil until somebody observes.
  private let watch = Guarded<FileWatch?>(nil)

  /// The defaults of a suite; nil is the program's own.
  ///
  /// The name is handed to Foundation as it is, which on Linux takes it for the path of the file, without
  /// `.plist`, from the user's configuration folder: choose one without slashes.
  public init(suiteName: String? = nil) {
    self.suiteName = suiteName
    bookkeeping = Self.books.withValue { books in
      let name = suiteName ?? ""
      let book = books[name] ?? KeyBookkeeping()
      books[name] = book
      return book
    }
  }

  deinit {
    watch.withValue { $0?.endThread() }
  }

  private static let books = Guarded<[String: KeyBookkeeping]>([:])

  /// The suite; made anew each time, as it may not be shared between threads.
  private func defaults() throws(StorageError) -> UserDefaults {
    guard let suiteName else { return .standard }
    guard let defaults = UserDefaults(suiteName: suiteName) else {
      throw .failed(attempt: "open the defaults of \(suiteName)", reason: "the name is not allowed")
    }
    return defaults
  }

  /// The value under a key.
  public func value<T: Codable>(forKey key: String) throws(StorageError) -> T? {
    try Self.value(forKey: key, in: defaults())
  }

  private static func value<T: Codable>(
    forKey key: String, in defaults: UserDefaults
  ) throws(StorageError) -> T? {
    guard let object = defaults.object(forKey: key) else { return nil }
    return try PropertyListValue.decode(object, key: key) as T
  }

  /// Puts a value under a key, and waits until the file has it.
  public func setValue<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
    try change(key) { defaults throws(StorageError) in try put(value, forKey: key, in: defaults) }
  }

  private func put<T: Codable>(
    _ value: T?, forKey key: String, in defaults: UserDefaults
  ) throws(StorageError) {
    let object = try value.flatMap { value throws(StorageError) in
      try PropertyListValue.encode(value, key: key)
    }
    if let object {
      defaults.set(object, forKey: key)
    } else {
      defaults.removeObject(forKey: key)
      settle(key, in: defaults)
    }
  }

  /// Changes a value; only those who use this object exclude each other.
  public func updateValue<T: Codable>(
    forKey key: String, _ change: (T?) -> T?
  ) throws(StorageError) {
    try self.change(key) { defaults throws(StorageError) in
      try put(change(try Self.value(forKey: key, in: defaults)), forKey: key, in: defaults)
    }
  }

  /// Takes over the value of the newest previous name that has one, unless this key was ever written,
  /// reset or migrated.
  public func migrateValue<T: Codable>(
    of type: T.Type, from previousKeys: [String], to key: String
  ) throws(StorageError) -> Bool {
    var isSettled = true
    try change(key) { defaults throws(StorageError) in
      let settled = settledKeys(defaults)
      if defaults.object(forKey: key) != nil || settled.contains(key) { return }
      for previous in previousKeys {
        let object = defaults.object(forKey: previous)
        guard object != nil || settled.contains(previous) else { continue }
        if let object { defaults.set(object, forKey: key) }
        settle(key, in: defaults)
        return
      }
      isSettled = false
    }
    return isSettled
  }

  /// Observes what is put under the key: through a storage at once; by plain code and by other programs
  /// once `UserDefaults` has written it to the file, which on Linux only `synchronize()` does.
  ///
  /// The notification of `UserDefaults` is not sent for a value on Linux, so the file is watched, on a
  /// thread that the first observer starts.
  public func observe(
    _ key: String, _ handler: @escaping @Sendable () -> Void
  ) throws(StorageError) -> Observation {
    try startWatching()
    return bookkeeping.observe(key, state: { [self] in state(of: key) }, handler)
  }

  private func startWatching() throws(StorageError) {
    try watch.withValue { (watch: inout sending FileWatch?) throws(StorageError) in
      guard watch == nil else { return }
      do throws(StoreError) {
        let new = try FileWatch(path: path)
        try new.startThread { [weak self] in self?.fileChanged() }
        watch = new
      } catch {
        throw .failed(
          attempt: "watch the defaults of \(suiteName ?? "the program")",
          reason: error.description)
      }
    }
  }

  /// Takes over what the file has, and tells of it.
  private func fileChanged() {
    writing.withValue { _ in _ = try? defaults().synchronize() }
    bookkeeping.mayHaveChanged()
  }

  /// Where Foundation keeps the suite on Linux.
  private var path: String {
    let process = ProcessInfo.processInfo
    let name = (suiteName ?? process.processName) + ".plist"
    if name.hasPrefix("/") { return name }
    if let folder = process.environment["XDG_CONFIG_HOME"], !folder.isEmpty {
      return "\(folder)/\(name)"
    }
    // NSHomeDirectory() is the user's own folder, also where HOME is another, which counts here.
    let home = process.environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
    return "\(home ?? NSHomeDirectory())/.config/\(name)"
  }

  private func state(of key: String) -> [UInt8]? {
    guard let object = try? defaults().object(forKey: key) else { return nil }
    return try? Array(
      PropertyListSerialization.data(fromPropertyList: [object], format: .xml, options: 0))
  }

  private func settledKeys(_ defaults: UserDefaults) -> [String] {
    defaults.stringArray(forKey: Self.settledKey) ?? []
  }

  private func settle(_ key: String, in defaults: UserDefaults) {
    let settled = settledKeys(defaults)
    if !settled.contains(key) { defaults.set(settled + [key], forKey: Self.settledKey) }
  }

  /// Changes a key alone, waits until the file has it, and tells the observers.
  private func change(
    _ key: String, _ body: (UserDefaults) throws(StorageError) -> Void
  ) throws(StorageError) {
    // Of every key: what other code has written meanwhile was not told.
    defer { bookkeeping.mayHaveChanged() }
    try writing.withValue { _ throws(StorageError) in
      let defaults = try defaults()
      let old = [key, Self.settledKey].map { ($0, defaults.object(forKey: $0)) }
      try body(defaults)
      guard defaults.synchronize() else {
        // What the file does not have would be read until the program's end, and be lost then.
        for (key, object) in old {
          if let object {
            defaults.set(object, forKey: key)
          } else {
            defaults.removeObject(forKey: key)
          }
        }
        throw .failed(
          attempt: "write the defaults of \(suiteName ?? "the program")",
          reason: "UserDefaults does not say why; is the disk full, or the folder not writable?")
      }
    }
  }
}
