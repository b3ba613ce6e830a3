internal import SQLiteStore

/// An open preferences file: one table of keys and values, a value that is null being a reset key.
///
/// The table's rows stand in the leaves of one tree (WITHOUT ROWID), which is what `PageSalvage` reads.
struct OpenPreferenceFile: ~Copyable {
  /// Marks the file as preferences ("Pref"), so that no other database is taken for one.
  static let applicationIdentifier: Int64 = 0x5072_6566
  private static let table =
    "CREATE TABLE preferences (key TEXT NOT NULL PRIMARY KEY, value TEXT) WITHOUT ROWID"
  static let schema = """
    PRAGMA application_id = \(applicationIdentifier);
    PRAGMA user_version = 1;
    \(table);
    """

  let identity: FileIdentity
  private let database: Database
  private let statements: Statements
  /// nil until it was asked for: what others wrote before the file was opened was not told either.
  private var seenVersion: Int64?
  /// When the file was last written to, as far as is known, and SQLite's number for its changes then.
  private var known: (modified: Int64, version: Int64)

  private init(
    identity: FileIdentity, modified: Int64, database: consuming Database
  ) throws(StoreError) {
    let statements = try Statements(database)
    known = (modified, try database.dataVersion())
    self.identity = identity
    self.statements = statements
    self.database = database
  }

  /// Opens a file that is there, and looks whether it is whole.
  static func open(_ path: String) throws(StoreError) -> OpenPreferenceFile {
    guard let status = try StoreFile.status(of: path) else {
      throw StoreError(attempt: "open", path: path, kind: .missing, detail: "it is gone")
    }
    guard status.size > 0 else { throw empty(path) }
    let database = try Database(path: path, mode: .readWrite)
    if let damage = try database.damage() { throw damaged(path, damage) }
    let identifier = try database.prepare("PRAGMA application_id").first { row in row.integer(0) }
    guard identifier == applicationIdentifier else {
      let table = try database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'preferences'")
        .first { row in row.text(0) }
      if table == Self.table { throw damaged(path, "it is not marked as preferences any more") }
      throw StoreError(
        attempt: "open", path: path, kind: .other, detail: "it is a database of something else")
    }
    return try OpenPreferenceFile(
      identity: status.identity, modified: status.modified, database: database)
  }

  /// Does something with it as the only user of its statements.
  borrowing func perform<Result>(
    _ body: (borrowing OpenPreferenceFile) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try body(self)
  }

  /// Whether others may have changed the file since this was last asked.
  mutating func othersHaveWritten() throws(StoreError) -> Bool {
    let version = try database.dataVersion()
    defer { seenVersion = version }
    return version != seenVersion
  }

  /// Whether something may have been written to the file, which was last written to then.
  func mayDiffer(modified: Int64) -> Bool { modified != known.modified }

  /// Whether the file was written to, and not through SQLite.
  ///
  /// When another file is copied over it that was changed as often, SQLite goes on with the old pages.
  mutating func isOverwritten(modified: Int64) throws(StoreError) -> Bool {
    guard mayDiffer(modified: modified) else { return false }
    let version = try database.dataVersion()
    defer { known = (modified, version) }
    return version == known.version
  }

  /// Takes note of what this connection has written itself.
  mutating func hasWritten(modified: Int64) { known.modified = modified }

  borrowing func entry(_ key: String) throws(StoreError) -> StoredEntry {
    try statements.select.first(.text(key)) { row in row.bytes(0).map(StoredEntry.value) ?? .reset }
      ?? .absent
  }

  borrowing func set(
    _ entry: StoredEntry, _ key: String, expecting expected: StoredEntry?
  ) throws(StoreError) -> Bool {
    switch expected {
    case nil: try statements.upsert.run(.text(key), Self.column(entry))
    case .absent: try statements.insertIfAbsent.run(.text(key), Self.column(entry))
    case let expected?:
      try statements.replace.run(.text(key), Self.column(entry), Self.bytes(expected))
    }
    return database.changes == 1
  }

  borrowing func keys() throws(StoreError) -> [String] {
    let statement = try database.prepare(
      "SELECT key FROM preferences WHERE value IS NOT NULL ORDER BY key")
    return try statement.all { row in row.text(0) ?? "" }
  }

  /// An entry as its column has it: JSON text, so that people can read it with the sqlite3 program.
  private static func column(_ entry: StoredEntry) -> SQLiteValue {
    guard case .value(let bytes) = entry else { return .null }
    return .text(String(decoding: bytes, as: UTF8.self))
  }

  /// An entry as it is compared: people may have put the same bytes there as another type.
  private static func bytes(_ entry: StoredEntry) -> SQLiteValue {
    guard case .value(let bytes) = entry else { return .null }
    return .blob(bytes)
  }

  /// SQLite takes an empty file for an empty database; ours are never empty.
  static func empty(_ path: String) -> StoreError {
    damaged(path, "it is empty")
  }

  private static func damaged(_ path: String, _ detail: String) -> StoreError {
    StoreError(attempt: "open", path: path, kind: .damaged, detail: detail)
  }
}

/// What is asked of the table, prepared once.
private struct Statements: ~Copyable {
  let select: Statement
  let upsert: Statement
  let insertIfAbsent: Statement
  let replace: Statement

  init(_ database: borrowing Database) throws(StoreError) {
    let select = try database.prepare("SELECT value FROM preferences WHERE key = ?1")
    let upsert = try database.prepare(
      "INSERT INTO preferences VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2")
    let insertIfAbsent = try database.prepare(
      "INSERT INTO preferences VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING")
    let replace = try database.prepare(
      "UPDATE preferences SET value = ?2 WHERE key = ?1 AND CAST(value AS BLOB) IS ?3")
    self.select = select
    self.upsert = upsert
    self.insertIfAbsent = insertIfAbsent
    self.replace = replace
  }
}
