internal import CSQLite

/// A prepared statement: parsed once, run any number of times, by one thread at a time.
@safe public struct Statement: ~Copyable {
  private let handle: OpaquePointer
  private let path: String
  private let sql: String

  init(handle: OpaquePointer, path: String, sql: String) {
    unsafe self.handle = unsafe handle
    self.path = path
    self.sql = sql
  }

  deinit {
    unsafe _ = sqlite3_finalize(handle)
  }

  /// Runs it to its end, leaving out what it returns.
  ///
  /// - Parameter values: For the statement's `?`, in their order; those left out are null.
  public borrowing func run(_ values: SQLiteValue...) throws(StoreError) {
    try forEachRow(values) { (_: borrowing Row) throws(StoreError) in }
  }

  /// The first row it returns, as `body` reads it; nil when it returns none.
  public borrowing func first<Result>(
    _ values: SQLiteValue..., read body: (borrowing Row) throws(StoreError) -> Result
  ) throws(StoreError) -> Result? {
    var result: Result?
    try forEachRow(values) { (row: borrowing Row) throws(StoreError) in
      if result == nil { result = try body(row) }
    }
    return result
  }

  /// Every row it returns, as `body` reads them.
  public borrowing func all<Result>(
    _ values: SQLiteValue..., read body: (borrowing Row) throws(StoreError) -> Result
  ) throws(StoreError) -> [Result] {
    var results: [Result] = []
    try forEachRow(values) { (row: borrowing Row) throws(StoreError) in
      results.append(try body(row))
    }
    return results
  }

  /// Steps through the rows. The statement is always reset, or its lock on the file would stay.
  private borrowing func forEachRow(
    _ values: [SQLiteValue], _ body: (borrowing Row) throws(StoreError) -> Void
  ) throws(StoreError) {
    defer {
      unsafe _ = sqlite3_reset(handle)
      unsafe _ = sqlite3_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() {
      try bind(value, at: Int32(index + 1))
    }
    while true {
      switch unsafe sqlite3_step(handle) {
      case SQLITE_ROW: try body(unsafe Row(handle: handle))
      case SQLITE_DONE: return
      case let code: throw failure(code)
      }
    }
  }

  private borrowing func bind(_ value: SQLiteValue, at index: Int32) throws(StoreError) {
    /// SQLITE_TRANSIENT, a cast that is not imported: SQLite copies the bytes before it returns.
    let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code: Int32 =
      switch value {
      case .null: unsafe sqlite3_bind_null(handle, index)
      case .integer(let number): unsafe sqlite3_bind_int64(handle, index, number)
      case .real(let number): unsafe sqlite3_bind_double(handle, index, number)
      case .text(let text):
        unsafe sqlite3_bind_text64(
          handle, index, text, UInt64(text.utf8.count), copied, UInt8(SQLITE_UTF8))
      case .blob(let bytes) where bytes.isEmpty: unsafe sqlite3_bind_zeroblob(handle, index, 0)
      case .blob(let bytes):
        unsafe sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), copied)
      }
    if code != SQLITE_OK { throw failure(code) }
  }

  private borrowing func failure(_ code: Int32) -> StoreError {
    let database = unsafe sqlite3_db_handle(handle)
    return StoreError(
      attempt: "run \"\(sql)\" on", path: path, code: unsafe sqlite3_extended_errcode(database),
      message: unsafe String(cString: sqlite3_errmsg(database)))
  }
}

/// A row of a statement's result, readable until the next.
@safe public struct Row: ~Copyable {
  private let handle: OpaquePointer

  init(handle: OpaquePointer) {
    unsafe self.handle = unsafe handle
  }

  /// A column's value, as SQLite keeps it; columns count from 0.
  public borrowing func value(_ column: Int32) -> SQLiteValue {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(handle, column))
    case SQLITE_TEXT: .text(text(column) ?? "")
    case SQLITE_BLOB: .blob(bytes(column) ?? [])
    default: .null
    }
  }

  /// A column as a whole number, converted as SQLite does; nil for null.
  public borrowing func integer(_ column: Int32) -> Int64? {
    isNull(column) ? nil : unsafe sqlite3_column_int64(handle, column)
  }

  /// A column as a floating-point number, converted as SQLite does; nil for null.
  public borrowing func real(_ column: Int32) -> Double? {
    isNull(column) ? nil : unsafe sqlite3_column_double(handle, column)
  }

  /// A column as text, converted as SQLite does; nil for null.
  public borrowing func text(_ column: Int32) -> String? {
    bytes(column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A column's bytes (of text: its UTF-8); nil for null.
  public borrowing func bytes(_ column: Int32) -> [UInt8]? {
    guard !isNull(column) else { return nil }
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  private borrowing func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }
}
