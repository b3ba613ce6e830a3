internal import CSQLite
internal import Glibc

/// Something tried on a database or its file that failed.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What a caller can do about it.
  public enum Kind: Sendable, Equatable {
    /// Another process or connection holds the file; it may work later.
    case busy
    /// No space is left.
    case full
    /// The file, or the folder it is in, cannot be written.
    case readOnly
    /// A writer was killed half-way, and what it left can be undone only by who may write to the file.
    case interrupted
    /// The bytes are not those of a whole database.
    case damaged
    /// Permissions forbid it.
    case denied
    /// There is no such file, or another has its name by now.
    case missing
    /// Anything else.
    case other
  }

  /// What was tried, worded to follow "cannot".
  public let attempt: String
  /// The file it was tried on.
  public let path: String
  /// What a caller can do about it.
  public let kind: Kind
  /// What SQLite or the system said.
  public let detail: String

  /// A failure of a kind, in the caller's own words.
  public init(attempt: String, path: String, kind: Kind, detail: String) {
    self.attempt = attempt
    self.path = path
    self.kind = kind
    self.detail = detail
  }

  /// A system call's failure, by errno.
  public init(attempt: String, path: String, errno code: Int32) {
    let kind: Kind =
      switch code {
      case ENOENT, ENOTDIR: .missing
      case EACCES, EPERM: .denied
      case EROFS: .readOnly
      case ENOSPC, EDQUOT, EFBIG: .full
      case EAGAIN, EBUSY, ETXTBSY: .busy
      default: .other
      }
    self.init(attempt: attempt, path: path, kind: kind, detail: Self.message(ofErrno: code))
  }

  /// SQLITE_READONLY_DBMOVED, a macro that is not imported: the file that is open has lost its name.
  private static let moved: Int32 = SQLITE_READONLY | 4 << 8

  /// SQLITE_READONLY_ROLLBACK, the same.
  private static let unfinished: Int32 = SQLITE_READONLY | 3 << 8

  /// SQLite's result code, extended or not, with its own words for it.
  init(attempt: String, path: String, code: Int32, message: String) {
    let kind: Kind =
      switch code & 0xff {
      case _ where code == Self.moved: .missing
      case _ where code == Self.unfinished: .interrupted
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
      case SQLITE_FULL: .full
      case SQLITE_READONLY: .readOnly
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_CANTOPEN: .denied
      case SQLITE_PERM, SQLITE_AUTH: .denied
      default: .other
      }
    self.init(attempt: attempt, path: path, kind: kind, detail: "\(message) (SQLite \(code))")
  }

  /// What was tried, on what, what came, and what to do.
  public var description: String {
    let advice =
      switch kind {
      case .busy: "; another process holds it: try again"
      case .full: "; free some space"
      case .readOnly, .denied: "; look at the permissions of the file and of its folder"
      case .interrupted: "; its writer was killed half-way: have one who may write to it open it"
      case .damaged: "; the file is damaged"
      case .missing, .other: ""
      }
    return "cannot \(attempt) \(path): \(detail)\(advice)"
  }

  private static func message(ofErrno code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
