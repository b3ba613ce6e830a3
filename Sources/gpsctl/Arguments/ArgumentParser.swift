/// Reads a command line in terms of a tree of commands.
///
/// Options may stand before, between and after operands, as `--name value` or `--name=value`;
/// `--` ends them. A negative number is an operand.
struct ArgumentParser {
  /// What the command line asks for.
  enum Request {
    case run(Invocation)
    /// Help for a command, by its path; the empty path is the program itself.
    case help([String])
    case version
  }

  let commands: [Command]

  /// Reads the arguments after the program's name.
  func parse(_ arguments: [String]) throws(Failure) -> Request {
    var rest = arguments[...]
    var values: [Option: Invocation.Value] = [:]
    // Before the command's name: what every command takes.
    while let first = rest.first, first.hasPrefix("-") {
      let option = try readOption(&rest, among: Option.common + [.version], of: "gpsctl")
      if option.key == .help { return .help([]) }
      if option.key == .version { return .version }
      values[option.key] = option.value
    }
    guard rest.first != nil else { throw .usage("no command is given; see gpsctl --help") }
    if rest.first == "help" { return .help(Array(rest.dropFirst())) }
    let (command, path) = try findCommand(&rest)
    var invocation = Invocation(command: command, path: path, values: values)
    if !command.subcommands.isEmpty, !command.runsAlone {
      if rest.contains("--help") || rest.contains("-h") { return .help(path) }
      let names = command.subcommands.map(\.name).joined(separator: ", ")
      throw .usage("gpsctl \(command.name) needs one of: \(names)")
    }
    var isOptionsEnd = false
    while let first = rest.first {
      if first == "--", !isOptionsEnd {
        isOptionsEnd = true
        rest.removeFirst()
      } else if first.hasPrefix("-"), first != "-", Double(first) == nil, !isOptionsEnd {
        if first == "-h" { return .help(path) }
        let place = "gpsctl \(path.joined(separator: " "))"
        let option = try readOption(&rest, among: command.options + Option.common, of: place)
        if option.key == .help { return .help(path) }
        invocation.values[option.key] = option.value
      } else {
        invocation.operands.append(rest.removeFirst())
      }
    }
    try check(invocation)
    return .run(invocation)
  }

  /// The command of a path, as help needs it.
  func command(at path: [String]) throws(Failure) -> Command {
    var rest = path[...]
    let found = try findCommand(&rest)
    if let extra = rest.first {
      let place = found.path.joined(separator: " ")
      throw .usage("gpsctl \(place) has no command \"\(extra)\" (see gpsctl \(place) --help)")
    }
    return found.command
  }

  // MARK: Parts

  private func findCommand(
    _ rest: inout ArraySlice<String>
  ) throws(Failure) -> (command: Command, path: [String]) {
    var candidates = commands
    var path: [String] = []
    var found: Command?
    while !candidates.isEmpty, let name = rest.first, !name.hasPrefix("-") {
      guard let command = candidates.first(where: { $0.name == name }) else {
        let place = (["gpsctl"] + path).joined(separator: " ")
        let near = suggestionText(for: name, among: candidates.map(\.name))
        throw .usage("\(place) has no command \"\(name)\"\(near) (see \(place) --help)")
      }
      rest.removeFirst()
      path.append(name)
      found = command
      candidates = command.subcommands
    }
    guard let found else { throw .usage("no command is given; see gpsctl --help") }
    return (found, path)
  }

  private func readOption(
    _ rest: inout ArraySlice<String>, among options: [Option], of place: String
  ) throws(Failure) -> (key: Option, value: Invocation.Value) {
    let argument = rest.removeFirst()
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let typed = String(parts[0])
    guard let option = options.first(where: { "--" + $0.name == typed }) else {
      let near = suggestionText(for: typed, among: options.map { "--" + $0.name })
      throw .usage("\(place) has no option \"\(typed)\"\(near) (see \(place) --help)")
    }
    var text = parts.count > 1 ? String(parts[1]) : nil
    if option.value == .flag {
      guard text == nil else { throw .usage("--\(option.name) takes no value") }
      return (option, .flag)
    }
    if text == nil { text = rest.popFirst() }
    guard let text else {
      throw .usage("--\(option.name) needs a value: \(option.placeholder ?? "")")
    }
    return (option, try Self.read(text, for: option))
  }

  private static func read(
    _ text: String, for option: Option
  ) throws(Failure) -> Invocation.Value {
    func expected(_ what: String) -> Failure {
      .usage("--\(option.name) \(text): expected \(what)")
    }
    switch option.value {
    case .flag: return .flag
    case .duration:
      guard let value = Quantity.duration(text) else {
        throw expected("a time such as 500ms, 5s, 2m or 1h (a bare number is seconds)")
      }
      return .duration(value)
    case .distance:
      guard let value = Quantity.distance(text) else {
        throw expected("a distance such as 10m, 2km, 30ft, 1mi or 1nmi (a bare number is metres)")
      }
      return .number(value)
    case .rate:
      guard let value = Quantity.rate(text) else { throw expected("hertz above 0, such as 50") }
      return .number(value)
    case .count:
      guard let value = Int(text), value >= 1 else { throw expected("a whole number from 1") }
      return .count(value)
    case .text, .file:
      guard !text.isEmpty else { throw expected("a value that is not empty") }
      return .text(text)
    case .choice(let words):
      guard words.contains(text) else {
        let near = suggestionText(for: text, among: words)
        throw expected("one of \(words.joined(separator: ", "))\(near)")
      }
      return .text(text)
    }
  }

  private func check(_ invocation: Invocation) throws(Failure) {
    let place = "gpsctl \(invocation.path.joined(separator: " "))"
    if invocation.has(.json), let other = invocation.command.insteadOfJSON {
      throw .usage("\(place) has no --json: for programs there is \(other)")
    }
    switch invocation.command.operands {
    case .none:
      if let extra = invocation.operands.first {
        throw .usage("\(place) takes no operand, but got \"\(extra)\"")
      }
    case .words(let words):
      for (index, word) in invocation.operands.enumerated() {
        guard words.contains(word) else {
          let near = suggestionText(for: word, among: words)
          let all = words.joined(separator: ", ")
          throw .usage("\(place) \(word): expected one of \(all)\(near)")
        }
        if invocation.operands[..<index].contains(word) {
          throw .usage("\(place) names \"\(word)\" twice")
        }
      }
    case .texts(let names):
      let required = names.filter { !$0.hasPrefix("[") }
      if invocation.operands.count < required.count {
        throw .usage("\(place) needs \(required[invocation.operands.count])")
      }
      if invocation.operands.count > names.count {
        throw .usage("\(place): \"\(invocation.operands[names.count])\" is one operand too many")
      }
    }
  }
}
