import Foundation
import Glibc

/// The service manager's end of sd_notify. It closes descriptors that it is to keep.
final class NoticeSocket: @unchecked Sendable {
  let path: String
  private let descriptor: Int32
  private let changed = NSCondition()
  private var lines: [String] = []
  private var hasEnded = false
  private let isDeaf: Bool

  /// Listens at a path; one that `isDeaf` reads no more after `READY=1`.
  init(path: String, isDeaf: Bool) throws {
    self.path = path
    self.isDeaf = isDeaf
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let result = withUnixAddress(path) { bind(descriptor, $0, $1) }
    guard descriptor >= 0, result == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    chmod(path, 0o777)
    Thread.detachNewThread { [self] in read() }
  }

  deinit { close(descriptor) }

  /// Nothing comes any more, behind what is still to be read.
  func end() {
    if isDeaf { return }
    let word = Array(Self.endWord.utf8)
    withUnixAddress(path) { _ = sendto(descriptor, word, word.count, 0, $0, $1) }
  }

  /// Waits for a line that was not waited for before; false when none comes in time, or ever.
  func wait(for wanted: String, seconds: Double) -> Bool {
    let deadline = Date() + seconds
    return changed.withLock {
      while true {
        if let index = lines.firstIndex(of: wanted) {
          lines.removeFirst(index + 1)
          return true
        }
        if hasEnded || !changed.wait(until: deadline) { return false }
      }
    }
  }

  private static let endWord = "END"

  private func read() {
    defer {
      changed.withLock {
        hasEnded = true
        changed.broadcast()
      }
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      if text == Self.endWord { return }
      let new = text.split(separator: "\n").map(String.init)
      changed.withLock {
        lines += new
        changed.broadcast()
      }
      if isDeaf, new.contains("READY=1") { return }
    }
  }
}

/// Calls `body` with the address of a Unix socket.
@discardableResult
func withUnixAddress<Result>(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) {
    $0.copyBytes(from: path.utf8.prefix($0.count - 1))
  }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
