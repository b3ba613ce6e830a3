import Foundation
import Preferences
import PreferencesUserDefaults

/// What keeps the writers' records.
enum Subject: String {
  case preferences, userDefaults

  /// Opens it for writing: a file for preferences, a suite's name for `UserDefaults`.
  func writer(_ place: String) throws -> (Record, String) throws -> Void {
    switch self {
    case .preferences:
      let storage = PersistentStorage(path: place)
      return { record, key in try whenFree { try storage.setValue(record, forKey: key) } }
    case .userDefaults:
      guard let defaults = UserDefaults(suiteName: place) else { throw Failure("no such suite") }
      return { record, key in
        defaults.set(try JSONEncoder().encode(record), forKey: key)
        guard defaults.synchronize() else { throw Failure("synchronize() failed") }
      }
    }
  }

  /// What another process finds under a key now; nil when there is nothing.
  func read(_ place: String, _ key: String) throws -> Record? {
    switch self {
    case .preferences:
      return try whenFree { try PersistentStorage(path: place).value(forKey: key) }
    case .userDefaults:
      guard let file = FileManager.default.contents(atPath: Self.file(ofSuite: place)) else {
        return nil
      }
      let list = try unsafe PropertyListSerialization.propertyList(from: file, format: nil)
      guard let values = list as? [String: Any] else { throw Failure("not a dictionary") }
      return try (values[key] as? Data).map { try JSONDecoder().decode(Record.self, from: $0) }
    }
  }

  /// Tries again what another process kept waiting for longer than a storage waits, as the error advises:
  /// where a disk takes a second for a commit, three who write without pause can do that.
  private func whenFree<Result>(_ body: () throws -> Result) throws -> Result {
    for _ in 1..<Self.mostTries {
      do { return try body() } catch StorageError.busy {}
    }
    return try body()
  }

  /// Of 10 s each.
  private static let mostTries = 12

  /// Where Foundation on Linux keeps a suite.
  static func file(ofSuite name: String) -> String {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"] ?? NSHomeDirectory()
    return (environment["XDG_CONFIG_HOME"] ?? home + "/.config") + "/\(name).plist"
  }
}

struct Failure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
