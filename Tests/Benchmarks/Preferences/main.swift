// How many values a second are kept and read: PersistentStorage, Foundation's UserDefaults, plain SQLite.
//
// All in one run, in turn, in rounds of which the best counts; files in a folder of TMPDIR. Run it with
// `swift run -c release benchmark-preferences`.
import Foundation
import Preferences
import PreferencesUserDefaults
import SQLiteStore

/// Something measured: it is done once for each number.
struct Measurement {
  var name: String
  /// What has reached the disk when it returns.
  var promise: String
  var body: (Int) throws -> Void
}

/// Rounds of each measurement; the best counts, since whatever else runs can only slow it down.
let rounds = 40
/// How long a round of one measurement takes, in seconds.
let roundTime = Duration.milliseconds(100)

func perSecond(_ measurement: Measurement) throws -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  var count = 0
  var elapsed = Duration.zero
  repeat {
    for _ in 0..<8 {
      try measurement.body(count)
      count += 1
    }
    elapsed = clock.now - start
  } while elapsed < roundTime
  return Double(count) / (elapsed / .seconds(1))
}

func show(_ title: String, _ measurements: [Measurement]) throws {
  var results = measurements.map { _ in [Double]() }
  for _ in 0..<rounds {
    for (index, measurement) in measurements.enumerated() {
      results[index].append(try perSecond(measurement))
    }
  }
  print("| \(title) | a second | kept when it returns |\n|---|---|---|")
  for (measurement, result) in zip(measurements, results) {
    let best = result.max() ?? 0
    print("| \(measurement.name) | \(Int(best.rounded())) | \(measurement.promise) |")
  }
  print("")
}

struct Place: Codable {
  var name = "Zürich"
  var latitude = 47.3768863
  var longitude = 8.541694
  var tags = ["lake", "city"]
}

func run() throws {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "preferences-\(UUID().uuidString)"
  ).path
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let suite = "benchmark-\(UUID().uuidString)"
  guard let defaults = UserDefaults(suiteName: suite) else { return }
  defer {
    defaults.removePersistentDomain(forName: suite)
    _ = defaults.synchronize()
  }
  let storage = PersistentStorage(path: folder + "/a.preferences")
  let count = KeyValueContainer(storage: storage, key: "count", defaultValue: 0)
  let place = KeyValueContainer(storage: storage, key: "place", defaultValue: Place())
  // Values as a program has them.
  for number in 0..<50 {
    try storage.setValue("value \(number)", forKey: "key \(number)")
    defaults.set("value \(number)", forKey: "key \(number)")
  }
  try place.write(Place())
  defaults.set(try JSONEncoder().encode(Place()), forKey: "place")

  /// The same table, asked by prepared statements and nothing else.
  func plain(_ name: String, _ settings: String) throws -> (set: Measurement, get: Measurement) {
    let schema = "CREATE TABLE t (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"
    let table = try PlainTable(path: "\(folder)/\(name).db", "\(settings); \(schema)")
    for number in 0..<50 { try table.set("key \(number)", "value \(number)") }
    return (
      Measurement(name: "SQLite, \(name)", promise: "all of it") {
        try table.set("count", "\($0)")
      },
      Measurement(name: "SQLite, \(name)", promise: "") { _ in _ = try table.get("count") }
    )
  }
  let truncate = try plain("rollback journal", "PRAGMA synchronous = FULL")
  let log = try plain("write-ahead log", "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")

  try show(
    "set",
    [
      Measurement(name: "PersistentStorage, Int", promise: "all of it") { try count.write($0) },
      Measurement(name: "PersistentStorage, structure", promise: "all of it") {
        try place.write(Place(latitude: Double($0)))
      },
      truncate.set, log.set,
      Measurement(name: "UserDefaults and synchronize()", promise: "no promise") {
        defaults.set($0, forKey: "count")
        _ = defaults.synchronize()
      },
      Measurement(name: "UserDefaults alone", promise: "nothing") {
        defaults.set($0, forKey: "count")
      },
    ])
  let memory = KeyValueContainer(storage: MemoryStorage(), key: "memory", defaultValue: 0)
  memory.value = 1
  try show(
    "get",
    [
      Measurement(name: "PersistentStorage, Int", promise: "") { _ in _ = try count.read() },
      Measurement(name: "PersistentStorage, structure", promise: "") { _ in _ = try place.read() },
      Measurement(name: "MemoryStorage, Int", promise: "") { _ in _ = try memory.read() },
      truncate.get, log.get,
      Measurement(name: "UserDefaults, Int", promise: "") { _ in
        _ = defaults.integer(forKey: "count")
      },
      Measurement(name: "UserDefaults, structure", promise: "") { _ in
        guard let data = defaults.data(forKey: "place") else { return }
        _ = try JSONDecoder().decode(Place.self, from: data)
      },
    ])
}

/// A table of keys and values with two prepared statements.
final class PlainTable {
  private let upsert: Statement
  private let select: Statement
  private let database: Database

  init(path: String, _ setUp: String) throws {
    let database = try Database(path: path)
    try database.execute(setUp)
    upsert = try database.prepare(
      "INSERT INTO t VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2")
    select = try database.prepare("SELECT value FROM t WHERE key = ?")
    self.database = database
  }

  func set(_ key: String, _ value: String) throws {
    try upsert.run(.text(key), .text(value))
  }

  func get(_ key: String) throws -> String? {
    try select.first(.text(key)) { row in row.text(0) } ?? nil
  }
}

try run()
