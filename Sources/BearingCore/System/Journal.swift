internal import CSystemd
internal import Glibc

/// The daemon's log: entries of the journal when it reads standard error, else lines there.
public enum Journal {
  /// A kind of message that administrators look for: `journalctl MESSAGE_ID=…`. The journal's catalog
  /// (`journalctl -x`, systemd/bearingd.catalog) explains each.
  public struct Kind: Sendable, Equatable {
    /// 32 hexadecimal digits.
    let identifier: String

    /// The configuration was read again and is in force.
    public static let reloaded = Kind(identifier: "9ba7eac2a1914419a96855a179d72f6c")
    /// What is wrong in the configuration, and where.
    public static let configuration = Kind(identifier: "56b1314b8b37470d84afe41938343a16")
    /// A client was refused or disconnected.
    public static let client = Kind(identifier: "68b95fb89a1a482490e64b3758aafdee")
    /// Something could not be stored or read back.
    public static let storage = Kind(identifier: "6a6aa1a1fbce4dc5bd5718c1f56c9635")
    /// A device's source could not be started or read.
    public static let source = Kind(identifier: "64e6c14534c74158af5f803458320a39")
    /// Clients will notice that the daemon starts or stops.
    public static let restart = Kind(identifier: "ddfeb0e152281d8550804738ae036d17")

    static let all: [Kind] = [reloaded, configuration, client, storage, source, restart]
  }

  /// A field of a journal entry: a name of capitals, digits and underscores, and its value.
  public typealias Field = (name: String, value: String)

  /// Something failed that should not; says what to do about it.
  public static func error(_ message: String, _ kind: Kind, _ fields: [Field] = []) {
    write(message, priority: LOG_ERR, kind, fields)
  }
  /// Something is wrong and the daemon goes on.
  public static func warning(_ message: String, _ kind: Kind, _ fields: [Field] = []) {
    write(message, priority: LOG_WARNING, kind, fields)
  }
  /// Something that an administrator wants to know, once.
  public static func notice(_ message: String, _ kind: Kind, _ fields: [Field] = []) {
    write(message, priority: LOG_NOTICE, kind, fields)
  }

  /// Whether standard error is the stream that systemd says it gave to the journal.
  private static let isRead: Bool = {
    guard let stream = unsafe getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
    return unsafe String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }()

  private static func write(_ message: String, priority: Int32, _ kind: Kind, _ fields: [Field]) {
    guard isRead else { return print("bearingd: \(message)\n") }
    let all: [Field] = [
      ("MESSAGE", message), ("MESSAGE_ID", kind.identifier), ("PRIORITY", String(priority)),
      ("SYSLOG_IDENTIFIER", "bearingd"),
    ]
    // journald's own socket can be away or full; its stream is read all the same.
    if !send(all + fields) { print("<\(priority)>\(message)\n") }
  }

  private static func send(_ fields: [Field]) -> Bool {
    let texts = fields.map { Array("\($0.name)=\($0.value)".utf8) }
    var bytes = texts.flatMap { $0 }
    return unsafe bytes.withUnsafeMutableBytes { buffer in
      var offset = 0
      let parts = unsafe texts.map { text in
        defer { offset += text.count }
        return unsafe iovec(
          iov_base: buffer.baseAddress.map { unsafe $0 + offset }, iov_len: text.count)
      }
      return unsafe sd_journal_sendv(parts, Int32(parts.count)) >= 0
    }
  }

  private static func print(_ line: String) {
    var bytes = Array(line.utf8)
    while !bytes.isEmpty {
      let written = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
      guard written > 0 else { return }
      bytes.removeFirst(written)
    }
  }
}
