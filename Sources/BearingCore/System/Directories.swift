internal import CLinux
internal import Glibc

/// Where the daemon keeps what it has.
public struct Directories: Sendable, Equatable {
  /// The socket and the lock; gone with the machine's or the user's session.
  public var runtime: String
  /// What is to survive it.
  public var state: String
  /// `bearingd.conf`.
  public var configuration: String

  /// The same folder for everything.
  public init(everything path: String) {
    runtime = path
    state = path
    configuration = path
  }

  /// Those in the environment as systemd sets them (of a list the first), else root's under `/run`,
  /// `/var/lib` and `/etc`, else the user's by the XDG base directory specification.
  ///
  /// - Parameters:
  ///   - uid: The user; 0 is root.
  ///   - home: The user's home when the environment names none.
  ///   - environment: The value of a variable; nil when it is not set.
  public init(uid: UInt32, home: String, environment: (String) -> String?) {
    /// An absolute path from the environment; the specification has others ignored.
    func path(_ variable: String) -> String? {
      let first = environment(variable)?.split(separator: ":").first.map(String.init)
      return first.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    func choose(_ own: String, _ root: String, _ xdg: String, _ fallback: String) -> String {
      if let path = path(own) { return path }
      return (uid == 0 ? root : path(xdg) ?? fallback) + "/bearingd"
    }
    let home = path("HOME") ?? home
    runtime = choose("RUNTIME_DIRECTORY", "/run", "XDG_RUNTIME_DIR", "/run/user/\(uid)")
    state = choose("STATE_DIRECTORY", "/var/lib", "XDG_STATE_HOME", "\(home)/.local/state")
    configuration = choose("CONFIGURATION_DIRECTORY", "/etc", "XDG_CONFIG_HOME", "\(home)/.config")
  }

  /// Those of this process.
  public static func ofProcess() -> Directories {
    Directories(uid: geteuid(), home: homeOfUser()) { name in
      guard let value = unsafe getenv(name) else { return nil }
      return unsafe String(cString: value)
    }
  }

  /// Makes the runtime and the state folder where they are missing.
  ///
  /// Everybody may pass through root's runtime folder to the socket; an ordinary user's, and what is
  /// stored, are the user's alone.
  public func create() throws(SystemError) {
    try Self.create(runtime, mode: geteuid() == 0 ? 0o755 : 0o700)
    try Self.create(state, mode: 0o700)
  }

  private static func create(_ path: String, mode: mode_t) throws(SystemError) {
    if unsafe mkdir(path, mode) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw SystemError("make the folder \(path)")
    }
    try create(String(path[..<slash]), mode: 0o755)
    guard unsafe mkdir(path, mode) == 0 || errno == EEXIST else {
      throw SystemError("make the folder \(path)")
    }
  }

  /// From the user database; `/` for a user it does not have, who can then keep nothing.
  private static func homeOfUser() -> String {
    guard let entry = unsafe getpwuid(geteuid()), let home = unsafe entry.pointee.pw_dir else {
      return "/"
    }
    return unsafe String(cString: home)
  }
}
