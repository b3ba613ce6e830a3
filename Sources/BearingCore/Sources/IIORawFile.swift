internal import CLinux
internal import Glibc

/// A channel's raw value, read again and again through one descriptor.
///
/// Reading may take seconds on a slow bus, or never end around suspend: only the source's own thread
/// does it.
final class IIORawFile {
  /// Longer than any whole number and its newline.
  private static let most = 64

  private let folder: IIOFolder
  private let path: String
  private var descriptor: Int32 = -1
  private var buffer = [UInt8](repeating: 0, count: most)

  /// Opens a file of a device.
  init(_ folder: IIOFolder, _ name: String) throws(IIOFailure) {
    self.folder = folder
    path = "\(folder.path)/\(name)"
    try open()
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The value now.
  func read() throws(IIOFailure) -> Int64 {
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

  private func open() throws(IIOFailure) {
    repeat {
      descriptor = unsafe clinux_open(path, O_RDONLY, 0)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw IIOFailure(SystemError("open \(path)"), on: folder) }
  }

  private func readOnce() throws(IIOFailure) -> Int {
    while true {
      var count = unsafe pread(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == ESPIPE {
        count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      }
      if count >= 0 { return count }
      guard errno == EINTR else { throw IIOFailure(SystemError("read \(path)"), on: folder) }
    }
  }
}
