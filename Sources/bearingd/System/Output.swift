internal import Glibc

/// Writes a line to standard output; false when nobody reads it any more.
@discardableResult
func say(_ text: String) -> Bool { write(text, to: STDOUT_FILENO) }

/// Writes a line to standard error.
func complain(_ text: String) { _ = write(text, to: STDERR_FILENO) }

private func write(_ text: String, to descriptor: Int32) -> Bool {
  var bytes = Array((text + "\n").utf8)[...]
  while !bytes.isEmpty {
    let written = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    guard written > 0 else { return false }
    bytes = bytes.dropFirst(written)
  }
  return true
}
