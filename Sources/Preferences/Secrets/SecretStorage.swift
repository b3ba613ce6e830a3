internal import FoundationEssentials
internal import Locking

/// A storage for secrets: what a keychain is elsewhere.
///
/// What is written is kept in a keyring of the kernel: in its memory alone, never on a disk and never
/// swapped out. **It does not survive a reboot.** What has to is given to a service as a systemd
/// credential (`LoadCredentialEncrypted=` in its unit): a file of the key's name in the folder
/// `CREDENTIALS_DIRECTORY`, which can only be read, and which counts while the keyring has nothing under
/// the key. So a secret is a credential that a program may replace until the next reboot.
///
/// A credential is text as administrators write it: read as `String` it is the file's text without a
/// line end behind it, as `[UInt8]` or `Data` its bytes, and as any other type its JSON.
///
/// The kernel gives each user 20,000 bytes and 200 keys by default (root: 25 MB), and keeps at most
/// 32,767 bytes a key. Other programs of the same user can read the user's keyring.
///
/// Observers hear of changes made through this object. The kernel tells of those by others only where
/// it was built so; `processChanges` looks for them.
public final class SecretStorage: EncodedStorage {
  /// Which of the kernel's keyrings keeps what is written.
  public enum Keyring: Sendable {
    /// The user's: shared by all programs of the user, until the last of them has ended.
    case user
    /// The session's: shared by the programs started from one log-in, or by those of one service.
    case session
    /// The process' own, as the thread that makes it sees it and those it starts later.
    case process
  }

  /// What stands for a reset key: the kernel keeps no key without bytes, and JSON has no NUL.
  private static let resetMark: [UInt8] = [0]

  /// Which places declare its keys, and who observes them.
  public let bookkeeping = KeyBookkeeping()
  private let service: String
  private let keyring: KernelKeyring
  private let credentials: Credentials
  /// Held from looking to writing, as the kernel has no "write if it is still so".
  private let writing = Guarded(())

  /// A storage for a program's secrets.
  ///
  /// - Parameters:
  ///   - service: What is put, with a colon, before each key in the keyring; nil is the program's own
  ///     name. One with a colon in it shares keys with the one that is its beginning.
  ///   - keyring: Where what is written is kept.
  ///   - credentialsFolder: Where the credentials are; nil is the environment's `CREDENTIALS_DIRECTORY`,
  ///     and none when that is not set.
  public init(
    service: String? = nil, keyring: Keyring = .user, credentialsFolder: String? = nil
  ) {
    let process = ProcessInfo.processInfo
    self.service = service ?? process.processName
    self.keyring = KernelKeyring(keyring)
    credentials = Credentials(
      folder: credentialsFolder ?? process.environment["CREDENTIALS_DIRECTORY"])
  }

  /// The secret in the keyring, else the credential.
  public func value<T: Codable>(forKey key: String) throws(StorageError) -> T? {
    switch try entry(forKey: key) {
    case .value(let bytes): try JSONValue.decode(bytes, key: key) as T
    case .reset, .absent: try credential(forKey: key)
    }
  }

  /// Changes the secret in the keyring by the one that counts now.
  public func updateValue<T: Codable>(
    forKey key: String, _ change: (T?) -> T?
  ) throws(StorageError) {
    try updateValue(
      forKey: key, orElse: { () throws(StorageError) in try credential(forKey: key) }, change)
  }

  /// The credential of the key, else of the newest of its previous names that has one.
  private func credential<T: Codable>(forKey key: String) throws(StorageError) -> T? {
    for name in [key] + bookkeeping.previousKeys(of: key) {
      if let value: T = try credentials.value(forKey: name) { return value }
    }
    return nil
  }

  /// What the keyring has under a key.
  public func entry(forKey key: String) throws(StorageError) -> StoredEntry {
    let attempt = "read \"\(key)\" in the keyring"
    let name = try name(key, attempt)
    do {
      guard let bytes = try keyring.read(name) else { return .absent }
      return bytes == Self.resetMark ? .reset : .value(bytes)
    } catch {
      throw Self.error(error, attempt)
    }
  }

  /// Puts an entry into the keyring. Only writers in this object exclude each other.
  public func setEntry(
    _ entry: StoredEntry, forKey key: String, expecting expected: StoredEntry?
  ) throws(StorageError) -> Bool {
    let attempt = "write \"\(key)\" to the keyring"
    let name = try name(key, attempt)
    let isKept = try writing.withValue { _ throws(StorageError) in
      if let expected, try self.entry(forKey: key) != expected { return false }
      var bytes = Self.resetMark
      if case .value(let value) = entry { bytes = value }
      do throws(KernelKeyring.Failure) {
        try keyring.write(bytes, name)
      } catch {
        throw Self.error(error, attempt)
      }
      return true
    }
    if isKept { bookkeeping.changed(key) }
    return isKept
  }

  /// The keys that have a secret, in the keyring or as a credential, sorted.
  public func keys() throws(StorageError) -> [String] {
    let attempt = "list the keys of the keyring"
    let start = try name("", attempt)
    let written: [String]
    do {
      written = try keyring.names(startingWith: start)
    } catch {
      throw Self.error(error, attempt)
    }
    var keys = credentials.names()
    for key in written {
      if case .value = try entry(forKey: key) { keys.append(key) }
    }
    return keys.map { Array($0.utf8) }.asSortedKeys()
  }

  /// Calls the observers of what other programs have changed.
  public func processChanges() {
    bookkeeping.mayHaveChanged()
  }

  private func name(_ key: String, _ attempt: String) throws(StorageError) -> String {
    let name = "\(service):\(key)"
    guard !name.utf8.contains(0) else {
      // The kernel would take it for a shorter name, which is another secret's.
      throw .failed(attempt: attempt, reason: "the name of a secret has no NUL: give it another")
    }
    return name
  }

  private static func error(_ failure: KernelKeyring.Failure, _ attempt: String) -> StorageError {
    if failure.isQuota {
      return .full(
        attempt: attempt, reason: "\(failure.reason); the user's quota of keys is used up")
    }
    let limits = "; a secret has at most 32,767 bytes as JSON, and its name with the service 4,094"
    return .failed(attempt: attempt, reason: failure.reason + (failure.isInvalid ? limits : ""))
  }
}
