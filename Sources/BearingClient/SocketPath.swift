internal import FoundationEssentials

/// Where the daemon's socket is.
public enum SocketPath {
  /// The socket of the machine's daemon.
  public static let system: String = "/run/bearingd/io.bearing"

  /// The socket to use when none is named.
  ///
  /// `BEARING_SOCKET` of the environment if it is set; else the machine's; else, where only that
  /// exists, the one of a daemon of the user's own in `XDG_RUNTIME_DIR`.
  public static var standard: String {
    find(in: ProcessInfo.processInfo.environment) {
      FileManager.default.fileExists(atPath: $0)
    }
  }

  static func find(in environment: [String: String], exists: (String) -> Bool) -> String {
    if let named = environment["BEARING_SOCKET"], !named.isEmpty { return named }
    if let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty, !exists(system) {
      let user = "\(folder)/bearingd/io.bearing"
      if exists(user) { return user }
    }
    return system
  }
}
