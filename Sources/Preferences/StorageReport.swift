internal import Locking
internal import SQLiteStore

/// Something a storage has to say that no caller is there to be told of.
public enum StorageReport: Sendable, Equatable, CustomStringConvertible {
  /// A damaged file was set aside, and another made with all that could be read of it.
  ///
  /// - file: The file; keptAs: the name that the damaged one has now; keysKept: how many keys the new
  ///   one has; reason: what was wrong.
  case setAside(file: String, keptAs: String, keysKept: Int, reason: String)
  /// A container's `value` could not be read (the default was given) or written (the old one stays).
  case failure(StorageError)

  /// One line for people.
  public var description: String {
    switch self {
    case .setAside(let file, let keptAs, let keysKept, let reason):
      "the preferences in \(file) were damaged (\(reason)): \(keysKept) keys could be kept, what is "
        + "missing has its default, and the damaged file is now \(keptAs)"
    case .failure(let error):
      error.description
    }
  }

  /// Sends the reports of the whole process somewhere else than to standard error.
  ///
  /// The handler is called on the thread that met what it is about, and must not use a storage.
  public static func send(to handler: @escaping @Sendable (StorageReport) -> Void) {
    receiver.withValue { $0 = handler }
  }

  func send() {
    let handler = Self.receiver.withValue { $0 }
    handler(self)
  }

  private static let receiver = Guarded<@Sendable (StorageReport) -> Void> { report in
    StandardError.print("preferences: \(report)")
  }
}
