import Glibc

/// A file, or standard input, read to its end.
enum InputFile {
  /// The name for standard input.
  static let standardInput = "-"
  private static let pieceBytes = 4096

  /// How a name reads in a message.
  static func shown(_ name: String) -> String { name == standardInput ? "standard input" : name }

  /// All bytes of a file; one with more than `limit` is refused.
  static func read(_ name: String, upTo limit: Int) throws(Failure) -> [UInt8] {
    let isInput = name == standardInput
    let shown = shown(name)
    let descriptor = isInput ? STDIN_FILENO : unsafe open(name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Failure(.failed, "\(shown) cannot be opened: \(StandardStreams.describe(errno))")
    }
    defer { if !isInput { close(descriptor) } }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    while true {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count == 0 { return bytes }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw Failure(.failed, "\(shown) cannot be read: \(StandardStreams.describe(errno))")
      }
      bytes += piece[..<count]
      if bytes.count > limit {
        throw Failure(.failed, "\(shown) is longer than the \(limit) bytes that it may have")
      }
    }
  }
}
