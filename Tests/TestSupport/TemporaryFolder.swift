public import Foundation

/// A folder of a test's own, gone with the object.
public final class TemporaryFolder: Sendable {
  /// Its absolute path.
  public let path: String

  /// An empty folder.
  public init() throws {
    let base = FileManager.default.temporaryDirectory
    let folder = base.appendingPathComponent("bearing-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    path = folder.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file, making the folders above it, and gives its path.
  @discardableResult
  public func write(_ contents: Data, to name: String) throws -> String {
    let file = URL(fileURLWithPath: path).appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try contents.write(to: file)
    return file.path
  }

  /// Writes a text file, making the folders above it, and gives its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Data(text.utf8), to: name)
  }
}
