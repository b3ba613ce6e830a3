// What a program prefers: declared once, kept through crashes, the administrator's word last.
import Preferences

/// How distances are shown.
enum Units: String, Codable, Sendable {
  case metric, imperial
}

extension KeyValueStorage {
  /// How often the program was started.
  var launchCount: KeyValueContainer<Int> { makeContainer(default: 0) }

  /// The user's choice of units.
  var units: KeyValueContainer<Units> { makeContainer(default: .metric) }

  /// What to call the user; nil until we are told.
  var nickname: KeyValueContainer<String?> { makeContainer() }

  /// Seconds between two looks; was called `refresh` before version 2.
  var refreshInterval: KeyValueContainer<Double> {
    makeContainer(previousKeys: ["refresh"], default: 5)
  }
}

let preferences = LayeredStorage(
  forced: PersistentStorage(path: "/etc/example/forced.preferences"),
  user: PersistentStorage.standard,
  machine: PersistentStorage(path: "/etc/example/machine.preferences"))

do throws(StorageError) {
  let starts = try preferences.launchCount.update { $0 += 1 }
  print("started \(starts) times, in \(preferences.units.value) units")

  let observation = try preferences.nickname.observe { name in
    print("hello, \(name ?? "stranger")")
  }
  if let name = CommandLine.arguments.dropFirst().first {
    try preferences.nickname.write(name)
  }
  observation.cancel()
} catch .forced(let key) {
  print("the administrator has fixed \(key)")
} catch {
  print(error)
}
