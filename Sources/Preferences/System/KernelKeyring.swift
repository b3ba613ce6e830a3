internal import CKeyutils
internal import Glibc

/// A keyring of the kernel: bytes under names, in its memory alone and never on a disk.
struct KernelKeyring: Sendable {
  /// A call to the keyring that failed.
  struct Failure: Error {
    /// As errno.
    let code: Int32
    /// The system's words for it.
    let reason: String

    init() {
      code = errno
      var buffer = [CChar](repeating: 0, count: 128)
      let isKnown = unsafe strerror_r(code, &buffer, buffer.count) == 0
      let text = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      reason = isKnown ? String(decoding: text, as: UTF8.self) : "error \(code)"
    }
  }

  /// The kernel's type of key that is bytes of a user's.
  private static let type = "user"

  private let keyring: SecretStorage.Keyring

  init(_ keyring: SecretStorage.Keyring) {
    self.keyring = keyring
  }

  /// The bytes under a name; nil when there are none.
  func read(_ name: String) throws(Failure) -> [UInt8]? {
    guard let key = try find(name) else { return nil }
    // The size may change between two calls; the kernel tells the whole size each time.
    var buffer = [UInt8](repeating: 0, count: 1024)
    while true {
      let size = unsafe buffer.withUnsafeMutableBytes { bytes in
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        return unsafe keyctl_read(key, start, bytes.count)
      }
      if size < 0 {
        // Taken away, or run out, since it was found.
        if [ENOKEY, EKEYREVOKED, EKEYEXPIRED].contains(errno) { return nil }
        throw Failure()
      }
      if size <= buffer.count { return Array(buffer.prefix(size)) }
      buffer = [UInt8](repeating: 0, count: size)
    }
  }

  /// Puts bytes, at least one, under a name.
  func write(_ bytes: [UInt8], _ name: String) throws(Failure) {
    let ring = try possessed()
    if unsafe add_key(Self.type, name, bytes, bytes.count, ring) < 0 { throw Failure() }
  }

  /// The names in the keyring that start so, without that start.
  func names(startingWith prefix: String) throws(Failure) -> [String] {
    let ring = try possessed()
    var keys = [Int32](repeating: 0, count: 256)
    var size = 0
    while true {
      size = unsafe keys.withUnsafeMutableBytes { bytes in
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        return unsafe keyctl_read(ring, start, bytes.count)
      }
      if size < 0 {
        // The process' keyring is made by the first write.
        if errno == ENOKEY { return [] }
        throw Failure()
      }
      if size <= keys.count * MemoryLayout<Int32>.size { break }
      keys = [Int32](repeating: 0, count: size / MemoryLayout<Int32>.size)
    }
    return keys.prefix(size / MemoryLayout<Int32>.size).compactMap { key in
      name(of: key).flatMap { $0.withoutStart(prefix) }
    }
  }

  /// The name of a key of the type "user"; nil for another kind, or one that is gone.
  private func name(of key: Int32) -> String? {
    // "type;uid;gid;permissions;name"
    // The name alone may have 4,095 bytes.
    var buffer = [CChar](repeating: 0, count: 5000)
    let size = unsafe keyctl_describe(key, &buffer, buffer.count)
    guard size > 0, size <= buffer.count else { return nil }
    let text = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    let parts = String(decoding: text, as: UTF8.self).split(
      separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
    return parts.count == 5 && parts[0] == Self.type ? String(parts[4]) : nil
  }

  private func find(_ name: String) throws(Failure) -> key_serial_t? {
    let ring = try possessed()
    let key = unsafe keyctl_search(ring, Self.type, name, 0)
    if key >= 0 { return key_serial_t(key) }
    if [ENOKEY, EKEYREVOKED, EKEYEXPIRED].contains(errno) { return nil }
    throw Failure()
  }

  /// The keyring, such that this thread may read what is in it.
  ///
  /// The kernel lets a thread read keys that hang on one of its own keyrings. A service's session
  /// keyring does not have the user's on it, so it is linked to the thread's own each time (a new
  /// thread has none, and linking what is linked changes nothing).
  private func possessed() throws(Failure) -> key_serial_t {
    let ring: key_serial_t
    switch keyring {
    case .session: return KEY_SPEC_SESSION_KEYRING
    case .process: return KEY_SPEC_PROCESS_KEYRING
    case .user: ring = KEY_SPEC_USER_KEYRING
    }
    if keyctl_link(ring, KEY_SPEC_THREAD_KEYRING) < 0 { throw Failure() }
    return ring
  }
}

extension KernelKeyring.Failure {
  /// Whether the user has no bytes or keys left.
  var isQuota: Bool { code == EDQUOT }

  /// Whether the bytes or the name are not what the kernel takes, such as too long.
  var isInvalid: Bool { code == EINVAL }
}
