internal import FoundationEssentials

/// systemd's credentials: files that a service is given to read.
struct Credentials: Sendable {
  private let folder: String?

  init(folder: String?) {
    self.folder = folder
  }

  /// The names of all.
  func names() -> [String] {
    folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
  }

  /// A credential as a value; nil when there is none of the name.
  func value<T: Codable>(forKey key: String) throws(StorageError) -> T? {
    // Only what is listed is read, so that no key leads out of the folder.
    guard let folder, names().contains(where: { $0.utf8.elementsEqual(key.utf8) }) else {
      return nil
    }
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: folder).appending(path: key))
    } catch {
      throw .failed(attempt: "read the credential \(folder)/\(key)", reason: "\(error)")
    }
    var bytes = Array(data)
    switch T.self {
    case is Data.Type, is Data?.Type: return data as? T
    case is [UInt8].Type, is [UInt8]?.Type: return bytes as? T
    case is String.Type, is String?.Type: break
    default: return try JSONValue.decode(bytes, key: key) as T
    }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.count < data.count, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .undecodable(key: key, type: "\(T.self)", reason: "the credential is not UTF-8")
    }
    return text as? T
  }
}
