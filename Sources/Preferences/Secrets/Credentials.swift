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
    if let bytes = data as? T ?? Array(data) as? T { return bytes }
    guard T.self == String.self || T.self == String?.self else {
      return try JSONValue.decode(Array(data), key: key) as T
    }
    guard var text = String(data: data, encoding: .utf8) else {
      throw .undecodable(key: key, type: "\(T.self)", reason: "the credential is not UTF-8")
    }
    if text.hasSuffix("\n") { text.removeLast() }
    return text as? T
  }
}
