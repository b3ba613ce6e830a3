/// gpsctl's completion for zsh.
struct ZshCompletion {
  let commands: [Command]

  var script: String {
    """
    #compdef gpsctl
    # zsh completion for gpsctl; made by "gpsctl completion zsh"
    _gpsctl() {
      local context state state_descr line
      typeset -A opt_args
    \(level(named: "the program", commands, options: Option.common + [.version], indent: "  "))
    }
    if [[ $funcstack[1] == _gpsctl ]]; then
      _gpsctl "$@"
    else
      compdef _gpsctl gpsctl
    fi

    """
  }

  /// Completes one level: its options, then a command whose own level follows.
  private func level(
    named name: String, _ commands: [Command], options: [Option], indent: String
  ) -> String {
    let described = commands.map { quoted("\($0.name):\($0.summary)") }.joined(separator: " ")
    let cases = commands.map { command in
      let inner = indent + "      "
      let body =
        command.subcommands.isEmpty
        ? "\(inner)\(arguments(of: command))"
        : level(
          named: command.name, command.subcommands, options: command.allOptions, indent: inner)
      return "\(indent)    \(command.name))\n\(body)\n\(inner);;"
    }
    return """
      \(indent)_arguments -C \(specifications(options)) '1: :->command' '*:: :->rest'
      \(indent)case $state in
      \(indent)  command)
      \(indent)    local -a commands=(\(described))
      \(indent)    _describe 'command of \(name)' commands
      \(indent)    ;;
      \(indent)  rest)
      \(indent)    case $words[1] in
      \(cases.joined(separator: "\n"))
      \(indent)    esac
      \(indent)    ;;
      \(indent)esac
      """
  }

  private func arguments(of command: Command) -> String {
    var parts = ["_arguments", specifications(command.allOptions)]
    if case .words(let words) = command.operands {
      parts.append(quoted("*: :(\(words.joined(separator: " ")))"))
    } else if !command.operandWords.isEmpty {
      parts.append(quoted("1: :(\(command.operandWords.joined(separator: " ")))"))
    }
    return parts.joined(separator: " ")
  }

  private func specifications(_ options: [Option]) -> String {
    options.map { option in
      let help = option.help.map { "[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
      let head = "--\(option.name)"
      return switch option.value {
      case .flag: quoted("\(head)[\(help)]")
      case .choice(let words):
        quoted("\(head)=[\(help)]: :(\(words.joined(separator: " ")))")
      case .file: quoted("\(head)=[\(help)]:file:_files")
      case .text where option == .socket: quoted("\(head)=[\(help)]:socket:_files")
      default: quoted("\(head)=[\(help)]:\(option.placeholder ?? ""): ")
      }
    }.joined(separator: " ")
  }

  private func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
