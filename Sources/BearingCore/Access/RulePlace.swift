/// Where an administrator can add a rule to the configuration, and what has it read.
public struct RulePlace: Sendable, Equatable {
  /// The file to add it to: one that is read last, since the later of two rules holds.
  public var file: String
  /// The command by which the daemon reads its configuration again.
  public var reload: String

  /// Rules go to this file.
  public init(file: String, reload: String) {
    self.file = file
    self.reload = reload
  }

  /// The command that adds a rule to the section Access.
  func adding(_ rule: String) -> String {
    let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    return
      "sudo sh -c 'mkdir -p \(folder) && printf \"[Access]\\n\(rule)\\n\" >>\(file) && \(reload)'"
  }
}
