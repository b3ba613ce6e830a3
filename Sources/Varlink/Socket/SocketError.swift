internal import FoundationEssentials
#if canImport(Glibc)
  internal import Glibc
#endif

/// A system call on a socket that failed.
public struct SocketError: Error, Equatable, CustomStringConvertible {
  /// What was tried, such as `connect to /run/example`.
  public let attempt: String
  /// What the system said, as errno.
  public let code: Int32

  /// An attempt, worded to follow "cannot", and its errno.
  public init(attempt: String, code: Int32) {
    self.attempt = attempt
    self.code = code
  }

  /// Nothing listens there: no socket at the path, or nobody behind it.
  public var isNobodyListening: Bool { code == ENOENT || code == ECONNREFUSED }

  /// The listener's queue is full: try again soon.
  var isBusy: Bool { code == EAGAIN }

  /// What was tried, what the system said, and what it usually means.
  public var description: String {
    let advice: String? =
      switch code {
      case ENOENT: "nothing has this path; is the service running?"
      case ECONNREFUSED: "nobody listens on it; is the service running?"
      case EACCES, EPERM: "the file's or folder's permissions forbid it"
      case EADDRINUSE: "something has this path already"
      case ENAMETOOLONG: "a socket's path has 107 bytes at most"
      case EMFILE, ENFILE: "no descriptors are left"
      case EBADMSG: "descriptors came along, and none are wanted"
      case EAGAIN: "its queue is full"
      case ETIMEDOUT: "it did not answer in time"
      default: nil
      }
    let name = SocketError.name(of: code)
    return "cannot \(attempt): " + (advice.map { "\($0) (\(name))" } ?? name)
  }
}
