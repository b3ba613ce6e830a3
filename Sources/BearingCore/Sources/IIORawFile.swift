internal import CLinux
internal import Glibc

/// A channel's raw value, read again and again through one descriptor.
///
/// Reading may take seconds on a slow bus, or never end around suspend: only the source's own thread
/// does it.
final class IIORawFile {
  /// Longer than any whole number and its newline.
  private static let most = 64

  let path: String
  private var descriptor: Int32 = -1
  private var buffer = [UInt8](repeating: 0, count: most)

  /// Why a value could not be read.
  enum Failure: Error, Equatable {
    /// The device is no longer there.
    case gone
    /// What was tried and what came.
    case unreadable(reason: String)
  }

  /// Opens the file.
  init(_ path: String) throws(Failure) {
    self.path = path
    try open()
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The value now.
  func read() throws(Failure) -> Int64 {
    var count = try readOnce()
    if count == 0 {
      // The end of a pipe that stands in for a slow attribute: its next writer comes to a new one.
      close(descriptor)
      descriptor = -1
      try open()
      count = try readOnce()
    }
    do throws(TextProblem) {
      return try NumberText.whole(buffer[..<count])
    } catch {
      throw .unreadable(reason: "\(path): \(error.reason)")
    }
  }

  private func open() throws(Failure) {
    repeat {
      descriptor = unsafe clinux_open(path, O_RDONLY, 0)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw Self.failure("open \(path)") }
  }

  private func readOnce() throws(Failure) -> Int {
    while true {
      var count = unsafe pread(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == ESPIPE {
        count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      }
      if count >= 0 { return count }
      guard errno == EINTR else { throw Self.failure("read \(path)") }
    }
  }

  private static func failure(_ attempt: String) -> Failure {
    let error = SystemError(attempt)
    let isGone = [ENODEV, ENXIO, ENOENT, ENOTDIR].contains(error.code)
    return isGone ? .gone : .unreadable(reason: "cannot \(error)")
  }
}
