internal import Glibc

/// A folder for this run only.
public final class DemoFolder {
  /// Where it is.
  public let path: String

  /// Makes a folder that only this user can enter, in TMPDIR or /tmp.
  public init() throws(SystemError) {
    let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = "\(base)/bearingd-demo.XXXXXX".utf8CString.map { $0 }
    guard unsafe mkdtemp(&template) != nil else {
      throw SystemError("make a temporary folder in \(base)")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes the folder with the files in it.
  public func remove() {
    if let names = try? Files.names(in: path) {
      for name in names { unsafe unlink("\(path)/\(name)") }
    }
    unsafe rmdir(path)
  }
}
