internal import CLinux
internal import CSystemd
internal import Glibc

/// systemd, where it started this process; without it nothing here does anything.
enum ServiceManager {
  /// Tells what the daemon does, in sd_notify's words: `READY=1`, `STOPPING=1`, `STATUS=…`. Waits
  /// while systemd is behind.
  static func notify(_ state: String) {
    _ = unsafe sd_notify(0, state)
  }

  /// Tells it something, with a descriptor or without, unless it is behind: false then. Never waits.
  static func offer(_ state: String, descriptor: Int32 = -1) -> Bool {
    guard let path = unsafe getenv("NOTIFY_SOCKET") else { return true }
    let text = Array(state.utf8)
    let sent = unsafe clinux_send_datagram(path, text, text.count, descriptor)
    return sent >= 0 || (errno != EAGAIN && errno != ETOOMANYREFS)
  }

  /// A descriptor that it passed, and what it is called.
  struct PassedDescriptor {
    let number: Int32
    let name: String
  }

  /// Whether it listens to this process.
  static let isPresent = unsafe getenv("NOTIFY_SOCKET") != nil

  /// Takes over the descriptors that it passed; the environment no longer names them then.
  static func takeDescriptors() -> [PassedDescriptor] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = Int(unsafe sd_listen_fds_with_names(1, &names))
    guard count > 0 else { return [] }
    defer { unsafe free(names) }
    return (0..<count).map { index in
      let name = unsafe names?[index]
      defer { unsafe free(name) }
      return PassedDescriptor(
        number: SD_LISTEN_FDS_START + Int32(index),
        name: unsafe name.map { unsafe String(cString: $0) } ?? "")
    }
  }

  /// Has it keep a descriptor for the next process. Waits while it is behind.
  static func keep(_ descriptor: Int32, as name: String) {
    var descriptors = [descriptor]
    _ = unsafe sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)", &descriptors, 1)
  }

  /// Has it keep the descriptors of that name no more. Waits while it is behind.
  static func forget(_ name: String) {
    notify("FDSTOREREMOVE=1\nFDNAME=\(name)")
  }

  /// Closes a descriptor that was passed and nobody wants.
  static func close(_ descriptor: Int32) {
    Glibc.close(descriptor)
  }
}
