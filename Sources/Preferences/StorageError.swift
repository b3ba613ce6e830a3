/// Why a value could not be read or written.
public enum StorageError: Error, Sendable, Equatable {
  /// What is stored under the key cannot be read as the type that was asked for. It stays as it is.
  case undecodable(key: String, type: String, reason: String)
  /// The value cannot be written in the storage's form.
  case unencodable(key: String, reason: String)
  /// The storage, or the place the key is kept in, cannot be written.
  case readOnly(attempt: String, reason: String)
  /// No space is left; the value is the old one still.
  case full(attempt: String, reason: String)
  /// Others held the storage longer than could be waited for.
  case busy(attempt: String, reason: String)
  /// The file is damaged and could not be set aside.
  case damaged(attempt: String, reason: String)
  /// The administrator has fixed the value: writing one would change nothing.
  case forced(key: String)
  /// Two places in the source declare a container of this key on the same storage.
  case duplicateKey(key: String, first: DeclarationPlace, second: DeclarationPlace)
  /// Anything else that the system or the storage said.
  case failed(attempt: String, reason: String)
}

extension StorageError: CustomStringConvertible {
  /// What was tried, on what, what came, and what to do.
  public var description: String {
    switch self {
    case .undecodable(let key, let type, let reason):
      "cannot read the value of \"\(key)\" as \(type): \(reason); it is left as it is: write or reset it"
    case .unencodable(let key, let reason):
      "cannot write the value of \"\(key)\": \(reason)"
    case .readOnly(let attempt, let reason), .full(let attempt, let reason),
      .busy(let attempt, let reason), .damaged(let attempt, let reason),
      .failed(let attempt, let reason):
      "cannot \(attempt): \(reason)"
    case .forced(let key):
      "cannot write the value of \"\(key)\": the administrator has fixed it"
    case .duplicateKey(let key, let first, let second):
      "the key \"\(key)\" is declared at \(second) and before at \(first): give one of them another key"
    }
  }
}

/// Where a container is declared.
public struct DeclarationPlace: Sendable, Hashable, CustomStringConvertible {
  /// The module and the file, as `#fileID` gives them.
  public let fileID: String
  /// The line, from 1.
  public let line: UInt
  /// The column, from 1.
  public let column: UInt

  /// A place in the source.
  public init(fileID: String, line: UInt, column: UInt) {
    self.fileID = fileID
    self.line = line
    self.column = column
  }

  /// As compilers write it.
  public var description: String { "\(fileID):\(line):\(column)" }
}
