/// Colours for people at a terminal.
struct Style: Sendable {
  enum Colour: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case grey = 90
  }

  let isColoured: Bool

  /// Colours only on a terminal, and not with NO_COLOR (https://no-color.org) or a dumb one.
  static var ofOutput: Style {
    let refusal = StandardStreams.environment("NO_COLOR") ?? ""
    let terminal = StandardStreams.environment("TERM") ?? ""
    return Style(
      isColoured: StandardStreams.isOutputTerminal && refusal.isEmpty && terminal != "dumb")
  }

  /// The text in a colour, where there are colours.
  func paint(_ text: String, _ colour: Colour?) -> String {
    guard isColoured, let colour else { return text }
    return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
  }

  /// How good a state is, by the wire's word for it.
  static func colour(ofState word: String) -> Colour? {
    switch word {
    case "live": .green
    case "connecting", "searching", "starting", "stale": .yellow
    case "lost", "suspect", "noReceiver", "noSensor", "failed": .red
    case "off", "unknown": .grey
    default: nil
    }
  }

  /// The wire's word for a state in its colour.
  func state(_ word: String) -> String { paint(word, Self.colour(ofState: word)) }
}
