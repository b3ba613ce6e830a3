/// gpsctl's completion for bash, which needs nothing beyond bash itself.
struct BashCompletion {
  let commands: [Command]

  var script: String {
    """
    # bash completion for gpsctl; made by "gpsctl completion bash"
    _gpsctl() {
      local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
      local path="" index=1 options="" words=""
      # --option=value: bash splits at "=".
      [[ $word == "=" ]] && word=""
      [[ $previous == "=" ]] && previous=${COMP_WORDS[COMP_CWORD-2]}
      while ((index < COMP_CWORD)); do
        case ${COMP_WORDS[index]} in
          --socket) ((index++)) ;;
          -*) ;;
          *) path+="${path:+ }${COMP_WORDS[index]}"; _gpsctl_is_command "$path" || break ;;
        esac
        ((index++))
      done
      while [[ -n $path ]] && ! _gpsctl_is_command "$path"; do
        [[ $path == *" "* ]] && path=${path% *} || path=""
      done
      case "$path $previous" in
    \(valueCases)
        *" --socket") _gpsctl_files "$word"; return ;;
      esac
      case "$path" in
    \(pathCases)
      esac
      if [[ $word == -* ]]; then words=$options; fi
      COMPREPLY=($(compgen -W "$words" -- "$word"))
    }
    # Names of files: with a slash after a folder's, and no blank.
    _gpsctl_files() {
      COMPREPLY=($(compgen -f -- "$1"))
      compopt -o filenames 2>/dev/null
    }
    _gpsctl_is_command() {
      case "$1" in
        \(allPaths.joined(separator: "|"))) return 0 ;;
        *) return 1 ;;
      esac
    }
    complete -F _gpsctl gpsctl

    """
  }

  /// Each command with its path from the program down.
  private var entries: [(path: [String], command: Command)] {
    CompletionEntry.all(commands)
  }

  private var allPaths: [String] {
    entries.map { "\"\($0.path.joined(separator: " "))\"" }
  }

  /// What follows an option that takes a value.
  private var valueCases: String {
    var lines: [String] = []
    for (path, command) in entries {
      for option in command.options where option.placeholder != nil {
        let pattern = "\"\(path.joined(separator: " ")) --\(option.name)\""
        let reply =
          switch option.value {
          case .choice(let words):
            "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\"))"
          case .file: "_gpsctl_files \"$word\""
          default: "COMPREPLY=()"
          }
        lines.append("    \(pattern)) \(reply); return ;;")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// What may stand after a command: its words, and its options behind a dash.
  private var pathCases: String {
    var lines = [
      line("\"\"", words: commands.map(\.name), options: Option.common + [.version])
    ]
    for (path, command) in entries {
      lines.append(
        line(
          "\"\(path.joined(separator: " "))\"", words: CompletionEntry.words(of: command),
          options: command.allOptions))
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ pattern: String, words: [String], options: [Option]) -> String {
    let names = options.map { "--\($0.name)" }.joined(separator: " ")
    return "    \(pattern)) words=\"\(words.joined(separator: " "))\" options=\"\(names)\" ;;"
  }
}

/// What the completion scripts of all shells need to know of the commands.
enum CompletionEntry {
  /// Each command with its path from the program down.
  static func all(
    _ commands: [Command], below path: [String] = []
  ) -> [(path: [String], command: Command)] {
    commands.flatMap { command in
      [(path + [command.name], command)]
        + all(command.subcommands, below: path + [command.name])
    }
  }

  /// The words that may stand after a command.
  static func words(of command: Command) -> [String] {
    if !command.subcommands.isEmpty { return command.subcommands.map(\.name) }
    return if case .words(let words) = command.operands { words } else { command.operandWords }
  }
}
