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

  private let descriptor: Int32

  /// Locks a folder against others who lock it so: for making or replacing a file in it.
  ///
  /// - Parameter timeout: In milliseconds; when it is over, an error of kind `busy`.
  public init(folder: String, timeout: Int32) throws(StoreError) {
    try self.init(path: folder, flags: O_RDONLY | O_DIRECTORY, timeout: timeout) { descriptor in
      flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
  }

  /// Locks a database file as SQLite does, against all that read or write it through SQLite.
  ///
  /// Nothing in this process may hold it open in a transaction.
  ///
  /// - Parameter timeout: In milliseconds; when it is over, an error of kind `busy`.
  public init(database: String, timeout: Int32) throws(StoreError) {
    try self.init(path: database, flags: O_RDWR, timeout: timeout) { descriptor in
      var range = flock()
      range.l_type = Int16(F_WRLCK)
      range.l_whence = Int16(SEEK_SET)
      range.l_start = Self.lockBytes.start
      range.l_len = Self.lockBytes.count
      return unsafe fcntl(descriptor, Self.openFileSetLock, &range) == 0
    }
  }

  private init(
    path: String, flags: Int32, timeout: Int32, take: (Int32) -> Bool
  ) throws(StoreError) {
    let descriptor = unsafe clinux_open(path, flags, 0)
    guard descriptor >= 0 else { throw StoreError(attempt: "lock", path: path, errno: errno) }
    var waited: Int32 = 0
    while !take(descriptor) {
      guard errno == EWOULDBLOCK || errno == EACCES || errno == EINTR, waited < timeout else {
        let code = errno
        close(descriptor)
        throw StoreError(attempt: "lock", path: path, errno: code)
      }
      _ = poll(nil, 0, Self.step)
      waited += Self.step
    }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}
