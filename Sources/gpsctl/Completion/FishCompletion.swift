/// gpsctl's completion for fish.
struct FishCompletion {
  let commands: [Command]

  var script: String {
    var lines = [
      """
      # fish completion for gpsctl; made by "gpsctl completion fish"
      # The words before the cursor that are no options and not the socket's path.
      function __gpsctl_words
        set -l tokens (commandline -opc)
        set -l isPath 0
        for token in $tokens[2..]
          if test $isPath = 1
            set isPath 0
          else if test "$token" = --socket
            set isPath 1
          else if not string match -q -- '-*' $token
            echo $token
          end
        end
      end
      # Whether those words begin with these, or are none when there are no arguments.
      function __gpsctl_at
        set -l words (__gpsctl_words)
        if test (count $argv) = 0
          return (count $words)
        end
        set -l number (count $argv)
        test (count $words) -ge $number; and test "$words[1..$number]" = "$argv"
      end
      complete -c gpsctl -f
      """
    ]
    lines += level(commands, at: [])
    lines.append(line(for: .version, when: "__gpsctl_at"))
    lines += Option.common.map { line(for: $0, when: whereItIs($0)) }
    for (path, command) in CompletionEntry.all(commands) {
      let place = "__gpsctl_at \(path.joined(separator: " "))"
      lines += level(command.subcommands, at: path)
      if command.subcommands.isEmpty {
        lines += CompletionEntry.words(of: command).map { word in
          let condition = "\(place); and not contains \(word) (__gpsctl_words)[2..]"
          return "complete -c gpsctl -n \(quoted(condition)) -a \(word)"
        }
      }
      lines += command.options.map { line(for: $0, when: place) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The commands that may stand behind `path`.
  private func level(_ commands: [Command], at path: [String]) -> [String] {
    let names = commands.map(\.name).joined(separator: " ")
    let condition =
      path.isEmpty
      ? "__gpsctl_at"
      : "__gpsctl_at \(path.joined(separator: " ")); and not __fish_seen_subcommand_from \(names)"
    return commands.map { command in
      "complete -c gpsctl -n \(quoted(condition)) -a \(command.name) -d \(quoted(command.summary))"
    }
  }

  /// The condition that the command is not one without that option of all others; nil when there is
  /// no such command.
  private func whereItIs(_ option: Option) -> String? {
    let lacking = CompletionEntry.all(commands).filter { !$0.command.allOptions.contains(option) }
    let places = lacking.map { "not __gpsctl_at \($0.path.joined(separator: " "))" }
    return places.isEmpty ? nil : places.joined(separator: "; and ")
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
