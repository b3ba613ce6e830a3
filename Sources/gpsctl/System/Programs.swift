import Glibc

/// Finding and becoming other programs.
enum Programs {
  /// What tells a file from every other on this machine, whatever its name.
  struct Identity: Equatable {
    let device: UInt
    let inode: UInt
  }

  /// This program's own file.
  static var own: Identity? { identity(of: "/proc/self/exe") }

  /// The file that a path leads to; nil when there is none or it is not an executable program.
  static func identity(of path: String) -> Identity? {
    var information = stat()
    guard unsafe stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
      unsafe access(path, X_OK) == 0
    else { return nil }
    return Identity(device: information.st_dev, inode: information.st_ino)
  }

  /// The path of this program's own file; nil when /proc is not there.
  static var ownPath: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { return nil }
    return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Becomes another program with these arguments; returns only to tell why that failed.
  static func become(_ path: String, arguments: [String]) -> Int32 {
    // Signal dispositions that are ignored outlive exec: the other program gets what it expects.
    signal(SIGPIPE, SIG_DFL)
    var pointers = unsafe arguments.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    _ = unsafe execv(path, pointers)
    return errno
  }
}
