internal import Glibc

/// The process' standard error.
public enum StandardError {
  /// Writes a line at once.
  public static func print(_ line: String) {
    var bytes = Array("\(line)\n".utf8)
    while !bytes.isEmpty {
      let count = unsafe write(STDERR_FILENO, bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      bytes.removeFirst(count)
    }
  }
}
