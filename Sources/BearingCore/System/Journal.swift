internal import Glibc

/// The daemon's log: lines on standard error with systemd's priority prefix when it reads them.
public enum Journal {
  private static let isRead = unsafe getenv("JOURNAL_STREAM") != nil

  /// Something failed that should not; says what to do about it.
  public static func error(_ message: String) { write(message, priority: 3) }
  /// Something is wrong and the daemon goes on.
  public static func warning(_ message: String) { write(message, priority: 4) }
  /// Something that an administrator wants to know, once.
  public static func notice(_ message: String) { write(message, priority: 5) }

  private static func write(_ message: String, priority: Int) {
    let prefix = isRead ? "<\(priority)>" : "bearingd: "
    var bytes = Array((prefix + message + "\n").utf8)
    while !bytes.isEmpty {
      let written = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
      guard written > 0 else { return }
      bytes.removeFirst(written)
    }
  }
}
