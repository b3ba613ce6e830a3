/// The text of `--help`, for the program and for each command.
struct HelpText {
  let commands: [Command]

  /// The program's: how to call it, its commands, its exit statuses.
  var overview: String {
    let shown = commands.filter { !$0.isHidden }
    let width = (shown.map(\.name.count).max() ?? 0) + 2
    let list = shown.map { "  " + Self.padded($0.name, to: width) + $0.summary }
    return """
      Usage: gpsctl COMMAND [OPTION…]

      The machine's position and acceleration, from bearingd.

      Commands:
      \(list.joined(separator: "\n"))

      Every command takes:
      \(Self.list(Option.common))

      Exit status: 0 done, 1 failed, 2 wrong usage, 3 no fix or no data in time,
      4 the daemon cannot be reached, 5 denied.

      gpsctl COMMAND --help explains a command, with examples. A call in the form of gpsd's own
      gpsctl (gpsctl -n /dev/ttyUSB0) is handed over to that program unchanged.
      """
  }

  /// A command's: how to call it, what it does, its options, examples.
  func text(of command: Command, at path: [String]) -> String {
    let call = "gpsctl " + path.joined(separator: " ")
    var parts: [String] = []
    if command.subcommands.isEmpty {
      parts.append(
        "Usage: \(([call] + Self.operands(of: command)).joined(separator: " ")) [OPTION…]")
    } else {
      parts.append("Usage: \(call) COMMAND [OPTION…]")
    }
    parts.append(command.summary.prefix(1).uppercased() + command.summary.dropFirst() + ".")
    if !command.discussion.isEmpty { parts.append(command.discussion) }
    if !command.subcommands.isEmpty {
      let width = (command.subcommands.map(\.name.count).max() ?? 0) + 2
      let list = command.subcommands.map { "  " + Self.padded($0.name, to: width) + $0.summary }
      parts.append("Commands:\n" + list.joined(separator: "\n"))
    }
    parts.append("Options:\n" + Self.list(command.allOptions))
    if !command.examples.isEmpty {
      let width = (command.examples.map(\.call.count).max() ?? 0) + 2
      let list = command.examples.map { "  " + Self.padded($0.call, to: width) + $0.purpose }
      parts.append("Examples:\n" + list.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }

  // MARK: Parts

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
    let heads = options.map { option in
      "--\(option.name)" + (option.placeholder.map { " " + $0 } ?? "")
    }
    // A long list of choices does not push every explanation to the right.
    let width = (heads.map(\.count).filter { $0 <= 24 }.max() ?? 0) + 2
    return zip(heads, options).map { head, option in
      let isLong = head.count > 24
      let indent = String(repeating: " ", count: width + 2)
      return "  " + (isLong ? head + "\n" + indent : padded(head, to: width)) + option.help
    }.joined(separator: "\n")
  }
}
