import CKeyutils

/// Takes secrets of the tests out of the kernel's keyrings again. They count towards what the user may
/// have, in all processes together, and the user's own keyring outlives the tests.
enum Keyrings {
  /// Takes all secrets of a service out of this thread's keyring of the process and out of the user's.
  static func forget(_ service: String) {
    for ring in [KEY_SPEC_PROCESS_KEYRING, KEY_SPEC_USER_KEYRING] {
      for key in keys(of: ring) where name(of: key).hasPrefix("\(service):") {
        keyctl_unlink(key, ring)
      }
    }
  }

  private static func keys(of ring: key_serial_t) -> [key_serial_t] {
    var keys = [key_serial_t](repeating: 0, count: 4096)
    let size = keys.withUnsafeMutableBytes { bytes in
      keyctl_read(ring, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return Array(keys.prefix(max(0, Int(size)) / MemoryLayout<key_serial_t>.size))
  }

  private static func name(of key: key_serial_t) -> Substring {
    // "type;uid;gid;permissions;name"
    var text = [CChar](repeating: 0, count: 1024)
    keyctl_describe(key, &text, text.count - 1)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      .split(separator: ";", maxSplits: 4).last ?? ""
  }
}
