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

/// What a source's line to the loop has carried, since the start.
public struct SourceCounters: Sendable, Equatable {
  /// Samples that were posted.
  public var samples = 0
  /// Samples lost because the loop was behind.
  public var lost = 0
  /// Times that the loop took what waited.
  public var turns = 0
  /// Nanoseconds from a post to the loop's taking it, added up over the turns.
  public var latency: Int64 = 0
  /// The longest of those.
  public var longestLatency: Int64 = 0

  /// Nothing yet.
  public init() {}

  /// Both together.
  public static func + (lhs: SourceCounters, rhs: SourceCounters) -> SourceCounters {
    var sum = lhs
    sum.samples += rhs.samples
    sum.lost += rhs.lost
    sum.turns += rhs.turns
    sum.latency += rhs.latency
    sum.longestLatency = max(lhs.longestLatency, rhs.longestLatency)
    return sum
  }
}
