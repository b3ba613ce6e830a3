internal import Glibc

/// What becomes of a configuration that is read again while the daemon runs.
extension Daemon {
  /// Reads the configuration again and applies what can change now.
  ///
  /// With an error in it, all stays as it is; open streams go on in any case, but for those whose
  /// caller may have them no more.
  func reload(_ read: () -> (Configuration, [ConfigurationDiagnostic])) {
    ServiceManager.notify("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.nowMicroseconds())")
    defer { ServiceManager.notify("READY=1\nSTATUS=\(statusLine)") }
    let (newer, diagnostics) = read()
    for diagnostic in diagnostics { diagnostic.log() }
    guard !diagnostics.contains(where: { $0.severity == .error }) else {
      return Journal.error(
        "the configuration has errors: everything stays as it was", .configuration)
    }
    let (adopted, kept) = configuration.adopting(newer)
    for key in kept { Journal.notice(key, .reloaded) }
    configuration = adopted
    apply(diagnostics.map(\.description))
    Journal.notice("the configuration was read again", .reloaded)
  }
}

extension ConfigurationDiagnostic {
  /// Says it in the journal, with the fields that systemd's own complaints have.
  fileprivate func log() {
    let fields: [Journal.Field] = [("CONFIG_FILE", file), ("CONFIG_LINE", String(line))]
    Journal.warning(description, .configuration, fields)
  }
}
