import Foundation
import Preferences
import PreferencesUserDefaults
import TestSupport

/// A structure as programs keep them.
struct Place: Codable, Equatable, Sendable {
  var name: String
  var latitude: Double
  var visits: Int64
  var note: String?
  var tags: [String: [Int]]

  static let zurich = Place(
    name: "Zürich \"am\" See\n🧭", latitude: 47.376_886_3, visits: 9_007_199_254_740_993, note: nil,
    tags: ["a": [1, 2], "": []])
}

/// The storages that a value can be written to.
enum StorageKind: String, CaseIterable, Sendable {
  case memory, persistent, layered, userDefaults, secret, plain

  /// Those that work here: a sandbox may keep processes from the kernel's keyrings.
  static let available: [StorageKind] = allCases.filter { $0 != .secret || keyringWorks }

  static let keyringWorks: Bool = {
    let storage = SecretStorage(service: "bearing-test-probe", keyring: .process)
    return (try? storage.setValue(1, forKey: "probe")) != nil
  }()

  /// A new and empty one, for as long as the object lives.
  func make() throws -> SampleStorage {
    let folder = try TemporaryFolder()
    let name = "bearing-test-\(UUID().uuidString)"
    let storage: any KeyValueStorage =
      switch self {
      case .memory: MemoryStorage()
      case .persistent: PersistentStorage(path: folder.path + "/a.preferences", keyPrefix: "p.")
      case .layered:
        LayeredStorage(
          forced: MemoryStorage(), user: MemoryStorage(), machine: MemoryStorage(),
          defaults: MemoryStorage())
      case .userDefaults: UserDefaultsStorage(suiteName: name)
      case .secret:
        SecretStorage(service: name, keyring: .process, credentialsFolder: folder.path)
      case .plain: PlainStorage()
      }
    return SampleStorage(storage: storage, folder: folder, name: name)
  }
}

final class SampleStorage: Sendable {
  let storage: any KeyValueStorage
  let folder: TemporaryFolder
  let name: String

  init(storage: any KeyValueStorage, folder: TemporaryFolder, name: String) {
    self.storage = storage
    self.folder = folder
    self.name = name
  }

  /// Makes `UserDefaults` read again what its file has, as another program would and as any other use of
  /// `UserDefaults` in this one may: it forgets what it has in memory when there is nothing to write.
  func readAnew() {
    if storage is UserDefaultsStorage { UserDefaults(suiteName: name)?.synchronize() }
  }

  deinit {
    if storage is UserDefaultsStorage {
      UserDefaults.standard.removePersistentDomain(forName: name)
      UserDefaultsFile.remove(name)
    }
    if storage is SecretStorage { Keyrings.forget(name) }
  }
}

/// Where Foundation keeps a suite's values on Linux.
enum UserDefaultsFile {
  static func path(_ suiteName: String) -> String {
    let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
    let home = environment["HOME"] ?? NSHomeDirectory()
    return "\(environment["XDG_CONFIG_HOME"] ?? home + "/.config")/\(suiteName).plist"
  }

  static func remove(_ suiteName: String) {
    try? FileManager.default.removeItem(atPath: path(suiteName))
  }
}

/// A storage of someone else's, with no more than the protocol asks for.
final class PlainStorage: KeyValueStorage {
  let bookkeeping = KeyBookkeeping()
  private let values = Box()

  func value<T: Codable>(forKey key: String) throws(StorageError) -> T? {
    guard let data = values[key] else { return nil }
    do {
      return try JSONDecoder().decode(T.self, from: data)
    } catch {
      throw .undecodable(key: key, type: "\(T.self)", reason: "\(error)")
    }
  }

  func setValue<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
    do {
      values[key] = try value.map { try JSONEncoder().encode($0) }
    } catch {
      throw .unencodable(key: key, reason: "\(error)")
    }
    bookkeeping.changed(key)
  }
}

/// Values behind a lock.
private final class Box: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [String: Data] = [:]

  subscript(key: String) -> Data? {
    get { lock.withLock { values[key] } }
    set { lock.withLock { values[key] = newValue } }
  }
}

/// What an observer has heard.
final class Seen<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var values: [Value] = []

  var all: [Value] {
    condition.withLock { values }
  }

  func add(_ value: Value) {
    condition.withLock {
      values.append(value)
      condition.broadcast()
    }
  }

  /// Waits until what it has heard is so; false after 30 s.
  func wait(until isSo: ([Value]) -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 30)
    return condition.withLock {
      while !isSo(values) {
        if !condition.wait(until: deadline) { return false }
      }
      return true
    }
  }
}
