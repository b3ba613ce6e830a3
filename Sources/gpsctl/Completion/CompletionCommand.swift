extension Command {
  private static let shells = ["bash", "zsh", "fish"]

  /// Prints a shell's completion script, made from the commands themselves.
  static let completion = Command(
    name: "completion",
    summary: "a shell's completion script",
    operands: .texts(["bash|zsh|fish"]),
    examples: [
      Example("gpsctl completion bash > /usr/share/bash-completion/completions/gpsctl", "bash"),
      Example("gpsctl completion zsh > /usr/share/zsh/vendor-completions/_gpsctl", "zsh"),
      Example("gpsctl completion fish > /usr/share/fish/vendor_completions.d/gpsctl.fish", "fish"),
    ],
    isHidden: true
  ) { invocation throws(Failure) in
    let commands = Gpsctl.commands.filter { !$0.isHidden }
    let script: String
    switch invocation.operands[0] {
    case "bash": script = BashCompletion(commands: commands).script
    case "zsh": script = ZshCompletion(commands: commands).script
    case "fish": script = FishCompletion(commands: commands).script
    default: throw .usage("completion is for one of \(shells.joined(separator: ", "))")
    }
    try StandardStreams.writeOutput(script)
  }
}
