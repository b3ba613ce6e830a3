internal import CLinux
internal import Glibc

/// A sensor's device node, from which its buffer is read in batches into the same memory.
final class IIOBufferNode {
  let path: String
  /// To wait on; owned by this object.
  let descriptor: Int32
  /// What was read; `count` of them count.
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  /// Opens the node; only one program can.
  init(_ path: String) throws(SystemError) {
    self.path = path
    descriptor = unsafe clinux_open(path, O_RDONLY | O_NONBLOCK, 0)
    guard descriptor >= 0 else { throw SystemError("open \(path)") }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Forgets what was read, and makes room for so many bytes at a time.
  func prepare(capacity: Int) {
    count = 0
    if bytes.count != capacity { bytes = [UInt8](repeating: 0, count: capacity) }
  }

  /// Reads what is there behind what was read before; false when there is nothing now.
  func read() throws(IIOFailure) -> Bool {
    while true {
      let room = bytes.count - count
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, room)
      }
      if got > 0 {
        count += got
        return true
      }
      guard got < 0 else { throw .unreadable(reason: "\(path) has ended") }
      switch errno {
      case EINTR: continue
      case EAGAIN: return false
      default: throw IIOFailure(SystemError("read \(path)"))
      }
    }
  }

  /// Takes away the first `taken` bytes: what is left goes to the front, a part of a scan at most.
  func drop(_ taken: Int) {
    for index in taken..<max(taken, count) { bytes[index - taken] = bytes[index] }
    count = max(0, count - taken)
  }
}
