internal import SQLiteStore

/// The database of what must outlive the daemon. It belongs to the storage thread.
///
/// Write-ahead log, and the disk is waited for at each commit: what a job wrote is there after a
/// power loss when the job is done. A damaged file is set aside and a fresh one started.
public final class StateStore {
  /// What each version of the tables adds to the one before; the database's user_version says how
  /// many of these it has had.
  private static let steps = [
    """
    CREATE TABLE last_fix (
      id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL, fix TEXT NOT NULL);
    CREATE TABLE approximate (
      id INTEGER PRIMARY KEY CHECK (id = 1), shift REAL NOT NULL, turn REAL NOT NULL,
      phase INTEGER NOT NULL, cell_row INTEGER, cell_column INTEGER);
    CREATE TABLE regions (
      uid INTEGER NOT NULL, identifier TEXT NOT NULL, latitude REAL NOT NULL,
      longitude REAL NOT NULL, radius REAL NOT NULL, dwell INTEGER, state TEXT NOT NULL,
      dwell_told INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (uid, identifier)) WITHOUT ROWID;
    CREATE TABLE events (
      uid INTEGER NOT NULL, sequence INTEGER NOT NULL, boot TEXT NOT NULL, event TEXT NOT NULL,
      PRIMARY KEY (uid, sequence)) WITHOUT ROWID;
    CREATE TABLE event_counters (uid INTEGER PRIMARY KEY, last INTEGER NOT NULL);
    """,
    """
    ALTER TABLE regions ADD COLUMN inside_since INTEGER;
    ALTER TABLE regions ADD COLUMN boot TEXT;
    """,
  ]

  private let path: String
  private var opened: OpenDatabase?
  /// How many damaged files were set aside: what was stored before is no longer.
  private(set) var losses = 0

  /// Holds the database, which cannot be copied, where there may be none.
  private final class OpenDatabase {
    let database: Database

    init(_ database: consuming Database) {
      self.database = database
    }
  }

  /// A store that opens its file at first use.
  init(path: String) {
    self.path = path
  }

  /// Gives `body` the database, opened and of this version.
  ///
  /// A file that turns out damaged is set aside; the next use starts a fresh one.
  func withDatabase<Output>(
    _ body: (borrowing Database) throws(StoreError) -> Output
  ) throws(StoreError) -> Output {
    if opened == nil { opened = try open() }
    guard let current = opened else {
      throw StoreError(attempt: "use", path: path, kind: .other, detail: "it is not open")
    }
    do throws(StoreError) {
      return try body(current.database)
    } catch {
      if error.kind == .damaged { try setAside(because: error.detail) }
      throw error
    }
  }

  private func open() throws(StoreError) -> OpenDatabase {
    do throws(StoreError) {
      return OpenDatabase(try Self.opening(path))
    } catch {
      guard error.kind == .damaged else { throw error }
      try setAside(because: error.detail)
      return OpenDatabase(try Self.opening(path))
    }
  }

  private static func opening(_ path: String) throws(StoreError) -> Database {
    // It says where its owner was: for no other user to read.
    if try StoreFile.status(of: path) == nil { try StoreFile.makeEmpty(path, permissions: 0o600) }
    let database = try Database(path: path, durability: .consistency)
    try database.execute("PRAGMA synchronous = FULL")
    if let damage = try database.damage() {
      throw StoreError(attempt: "check", path: path, kind: .damaged, detail: damage)
    }
    try bringUpToDate(database, path)
    return database
  }

  private static func bringUpToDate(
    _ database: borrowing Database, _ path: String
  ) throws(StoreError) {
    let found = try database.prepare("PRAGMA user_version").first { (row: borrowing Row) in
      Int(row.integer(0) ?? 0)
    }
    let version = max(0, found ?? 0)
    guard version <= steps.count else {
      throw StoreError(
        attempt: "use", path: path, kind: .other,
        detail: "it was written by a newer bearingd (version \(version), this one knows "
          + "\(steps.count)); install that one again, or move the file away")
    }
    guard version < steps.count else { return }
    try database.transaction { () throws(StoreError) in
      for step in steps[version...] { try database.execute(step) }
      try database.execute("PRAGMA user_version = \(steps.count)")
    }
  }

  private func setAside(because detail: String) throws(StoreError) {
    opened = nil
    losses += 1
    let kept = "\(path).damaged-\(SystemTime.nowMicroseconds())"
    try StoreFile.move(path, to: kept)
    for suffix in ["-wal", "-shm"] { try? StoreFile.move(path + suffix, to: kept + suffix) }
    Journal.error(
      "\(path) is damaged (\(detail)): last fix, regions and events start afresh, and the damaged "
        + "file is kept as \(kept)", .storage)
  }
}
