internal import CLinux
internal import Glibc

/// Small files and folders, read whole.
enum Files {
  /// The bytes of a file.
  ///
  /// More than `most` bytes throw EFBIG, a folder EISDIR, and whatever else is no file (which could
  /// block) `noRegularFile`, unless it `mayBlock`.
  static func read(
    _ path: String, atMost most: Int, mayBlock: Bool = false
  ) throws(SystemError) -> [UInt8] {
    let attempt = "read \(path)"
    let descriptor = unsafe clinux_open(path, O_RDONLY | (mayBlock ? 0 : O_NONBLOCK), 0)
    guard descriptor >= 0 else { throw SystemError(attempt) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError(attempt) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || (kind != S_IFDIR && mayBlock) else {
      throw SystemError(attempt, code: kind == S_IFDIR ? EISDIR : SystemError.noRegularFile)
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 * Bytes.kibi)
    while true {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError(attempt)
      }
      bytes += piece[..<count]
      guard bytes.count <= most else { throw SystemError(attempt, code: EFBIG) }
    }
  }

  /// Writes a text behind what is in a file, which is made, its owner's alone, where there is none.
  ///
  /// A FIFO that nobody reads throws ENXIO.
  static func append(_ text: String, to path: String) throws(SystemError) {
    let attempt = "write \(path)"
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
    let descriptor = unsafe clinux_open(path, flags, 0o600)
    guard descriptor >= 0 else { throw SystemError(attempt) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
    guard count < bytes.count else { return }
    throw SystemError(attempt, code: count < 0 ? errno : ENOSPC)
  }

  /// Removes a file, if there is one.
  static func remove(_ path: String) { unsafe _ = unlink(path) }

  /// Whether there is anything of that name.
  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// The names in a folder, in no order, without `.` and `..`.
  static func names(in path: String) throws(SystemError) -> [String] {
    guard let folder = unsafe opendir(path) else { throw SystemError("list \(path)") }
    defer { unsafe _ = closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}

extension SystemError {
  /// Whether what was tried failed because the file, or a folder above it, is not there.
  var isNotFound: Bool { code == ENOENT || code == ENOTDIR }
}

/// Multiples of a byte.
enum Bytes {
  static let kibi: Int = 1 << 10
  static let mebi: Int = 1 << 20
  static let gibi: Int = 1 << 30
}
