internal import CLinux
internal import Glibc

/// Which file stands under a name: another file under the same name has another identity.
public struct FileIdentity: Sendable, Equatable {
  private let device: UInt64
  private let inode: UInt64

  fileprivate init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// What a store does with its file besides SQLite's own reading and writing.
public enum StoreFile {
  /// Most that is read of a damaged file, in bytes.
  private static let readLimit = 256 << 20
  /// How long a program may take from one write to the next while it copies a file, in milliseconds.
  private static let moment: Int32 = 100

  /// Which file stands under a name, with its size in bytes and when it was last written to, in
  /// nanoseconds since 1970; nil when none does.
  ///
  /// - Throws: also when what stands there is no file, such as a folder or a device.
  public static func status(
    of path: String
  ) throws(StoreError) -> (identity: FileIdentity, size: Int, modified: Int64)? {
    guard !path.utf8.contains(0) else {
      // The system would take it for a shorter name, which is another file's.
      throw StoreError(attempt: "look at", path: path, kind: .other, detail: "its name has a NUL")
    }
    var status = stat()
    if unsafe stat(path, &status) != 0 {
      let failure = StoreError(attempt: "look at", path: path, errno: errno)
      if failure.kind == .missing { return nil }
      throw failure
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(attempt: "look at", path: path, kind: .other, detail: "it is not a file")
    }
    let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    return (FileIdentity(status), Int(status.st_size), modified)
  }

  /// Whether a file that looked so is another by now, or soon: waits for a moment.
  public static func changes(
    _ path: String, from seen: (identity: FileIdentity, size: Int, modified: Int64)
  ) throws(StoreError) -> Bool {
    _ = poll(nil, 0, moment)
    guard let now = try status(of: path) else { return true }
    return now != seen
  }

  /// The file that a symbolic link leads to; nil when the name is none, or leads nowhere.
  static func target(of path: String) -> String? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
      let resolved = unsafe realpath(path, nil)
    else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Makes a folder, and those above it, for this user alone, and waits until the disk has them.
  public static func makeFolder(_ path: String) throws(StoreError) {
    let above = folder(of: path)
    if unsafe mkdir(path, 0o700) == 0 { return try writeOutFolder(above) }
    let code = errno
    if code == EEXIST { return }
    // Below a file there is nothing to make: only what is missing is made first.
    guard code == ENOENT, above != path else {
      throw StoreError(attempt: "make the folder", path: path, errno: code)
    }
    try makeFolder(above)
    try makeFolder(path)
  }

  /// The folder a path is in.
  public static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes an empty file of exactly these permissions; one that is there already is emptied.
  public static func makeEmpty(_ path: String, permissions: UInt32) throws(StoreError) {
    let descriptor = unsafe clinux_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw StoreError(attempt: "make", path: path, errno: errno) }
    defer { close(descriptor) }
    if fchmod(descriptor, mode_t(permissions)) != 0 {
      throw StoreError(attempt: "set the permissions of", path: path, errno: errno)
    }
  }

  /// All of a file, for looking through it; at most 256 MiB.
  public static func contents(of path: String) throws(StoreError) -> [UInt8] {
    let descriptor = unsafe clinux_open(path, O_RDONLY, 0)
    guard descriptor >= 0 else { throw StoreError(attempt: "read", path: path, errno: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < readLimit {
      let count = unsafe read(descriptor, &piece, piece.count)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw StoreError(attempt: "read", path: path, errno: errno)
      }
      bytes += piece[..<count]
    }
    return bytes
  }

  /// Gives a file a second name that nothing has yet: `name`, else `name-1`, `name-2`, ….
  ///
  /// - Returns: The name it got. The file keeps the first name as well, so that at no moment it has
  ///   none; where the file system knows no second names, it is renamed.
  public static func keep(_ path: String, as name: String) throws(StoreError) -> String {
    for number in 0..<1000 {
      let candidate = number == 0 ? name : "\(name)-\(number)"
      if unsafe link(path, candidate) == 0 { return candidate }
      if errno == EEXIST { continue }
      guard errno == EPERM || errno == EOPNOTSUPP, unsafe access(candidate, F_OK) != 0 else {
        break
      }
      try move(path, to: candidate)
      return candidate
    }
    throw StoreError(attempt: "set aside", path: path, errno: errno)
  }

  /// Puts a file under a name, in place of what had it, and waits until the disk has it so.
  public static func move(_ path: String, to name: String) throws(StoreError) {
    if unsafe rename(path, name) != 0 {
      throw StoreError(attempt: "rename to \(name)", path: path, errno: errno)
    }
    try writeOutFolder(folder(of: name))
  }

  /// Waits until the disk has the names in a folder as they are.
  private static func writeOutFolder(_ folder: String) throws(StoreError) {
    let descriptor = unsafe clinux_open(folder, O_RDONLY | O_DIRECTORY, 0)
    guard descriptor >= 0, fsync(descriptor) == 0 else {
      let code = errno
      if descriptor >= 0 { close(descriptor) }
      throw StoreError(attempt: "write out the folder", path: folder, errno: code)
    }
    close(descriptor)
  }

  /// Removes a file; one that is not there is no error.
  public static func remove(_ path: String) throws(StoreError) {
    if unsafe unlink(path) != 0 && errno != ENOENT {
      throw StoreError(attempt: "remove", path: path, errno: errno)
    }
  }
}
