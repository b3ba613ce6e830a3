internal import CLinux
internal import Glibc

/// The right to be the one daemon on a runtime folder, held until the process ends.
///
/// It is a `flock` on the file `lock`, which the kernel gives back however the process ends. The file
/// is its owner's alone: whoever may open it could take the lock and keep every daemon out.
public final class InstanceLock: Sendable {
  /// Why there is no lock.
  public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another daemon has it; `pid` is nil when it has not yet written its number.
    case held(pid: Int32?, path: String)
    /// A call failed.
    case system(SystemError)

    /// One line for people.
    public var description: String {
      switch self {
      case .held(let pid?, let path):
        "already running (pid \(pid)): it holds \(path); stop it first"
      case .held(nil, let path):
        "already running (pid unknown, it is starting): it holds \(path); stop it first"
      case .system(let error): error.description
      }
    }
  }

  private let descriptor: Int32

  /// Takes the lock of a runtime folder, and writes this process' number into it.
  public init(runtimeDirectory: String) throws(Failure) {
    let path = "\(runtimeDirectory)/lock"
    while true {
      let descriptor = unsafe clinux_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw .system(SystemError("open \(path)")) }
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw .system(SystemError("lock \(path); remove it", code: SystemError.noRegularFile))
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        defer { close(descriptor) }
        guard code == EWOULDBLOCK else { throw .system(SystemError("lock \(path)", code: code)) }
        throw .held(pid: Self.readPid(descriptor), path: path)
      }
      // Somebody may have taken the file away since it was opened: the lock is then on nothing.
      if Self.isSameFile(descriptor, path) {
        self.descriptor = descriptor
        break
      }
      close(descriptor)
    }
    let text = Array("\(getpid())\n".utf8)
    guard ftruncate(descriptor, 0) == 0,
      unsafe pwrite(descriptor, text, text.count, 0) == text.count
    else { throw .system(SystemError("write \(path)")) }
  }

  deinit {
    // To close it is not enough: a child that another thread has forked has it open too.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Takes a socket away that a daemon before this one left, so that its path can be bound.
  ///
  /// Nobody else may: without the lock, the socket may be a running daemon's. Anything but a socket
  /// stays, and throws EEXIST.
  public func removeStaleSocket(_ path: String) throws(SystemError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw SystemError("look at \(path)")
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw SystemError("replace \(path), which is no socket", code: EEXIST)
    }
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw SystemError("remove \(path)") }
  }

  private static func readPid(_ descriptor: Int32) -> Int32? {
    var text = [UInt8](repeating: 0, count: 16)
    let count = unsafe pread(descriptor, &text, text.count, 0)
    guard count > 0 else { return nil }
    let digits = text.prefix(count).prefix { (0x30...0x39).contains($0) }
    return Int32(String(decoding: digits, as: UTF8.self))
  }

  private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
    var opened = stat()
    var named = stat()
    return unsafe fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
      && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
  }
}
