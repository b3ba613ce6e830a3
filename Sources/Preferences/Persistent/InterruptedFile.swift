internal import FoundationEssentials
internal import SQLiteStore

/// A file whose writer was killed half-way, for a process that may not undo what is left of it.
struct InterruptedFile {
  let path: String

  /// How long others may take that write to it, in milliseconds.
  private static let lockTimeout: Int32 = 10_000

  /// Reads it as it was before that writer began: from a copy, where what is left is undone.
  func read<Result>(
    _ body: (borrowing OpenPreferenceFile) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "preferences-\(UUID().uuidString)")
    let copy = folder.appending(path: "copy").path
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      let lock = try StoreLock(readingDatabase: path, timeout: Self.lockTimeout)
      defer { _ = lock }
      for end in ["", "-journal"] {
        try Data(contentsOf: URL(filePath: path + end)).write(to: URL(filePath: copy + end))
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(
        attempt: "copy", path: path, kind: .interrupted, detail: "\(error)")
    }
    return try OpenPreferenceFile.open(copy).perform(body)
  }
}
