/// gpsctl's completion for fish.
struct FishCompletion {
  let commands: [Command]

  var script: String {
    var lines = [
      "# fish completion for gpsctl; made by \"gpsctl completion fish\"",
      "complete -c gpsctl -f",
    ]
    let names = commands.map(\.name).joined(separator: " ")
    let isFirst = "not __fish_seen_subcommand_from \(names)"
    for command in commands {
      lines.append(
        "complete -c gpsctl -n \(quoted(isFirst)) -a \(command.name) -d \(quoted(command.summary))")
    }
    for option in Option.common { lines.append(line(for: option, when: nil)) }
    lines.append(line(for: .version, when: isFirst))
    for (path, command) in CompletionEntry.all(commands) {
      let seen = path.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
      if command.subcommands.isEmpty {
        for word in CompletionEntry.words(of: command) {
          let condition = "\(seen); and not __fish_seen_subcommand_from \(word)"
          lines.append("complete -c gpsctl -n \(quoted(condition)) -a \(word)")
        }
      } else {
        let below = command.subcommands.map(\.name).joined(separator: " ")
        let condition = "\(seen); and not __fish_seen_subcommand_from \(below)"
        for subcommand in command.subcommands {
          lines.append(
            "complete -c gpsctl -n \(quoted(condition)) -a \(subcommand.name)"
              + " -d \(quoted(subcommand.summary))")
        }
      }
      for option in command.options { lines.append(line(for: option, when: seen)) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(for option: Option, when condition: String?) -> String {
    var line = "complete -c gpsctl"
    if let condition { line += " -n \(quoted(condition))" }
    line += " -l \(option.name)"
    switch option.value {
    case .flag: break
    case .choice(let words): line += " -x -a \(quoted(words.joined(separator: " ")))"
    case .file: line += " -r -F"
    case .text where option == .socket: line += " -r -F"
    default: line += " -x"
    }
    return line + " -d \(quoted(option.help))"
  }

  private func quoted(_ text: String) -> String {
    let escaped = text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    return "'\(escaped)'"
  }
}
