import Foundation
import SQLiteStore
import TestSupport
import Testing

struct DatabaseTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store.db" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(
    "every kind of value comes back as it went in",
    arguments: [
      .null, .integer(.min), .integer(9_007_199_254_740_993), .real(0.1), .text(""),
      .text("Zürich 🧭"), .text("a\0b"), .blob([]), .blob([0, 255, 0]),
    ] as [SQLiteValue])
  func values(value: SQLiteValue) throws {
    let database = try Database(path: path)
    try database.execute("CREATE TABLE t (v)")
    try database.prepare("INSERT INTO t VALUES (?)").run(value)
    let read = try database.prepare("SELECT v FROM t").first { row in row.value(0) }
    #expect(read == value)
  }

  @Test("columns are read by type, and null is nil")
  func columns() throws {
    let database = try Database(path: path)
    let select = try database.prepare("SELECT 7, 2.5, 'x', x'0102', NULL")
    try select.run()
    let found: Void? = try select.first { row in
      #expect(row.integer(0) == 7)
      #expect(row.real(1) == 2.5)
      #expect(row.text(2) == "x")
      #expect(row.bytes(3) == [1, 2])
      #expect(row.integer(4) == nil && row.real(4) == nil && row.text(4) == nil)
      #expect(row.bytes(4) == nil)
    }
    #expect(found != nil)
  }

  @Test("a file that has lost its name to another is not written any more, and is missing")
  func renamed() throws {
    let database = try Database(path: path)
    try database.execute("CREATE TABLE t (v)")
    let other = try Database(path: path + ".new")
    try other.execute("CREATE TABLE t (v)")
    try StoreFile.move(path + ".new", to: path)
    let error = #expect(throws: StoreError.self) {
      try database.execute("INSERT INTO t VALUES (1)")
    }
    #expect(error?.kind == .missing)
    let now = try Database(path: path)
    #expect(try now.prepare("SELECT count(*) FROM t").first { row in row.integer(0) } == 0)
  }

  @Test("nobody waits for a file that loses its name to another while it is held")
  func renamedWhileHeld() throws {
    let holder = try Database(path: path)
    try holder.execute("CREATE TABLE t (v)")
    let waiter = try Database(path: path, busyTimeout: .max)
    try holder.execute("BEGIN EXCLUSIVE")
    let other = try Database(path: path + ".new")
    try other.execute("CREATE TABLE t (v)")
    try StoreFile.move(path + ".new", to: path)
    // It would wait for weeks.
    let error = #expect(throws: StoreError.self) { try waiter.execute("SELECT * FROM t") }
    #expect(error?.kind == .busy)
    try holder.execute("ROLLBACK")
  }

  @Test("a transaction that fails changes nothing, and the next one works")
  func transactions() throws {
    let database = try Database(path: path)
    try database.execute("CREATE TABLE t (v UNIQUE)")
    let insert = try database.prepare("INSERT INTO t VALUES (?)")
    #expect(throws: StoreError.self) {
      try database.transaction { () throws(StoreError) in
        try insert.run(.integer(1))
        try insert.run(.integer(1))
      }
    }
    try database.transaction { () throws(StoreError) in try insert.run(.integer(2)) }
    let kept = try database.prepare("SELECT v FROM t").all { row in row.integer(0) }
    #expect(kept == [2])
    let changes = database.changes
    #expect(changes == 1)
  }

  @Test("a writer that others keep out waits its time and then says that the file is busy")
  func busy() throws {
    let first = try Database(path: path)
    try first.execute("CREATE TABLE t (v); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    let second = try Database(path: path, busyTimeout: 20)
    let failure = #expect(throws: StoreError.self) {
      try second.execute("INSERT INTO t VALUES (2)")
    }
    #expect(failure?.kind == .busy)
    try first.execute("COMMIT")
    try second.execute("INSERT INTO t VALUES (2)")
    #expect(try second.prepare("SELECT count(*) FROM t").first { row in row.integer(0) } == 2)
  }

  @Test("a missing file is made only when asked for")
  func missing() throws {
    let failure = #expect(throws: StoreError.self) {
      _ = try Database(path: path, mode: .readWrite)
    }
    #expect(failure?.path == path)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("what was opened to read cannot be written")
  func readOnly() throws {
    do {
      let database = try Database(path: path)
      try database.execute("CREATE TABLE t (v)")
      let isReadOnly = database.isReadOnly
      #expect(!isReadOnly)
    }
    let database = try Database(path: path, mode: .read)
    let isReadOnly = database.isReadOnly
    #expect(isReadOnly)
    let failure = #expect(throws: StoreError.self) {
      try database.execute("INSERT INTO t VALUES (1)")
    }
    #expect(failure?.kind == .readOnly)
  }

  @Test("bytes that are no database are damage")
  func damage() throws {
    try folder.write(Data(repeating: 0x41, count: 8192), to: "store.db")
    let failure = #expect(throws: StoreError.self) { _ = try Database(path: path) }
    #expect(failure?.kind == .damaged)
    #expect(failure?.description.contains(path) == true)
  }

  @Test("a file that does not fit on its disk gives an error of kind full")
  func full() throws {
    let database = try Database(path: path)
    try database.execute("CREATE TABLE t (v); PRAGMA max_page_count = 3")
    let insert = try database.prepare("INSERT INTO t VALUES (?)")
    let failure = #expect(throws: StoreError.self) {
      try insert.run(.blob([UInt8](repeating: 1, count: 100_000)))
    }
    #expect(failure?.kind == .full)
    #expect(try database.damage() == nil)
    #expect(try database.prepare("SELECT count(*) FROM t").first { row in row.integer(0) } == 0)
  }

  @Test(
    "each durability has its journal and its waiting for the disk",
    arguments: [
      (Database.Durability.powerLoss, "truncate", 2), (.consistency, "wal", 1),
    ] as [(Database.Durability, String, Int64)])
  func durability(durability: Database.Durability, journal: String, synchronous: Int64) throws {
    let database = try Database(path: path, durability: durability)
    let mode = try database.prepare("PRAGMA journal_mode").first { row in row.text(0) }
    #expect(mode == journal)
    let waiting = try database.prepare("PRAGMA synchronous").first { row in row.integer(0) }
    #expect(waiting == synchronous)
  }
}
