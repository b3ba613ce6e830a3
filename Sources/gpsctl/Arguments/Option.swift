/// What an option of a command takes, and how it reads in help and completion.
struct Option: Sendable, Hashable {
  /// The kind of value that follows an option, which decides how it is read.
  enum Value: Sendable, Hashable {
    /// No value: the option is there or not.
    case flag
    /// Such as 500ms, 5s, 2m or 1h; a bare number is in seconds.
    case duration
    /// Such as 10, 10m, 2km, 30ft, 1mi or 1nmi; a bare number is in metres.
    case distance
    /// Hertz, such as 50 or 50Hz.
    case rate
    /// A whole number from 1.
    case count
    /// Any text, shown in help as this word.
    case text(String)
    /// The name of a file.
    case file
    /// One of these words.
    case choice([String])
  }

  /// The long name without its dashes.
  let name: String
  let value: Value
  /// One line for help: a fragment without a full stop.
  let help: String

  init(_ name: String, _ value: Value, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }

  /// The word for the value in help; nil for a flag.
  var placeholder: String? {
    switch value {
    case .flag: nil
    case .duration: "TIME"
    case .distance: "DISTANCE"
    case .rate: "HERTZ"
    case .count: "N"
    case .text(let word): word
    case .file: "FILE"
    case .choice(let words): words.joined(separator: "|")
    }
  }
}

extension Option {
  static let json = Option("json", .flag, "one JSON object a line, SI units, the wire's names")
  static let socket = Option("socket", .text("PATH"), "the daemon's socket (or BEARING_SOCKET)")
  static let help = Option("help", .flag, "this text")
  static let version = Option("version", .flag, "the version")

  /// What every command takes, and what may stand before its name.
  static let common: [Option] = [.json, .socket, .help]
}
