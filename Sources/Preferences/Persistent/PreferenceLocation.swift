/// Where a suite's file is.
enum PreferenceLocation {
  /// In the folder of a systemd service's state (of a list the first), else in the user's configuration
  /// folder by the XDG base directory specification, which has a relative path ignored.
  static func path(suiteName: String, environment: [String: String], home: String) -> String {
    func folder(_ variable: String) -> String? {
      let first = environment[variable]?.split(separator: ":").first.map(String.init)
      return first.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let home = folder("HOME") ?? home
    let folder = folder("STATE_DIRECTORY") ?? folder("XDG_CONFIG_HOME") ?? "\(home)/.config"
    let name = String(suiteName.map { $0 == "/" || $0 == "\0" ? "-" : $0 })
    return "\(folder)/\(name).preferences"
  }
}
