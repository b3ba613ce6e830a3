internal import FoundationEssentials
internal import SQLiteStore

/// Makes preferences files, and new ones out of damaged ones.
///
/// A file is made under another name and gets its own when it is whole and on the disk, so that no
/// other process, and no start after a crash, ever sees part of one.
struct PreferenceFileMaker {
  let path: String
  let permissions: UInt32

  /// How long others may take that make or mend a file in the same folder, in milliseconds.
  private static let lockTimeout: Int32 = 10_000

  /// The ends of the names of journals: SQLite's as we use it, and the one that other programs may have
  /// switched the file to.
  private static let journals = ["-journal", "-wal"]
  /// The end of the name of what SQLite keeps beside the latter.
  private static let index = "-shm"

  private var temporary: String { path + ".new" }

  /// Makes the file, with nothing in it, unless another process was first.
  func makeIfMissing() throws(StoreError) {
    let folder = StoreFile.folder(of: path)
    try StoreFile.makeFolder(folder)
    let lock = try StoreLock(folder: folder, timeout: Self.lockTimeout)
    defer { _ = lock }
    if try StoreFile.status(of: path) != nil { return }
    // What is left of an older file is nothing to play into the new one.
    for end in Self.journals + [Self.index] { try StoreFile.remove(path + end) }
    try makeTemporary([])
    try StoreFile.move(temporary, to: path)
  }

  /// Sets a damaged file aside and puts one in its place with all that can be read of it.
  ///
  /// - Parameter identity: The damaged one; when another stands under the name there is nothing to do.
  func replace(_ identity: FileIdentity?, because damage: StoreError) throws(StoreError) {
    let lock = try StoreLock(folder: StoreFile.folder(of: path), timeout: Self.lockTimeout)
    defer { _ = lock }
    guard let status = try StoreFile.status(of: path), status.identity == identity else { return }
    // From here on nobody writes to the damaged file: what was, is read now.
    let fileLock = try StoreLock(database: path, timeout: Self.lockTimeout)
    defer { _ = fileLock }
    let rows = PageSalvage(try StoreFile.contents(of: path)).rows(columns: 2)
    let entries = rows.filter { row in
      guard case .text = row[0] else { return false }
      return row[1] == .null || row[1].isText
    }
    try makeTemporary(entries)
    let keptAs = try StoreFile.keep(path, as: "\(path).damaged-\(Self.timestamp())")
    // A journal that was not played belongs to the damaged file; an empty one to none.
    for end in Self.journals {
      if let journal = try StoreFile.status(of: path + end), journal.size > 0 {
        try StoreFile.move(path + end, to: keptAs + end)
      }
    }
    try StoreFile.remove(path + Self.index)
    try StoreFile.move(temporary, to: path)
    StorageReport.setAside(
      file: path, keptAs: keptAs, keysKept: entries.count, reason: damage.detail
    ).send()
  }

  private func makeTemporary(_ entries: [[SQLiteValue]]) throws(StoreError) {
    // One left by a process that was killed here is not used: it may not be whole.
    try removeTemporary()
    do {
      try StoreFile.makeEmpty(temporary, permissions: permissions)
      let database = try Database(path: temporary)
      try database.execute("BEGIN; \(OpenPreferenceFile.schema)")
      let insert = try database.prepare("INSERT OR REPLACE INTO preferences VALUES (?, ?)")
      for entry in entries { try insert.run(entry[0], entry[1]) }
      try database.execute("COMMIT")
      try StoreFile.remove(temporary + "-journal")
    } catch {
      try? removeTemporary()
      throw error
    }
  }

  private func removeTemporary() throws(StoreError) {
    try StoreFile.remove(temporary + "-journal")
    try StoreFile.remove(temporary)
  }

  /// Now, in UTC, as it may stand in a file's name.
  private static func timestamp() -> String {
    Date.now.formatted(
      .iso8601.year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
        .timeSeparator(.omitted))
  }
}

extension SQLiteValue {
  fileprivate var isText: Bool {
    if case .text = self { true } else { false }
  }
}

extension StorageError {
  /// What went wrong with the file, as the caller of the storage sees it.
  init(_ error: StoreError, attempt: String) {
    let attempt = "\(attempt) \(error.path)"
    let reason = error.description
    self =
      switch error.kind {
      case .busy: .busy(attempt: attempt, reason: reason)
      case .full: .full(attempt: attempt, reason: reason)
      case .readOnly, .denied, .interrupted: .readOnly(attempt: attempt, reason: reason)
      case .damaged: .damaged(attempt: attempt, reason: reason)
      case .missing, .other: .failed(attempt: attempt, reason: reason)
      }
  }
}
