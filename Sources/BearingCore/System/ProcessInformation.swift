internal import CLinux
internal import Glibc

/// Numbers and names of processes.
enum ProcessName {
  private static let longest = 64

  /// This process's number.
  static var own: Int { Int(getpid()) }

  /// As the kernel has it; nil when the process is gone.
  static func of(_ pid: Int32) -> String? {
    let descriptor = unsafe clinux_open("/proc/\(pid)/comm", O_RDONLY, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).prefix { $0 != 0x0a }, as: UTF8.self)
  }
}

/// How many descriptors this process may have.
enum DescriptorLimit {
  /// Raises the soft limit to the hard one and returns it.
  static func raise() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return 1024
    }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }
}

/// This boot of the machine.
enum Boot {
  /// The kernel's random name for it; where it does not say, one that no boot has.
  static func identifier(file: String = "/proc/sys/kernel/random/boot_id") -> String {
    guard let bytes = try? Files.read(file, atMost: 64) else {
      return "unknown-\(UInt64.random(in: 0 ... .max))"
    }
    return String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
  }
}
