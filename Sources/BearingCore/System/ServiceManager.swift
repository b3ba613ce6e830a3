internal import CSystemd

/// systemd, where it started this process; without it nothing here does anything.
enum ServiceManager {
  /// Tells what the daemon does, in sd_notify's words: `READY=1`, `STOPPING=1`, `STATUS=…`.
  static func notify(_ state: String) {
    _ = unsafe sd_notify(0, state)
  }

  /// Takes over the listening sockets that it passed; the environment no longer names them then.
  static func takeSockets() -> [Int32] {
    (0..<max(0, sd_listen_fds(1))).map { SD_LISTEN_FDS_START + $0 }
  }
}
