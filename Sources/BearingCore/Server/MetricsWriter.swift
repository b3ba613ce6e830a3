/// Writes metrics in Prometheus's text exposition format, version 0.0.4.
///
/// Names follow its rules: `bearingd_` first, base units, `_total` for counters.
public struct MetricsWriter {
  /// What kind of value a metric has.
  public enum Kind: String, Sendable {
    case counter, gauge, summary
  }

  /// What was written so far.
  public private(set) var text = ""

  /// Writes nothing yet.
  public init() {}

  /// Begins a metric; its samples must follow at once.
  public mutating func metric(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
    text += "# HELP bearingd_\(name) \(help)\n# TYPE bearingd_\(name) \(kind.rawValue)\n"
  }

  /// One sample of the metric begun last; nothing when the value is not known.
  public mutating func sample(
    _ name: StaticString, labels: [(StaticString, String)] = [], _ value: Double?
  ) {
    guard let value else { return }
    text += "bearingd_\(name)"
    if !labels.isEmpty {
      let pairs = labels.map { "\($0)=\"\(Self.escaped($1))\"" }
      text += "{\(pairs.joined(separator: ","))}"
    }
    text += " \(Self.number(value))\n"
  }

  /// A metric with one sample without labels; nothing when the value is not known.
  public mutating func single(
    _ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Double?
  ) {
    guard let value else { return }
    metric(name, kind, help)
    sample(name, value)
  }

  private static func number(_ value: Double) -> String {
    if let integer = Int64(exactly: value) { return String(integer) }
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return value.description
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
