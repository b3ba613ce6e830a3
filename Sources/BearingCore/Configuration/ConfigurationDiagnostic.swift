/// What is wrong in a configuration file, and where.
public struct ConfigurationDiagnostic: Error, Sendable, Equatable, CustomStringConvertible {
  /// How bad it is.
  public enum Severity: Sendable {
    /// The daemon runs without what the line says.
    case warning
    /// The daemon does not start with it, or keeps the configuration it has.
    case error
  }

  /// How bad it is.
  public var severity: Severity
  /// The file's path.
  public var file: String
  /// The line in it, from 1; 0 for the file as a whole.
  public var line: Int
  /// What stands there and what was expected.
  public var message: String

  /// `file:line: message`, one line for people and editors.
  public var description: String {
    let place = line > 0 ? "\(file):\(line)" : file
    return severity == .warning ? "\(place): warning: \(message)" : "\(place): \(message)"
  }
}
