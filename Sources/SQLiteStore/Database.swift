internal import CSQLite
internal import Glibc

/// A connection to a database file: used by one thread at a time, closed at the end of its life.
///
/// It cannot be copied, so its owner is the one place that uses it: a thread, or a lock.
@safe public struct Database: ~Copyable {
  /// How much of a commit has reached the disk when it returns.
  public enum Durability: Sendable {
    /// All of it: what was committed is there after a power loss. (A rollback journal that is cut to
    /// nothing, and the disk waited for at each step.)
    case powerLoss
    /// Enough to stay whole: the last commits before a power loss may be gone. (A write-ahead log.)
    case consistency
  }

  /// What may be done with the file.
  public enum Mode: Sendable {
    /// Read only.
    case read
    /// Read and written where permissions allow; not made when it is missing.
    case readWrite
    /// The same, and made when it is missing.
    case create
  }

  /// The file.
  public let path: String
  private let handle: OpaquePointer
  /// SQLite has a pointer to it as long as the connection is open.
  private let patience: BusyPatience

  /// Opens a database file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mode: What may be done with it.
  ///   - durability: How much of a commit has reached the disk when it returns.
  ///   - busyTimeout: How long to wait while others hold the file, in milliseconds. It ends when another
  ///     file has got the name meanwhile.
  public init(
    path: String, mode: Mode = .create, durability: Durability = .powerLoss,
    busyTimeout: Int32 = 10_000
  ) throws(StoreError) {
    let journal =
      switch durability {
      // FULL waits for the disk also after the journal is cut to nothing, which is the commit.
      case .powerLoss: "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL;"
      case .consistency: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
      }
    // What is deleted is overwritten, and a schema that someone else wrote calls no function.
    let settings = journal + "PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;"
    self.path = path
    patience = BusyPatience(path: path, timeout: busyTimeout)
    unsafe handle = try unsafe Self.connect(path, mode, patience, settings)
  }

  deinit {
    // A statement may outlive it, and its patience does not.
    unsafe _ = sqlite3_busy_handler(handle, nil, nil)
    unsafe _ = sqlite3_close_v2(handle)
  }

  /// Runs statements without values, separated by semicolons.
  public borrowing func execute(_ sql: String) throws(StoreError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code, sql) }
  }

  /// Prepares one statement, with `?` for values.
  public borrowing func prepare(_ sql: String) throws(StoreError) -> Statement {
    var statement: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement = unsafe statement else { throw failure(code, sql) }
    return unsafe Statement(handle: statement, path: path, sql: sql)
  }

  /// Runs `body` as one change: all of it or, when it throws, nothing.
  ///
  /// It takes the right to write first, so that it never fails half-way because others write.
  public borrowing func transaction<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try execute("BEGIN IMMEDIATE")
    let result: Result
    do {
      result = try body()
      try execute("COMMIT")
    } catch {
      // A failure such as a full disk may have rolled back already.
      if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
    return result
  }

  /// Rows that the last INSERT, UPDATE or DELETE changed.
  public var changes: Int64 { unsafe sqlite3_changes64(handle) }

  /// A number that differs after another connection, of this process or another, has changed the file.
  public borrowing func dataVersion() throws(StoreError) -> Int64 {
    try prepare("PRAGMA data_version").first { row in row.integer(0) ?? 0 } ?? 0
  }

  /// Whether the file, or this connection, can only be read.
  public var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

  /// What is wrong with the file's structure; nil when it is whole.
  public borrowing func damage() throws(StoreError) -> String? {
    let found = try prepare("PRAGMA integrity_check(1)").first { (row: borrowing Row) in
      row.text(0)
    }
    guard let text = found ?? nil, text != "ok" else { return nil }
    return text.split(separator: "\n").joined(separator: " ")
  }

  private static func connect(
    _ path: String, _ mode: Mode, _ patience: BusyPatience, _ settings: String
  ) throws(StoreError) -> OpaquePointer {
    let access =
      switch mode {
      case .read: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    let flags = access | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE
    var opened: OpaquePointer?
    var code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    if code == SQLITE_OK {
      let context = unsafe Unmanaged.passUnretained(patience).toOpaque()
      unsafe _ = sqlite3_busy_handler(opened, waitWhileBusy, context)
      code = unsafe sqlite3_exec(opened, settings, nil, nil, nil)
    }
    guard code == SQLITE_OK, let handle = unsafe opened else {
      let message = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "no memory"
      unsafe _ = sqlite3_close_v2(opened)
      throw StoreError(attempt: "open", path: path, code: code, message: message)
    }
    return unsafe handle
  }

  private borrowing func failure(_ code: Int32, _ sql: String) -> StoreError {
    StoreError(
      attempt: "run \"\(sql)\" on", path: path, code: unsafe sqlite3_extended_errcode(handle),
      message: unsafe String(cString: sqlite3_errmsg(handle)))
  }
}
