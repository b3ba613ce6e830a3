internal import CLinux
internal import Glibc

/// A lock on a store's folder or file against every other process; let go at the end of its life.
public struct StoreLock: ~Copyable {
  /// The bytes by which SQLite locks a database file (its "pending" byte and what follows), as its file
  /// format fixes them.
  private static let lockBytes: (start: off_t, count: off_t) = (0x4000_0000, 512)
  /// F_OFD_SETLK of the kernel's fcntl.h, which is behind _GNU_SOURCE: a lock that belongs to the open
  /// file, so that closing another descriptor of the file does not let go of it.
  private static let openFileSetLock: Int32 = 37
  /// How long to wait between two tries, in milliseconds.
  private static let step: Int32 = 5

  private enum Kind {
    case folder, database, databaseForReading
  }

  private let descriptor: Int32
  private let kind: Kind

  /// Locks a folder against others who lock it so: for making or replacing a file in it.
  ///
  /// - Parameter timeout: In milliseconds; when it is over, an error of kind `busy`.
  public init(folder: String, timeout: Int32) throws(StoreError) {
    try self.init(.folder, path: folder, flags: O_RDONLY | O_DIRECTORY, timeout: timeout)
  }

  /// Locks a database file as SQLite does, against all that read or write it through SQLite.
  ///
  /// Nothing in this process may hold it open in a transaction.
  ///
  /// - Parameter timeout: In milliseconds; when it is over, an error of kind `busy`.
  public init(database: String, timeout: Int32) throws(StoreError) {
    try self.init(.database, path: database, flags: O_RDWR, timeout: timeout)
  }

  /// Locks a database file as SQLite does, against all that write to it.
  ///
  /// - Parameter timeout: In milliseconds; when it is over, an error of kind `busy`.
  public init(readingDatabase path: String, timeout: Int32) throws(StoreError) {
    try self.init(.databaseForReading, path: path, flags: O_RDONLY, timeout: timeout)
  }

  private init(
    _ kind: Kind, path: String, flags: Int32, timeout: Int32
  ) throws(StoreError) {
    let descriptor = unsafe clinux_open(path, flags, 0)
    guard descriptor >= 0 else { throw StoreError(attempt: "lock", path: path, errno: errno) }
    var waited: Int32 = 0
    while !Self.set(true, kind, descriptor) {
      guard errno == EWOULDBLOCK || errno == EACCES || errno == EINTR, waited < timeout else {
        let code = errno
        close(descriptor)
        throw StoreError(attempt: "lock", path: path, errno: code)
      }
      _ = poll(nil, 0, Self.step)
      waited += Self.step
    }
    self.descriptor = descriptor
    self.kind = kind
  }

  deinit {
    // To close it is not enough: a child that another thread has forked has it open too.
    _ = Self.set(false, kind, descriptor)
    close(descriptor)
  }

  /// Takes the lock, or lets go of it, without waiting; whether that could be done.
  private static func set(_ isLocked: Bool, _ kind: Kind, _ descriptor: Int32) -> Bool {
    switch kind {
    case .folder: return flock(descriptor, isLocked ? LOCK_EX | LOCK_NB : LOCK_UN) == 0
    case .database, .databaseForReading:
      let type = kind == .database ? F_WRLCK : F_RDLCK
      var range = flock()
      range.l_type = Int16(isLocked ? type : F_UNLCK)
      range.l_whence = Int16(SEEK_SET)
      range.l_start = lockBytes.start
      range.l_len = lockBytes.count
      return unsafe fcntl(descriptor, openFileSetLock, &range) == 0
    }
  }
}
