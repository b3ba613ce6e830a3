internal import Locking
internal import SQLiteStore

/// A preferences file, as all storages of this process on it share it.
///
/// It is opened at first use and opened again whenever another file stands under its name. What is
/// damaged is set aside and made anew with all that can be read of it.
final class PreferenceFile: Sendable {
  let path: String
  let bookkeeping = KeyBookkeeping()
  private let permissions: UInt32
  private let open = Guarded<OpenPreferenceFile?>(nil)
  private let watch = Guarded<FileWatch?>(nil)

  init(path: String, permissions: UInt32) {
    self.path = path
    self.permissions = permissions
  }

  deinit {
    watch.withValue { $0?.endThread() }
  }

  func entry(forKey key: String) throws(StorageError) -> StoredEntry {
    let entry = try use("read \"\(key)\" in", writing: false) {
      (file: borrowing OpenPreferenceFile) throws(StoreError) in
      try file.entry(key)
    }
    return entry ?? .absent
  }

  func setEntry(
    _ entry: StoredEntry, forKey key: String, expecting expected: StoredEntry?
  ) throws(StorageError) -> Bool {
    let isKept = try use("write \"\(key)\" to", writing: true) {
      (file: borrowing OpenPreferenceFile) throws(StoreError) in
      try file.set(entry, key, expecting: expected)
    }
    guard isKept == true else { return false }
    bookkeeping.changed(key)
    return true
  }

  func keys() throws(StorageError) -> [String] {
    try use("list the keys of", writing: false) {
      (file: borrowing OpenPreferenceFile) throws(StoreError) in
      try file.keys()
    } ?? []
  }

  /// The descriptor that tells of changes by others; from the first call on they are watched for.
  func changeDescriptor() throws(StorageError) -> Int32 {
    try watching(onThread: false)
  }

  /// Watches for changes by others on a thread of its own, unless they are watched for already.
  func watchOnThread() throws(StorageError) {
    _ = try watching(onThread: true)
  }

  /// Tells the observers of what others changed.
  func processChanges() {
    watch.withValue { $0?.drain() }
    tellOfOthers()
  }

  /// What this process wrote its observers know already.
  private func tellOfOthers() {
    let isNews = open.withValue { open in
      guard let identity = open?.identity, let status = try? StoreFile.status(of: path),
        identity == status.identity, open?.mayDiffer(modified: status.modified) == false
      else { return true }
      // What cannot be looked at now is told, so that nothing is missed.
      return (try? open?.othersHaveWritten()) ?? true
    }
    if isNews { bookkeeping.mayHaveChanged() }
  }

  private func watching(onThread: Bool) throws(StorageError) -> Int32 {
    do {
      return try watch.withValue { (watch: inout sending FileWatch?) throws(StoreError) in
        if let watch { return watch.descriptor }
        let new = try FileWatch(path: path)
        if onThread {
          try new.startThread { [weak self] in self?.tellOfOthers() }
        }
        watch = new
        return new.descriptor
      }
    } catch {
      throw StorageError(error, attempt: "watch for changes of")
    }
  }

  /// Does something with the file that stands under the name now.
  ///
  /// - Parameter writing: Whether to make the file when it is missing; otherwise nil is given then.
  private func use<Result: Sendable>(
    _ attempt: String, writing: Bool,
    _ body: @Sendable (borrowing OpenPreferenceFile) throws(StoreError) -> Result
  ) throws(StorageError) -> Result? {
    do {
      return try open.withValue { (open: inout sending OpenPreferenceFile?) throws(StoreError) in
        try Self.use(&open, path, permissions, writing: writing, body)
      }
    } catch {
      throw StorageError(error, attempt: attempt)
    }
  }

  /// Tries that are made when the file is replaced or found damaged; each ends in another file.
  private static let mostTries = 5

  private static func use<Result: Sendable>(
    _ open: inout OpenPreferenceFile?, _ path: String, _ permissions: UInt32, writing: Bool,
    _ body: (borrowing OpenPreferenceFile) throws(StoreError) -> Result
  ) throws(StoreError) -> Result? {
    let maker = PreferenceFileMaker(path: path, permissions: permissions)
    var failure = StoreError(
      attempt: "use", path: path, kind: .busy, detail: "it is replaced again and again")
    for _ in 0..<mostTries {
      let status = try StoreFile.status(of: path)
      if open?.identity != status?.identity { open = nil }
      let wasOpen = open != nil
      do throws(StoreError) {
        if let status, status.size == 0 { throw OpenPreferenceFile.empty(path) }
        if let status, try open?.isOverwritten(modified: status.modified) == true { open = nil }
        if open == nil {
          if status == nil {
            guard writing else { return nil }
            try maker.makeIfMissing()
          }
          open = try OpenPreferenceFile.open(path)
        }
        guard let result = try open?.perform(body) else { continue }
        if !writing { return result }
        // Another process may have set the file aside just before: what was written went with it.
        if let now = try StoreFile.status(of: path), now.identity == open?.identity {
          open?.hasWritten(modified: now.modified)
          return result
        }
      } catch {
        failure = error
        let identity = open?.identity ?? status?.identity
        switch error.kind {
        case .damaged:
          open = nil
          // A file that is copied over it just now is whole soon.
          if let status, try StoreFile.changes(path, from: status) { continue }
          try maker.replace(identity, because: error)
        case .interrupted where !writing:
          open = nil
          return try InterruptedFile(path: path).read(body)
        case .other where wasOpen, .missing:
          // Damage that came while it was open, which opening looks for; or it was replaced since.
          open = nil
        default:
          // What a file says that was replaced meanwhile is of no account: with the journal of the new
          // one beside it, SQLite takes it for one whose writer was killed.
          guard try StoreFile.status(of: path)?.identity != identity else { throw error }
          open = nil
        }
      }
    }
    throw failure
  }
}
