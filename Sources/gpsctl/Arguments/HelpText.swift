/// The text of `--help`, for the program and for each command.
struct HelpText {
  let commands: [Command]

  /// The program's: how to call it, its commands, its exit statuses.
  var overview: String {
    let shown = commands.filter { !$0.isHidden }
    let list = Self.columns(shown.map { ($0.name, $0.summary) }, widest: 24)
    return """
      Usage: gpsctl COMMAND [OPTION…]

      The machine's position and acceleration, from bearingd.

      Commands:
      \(list)

      Common options:
      \(Self.list(Option.common))

      Exit status: 0 done, 1 failed, 2 wrong usage, 3 no fix or no data in time,
      4 the daemon cannot be reached, 5 denied.

      gpsctl COMMAND --help explains a command, with examples. A call in the form of
      gpsd's own gpsctl (gpsctl -n /dev/ttyUSB0) is handed over to that program
      unchanged.
      """
  }

  /// A command's: how to call it, what it does, its options, examples.
  func text(of command: Command, at path: [String]) -> String {
    let call = "gpsctl " + path.joined(separator: " ")
    let operands =
      command.subcommands.isEmpty
      ? Self.operands(of: command) : [command.runsAlone ? "[COMMAND]" : "COMMAND"]
    let usage = "Usage: "
    var parts = [
      usage
        + Self.wrapped(
          ([call] + operands + ["[OPTION…]"]).joined(separator: " "), indent: usage.count)
    ]
    parts.append(command.summary.prefix(1).uppercased() + command.summary.dropFirst() + ".")
    parts += command.discussion.split(separator: "\n\n").map { Self.wrapped(String($0)) }
    if !command.subcommands.isEmpty {
      let list = command.subcommands.map { ($0.name, $0.summary) }
      parts.append("Commands:\n" + Self.columns(list, widest: 24))
    }
    parts.append("Options:\n" + Self.list(command.allOptions))
    if !command.examples.isEmpty {
      let list = Self.columns(command.examples.map { ($0.call, $0.purpose) }, widest: 44)
      parts.append("Examples:\n" + list)
    }
    return parts.joined(separator: "\n\n")
  }

  // MARK: Parts

  /// Columns of a terminal that everybody has.
  static let lineLength = 80

  /// The words of a text on lines that fit a terminal, each but the first behind `indent` blanks.
  static func wrapped(_ text: String, indent: Int = 0, columns: Int = lineLength) -> String {
    var lines: [String] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      if let last = lines.last, indent + last.count + 1 + word.count <= columns {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }

  /// A text that begins behind `indent` columns, on as many lines as the terminal makes of it; as it
  /// is where standard output is no terminal.
  static func fitted(_ text: String, indent: Int) -> String {
    guard let columns = StandardStreams.outputColumns, indent + text.count > columns else {
      return text
    }
    return wrapped(text, indent: indent, columns: columns)
  }

  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func operands(of command: Command) -> [String] {
    switch command.operands {
    case .none: []
    case .words(let words): ["[\(words.joined(separator: "|"))]…"]
    case .texts(let names): names
    }
  }

  private static func list(_ options: [Option]) -> String {
    let rows = options.map { option in
      ("--\(option.name)" + (option.placeholder.map { " " + $0 } ?? ""), option.help)
    }
    return columns(rows, widest: 24)
  }

  /// Two columns; a first cell that is wider than `widest` has a line of its own, so that one long
  /// cell does not push everything to the right.
  private static func columns(_ rows: [(String, String)], widest: Int) -> String {
    let width = (rows.map(\.0.count).filter { $0 <= widest }.max() ?? 0) + 2
    let indent = width + 2
    let newLine = "\n" + String(repeating: " ", count: indent)
    return rows.map { head, text in
      "  " + (head.count > widest ? head + newLine : padded(head, to: width))
        + wrapped(text, indent: indent)
    }.joined(separator: "\n")
  }
}
