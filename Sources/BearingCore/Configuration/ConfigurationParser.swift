/// One `Key=Value` of a configuration file, still as text.
struct ConfigurationEntry: Sendable, Equatable {
  var section: String
  var key: String
  var value: String
  /// Where the assignment starts, from 1.
  var line: Int
}

/// Reads the INI dialect of systemd's files, and says of everything it cannot read where it stands.
///
/// A section is `[Name]`, an assignment `Key=Value` without quotes. `#` and `;` start a comment only
/// at the start of a line. `\` at the end of a line continues it on the next; the pieces are joined by
/// one blank, and comments between them are left out.
struct ConfigurationParser {
  /// Bytes in a line, continuations included.
  static var longestLine: Int { 8192 }
  /// Errors after which the rest of a file is not read: it is no configuration file.
  static var mostErrors: Int { 50 }

  private let file: String
  /// nil before the first; empty in one whose name is wrong, whose keys are passed over.
  private var section: String?
  private var pending: (text: String, line: Int)?
  private var saidCarriageReturn = false
  private(set) var entries: [ConfigurationEntry] = []
  private(set) var diagnostics: [ConfigurationDiagnostic] = []

  /// Everything in `bytes`; `file` names them in diagnostics.
  static func parse(
    _ bytes: [UInt8], file: String
  ) -> (entries: [ConfigurationEntry], diagnostics: [ConfigurationDiagnostic]) {
    var parser = ConfigurationParser(file: file)
    parser.read(bytes[...])
    return (parser.entries, parser.diagnostics)
  }

  private init(file: String) {
    self.file = file
  }

  private mutating func read(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      warn(1, "a byte order mark, which is ignored: save the file as UTF-8 without one")
      rest = rest.dropFirst(3)
    }
    var line = 0
    while !rest.isEmpty {
      line += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      let text = decode(rest[..<(end ?? rest.endIndex)], line: line)
      rest = end.map { rest[($0 + 1)...] } ?? []
      if let text { physicalLine(text, line: line) }
      if diagnostics.count(where: { $0.severity == .error }) >= Self.mostErrors {
        return fail(line, "too many errors: the rest of the file is not read")
      }
    }
    finishPending()
  }

  /// The line's text without blanks around it; nil, and an error, when it is not text.
  private mutating func decode(_ bytes: ArraySlice<UInt8>, line: Int) -> String? {
    var bytes = bytes
    if bytes.last == UInt8(ascii: "\r") {
      bytes = bytes.dropLast()
      if !saidCarriageReturn {
        saidCarriageReturn = true
        warn(line, "ends with a carriage return, which is ignored: save it with Unix line ends")
      }
    }
    let unreadable: String
    if bytes.count > Self.longestLine {
      unreadable = "a line of \(bytes.count) bytes: the longest is \(Self.longestLine)"
    } else if bytes.contains(0) {
      unreadable = "a NUL byte: expected UTF-8 text"
    } else if let byte = bytes.first(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) {
      unreadable = "a control character (\(byte)): expected UTF-8 text"
    } else if let text = String(validating: bytes, as: UTF8.self) {
      return text.trimmed
    } else {
      unreadable = "not UTF-8: save the file as UTF-8"
    }
    pending = nil
    fail(line, unreadable)
    return nil
  }

  private mutating func physicalLine(_ text: String, line: Int) {
    if text.hasPrefix("#") || text.hasPrefix(";") { return }
    let continues = text.hasSuffix("\\")
    let piece = continues ? String(text.dropLast()).trimmed : text
    let started = pending ?? (text: "", line: line)
    if started.text.utf8.count <= Self.longestLine {
      let joint = piece.isEmpty || started.text.isEmpty ? "" : " "
      pending = (started.text + joint + piece, started.line)
    }
    if !continues { finishPending() }
  }

  private mutating func finishPending() {
    guard let (text, line) = pending else { return }
    pending = nil
    if text.isEmpty { return }
    guard text.utf8.count <= Self.longestLine else {
      return fail(line, "a continued line of more than \(Self.longestLine) bytes")
    }
    if text.hasPrefix("[") {
      let name = text.dropFirst().dropLast()
      let isGood = text.hasSuffix("]") && !name.contains("]") && !name.isEmpty
      section = isGood ? String(name) : ""
      if !isGood { fail(line, "\(text.clipped): expected a section as [Name]") }
      return
    }
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      return fail(line, "\(text.clipped): expected Key=Value")
    }
    let key = String(text[..<equals]).trimmed
    guard let section else {
      return fail(line, "\(key.clipped)=: expected a [Section] before it")
    }
    if section.isEmpty { return }
    let value = String(text[text.index(after: equals)...]).trimmed
    entries.append(ConfigurationEntry(section: section, key: key, value: value, line: line))
  }

  private mutating func fail(_ line: Int, _ message: String) {
    diagnostics.append(.init(severity: .error, file: file, line: line, message: message))
  }

  private mutating func warn(_ line: Int, _ message: String) {
    diagnostics.append(.init(severity: .warning, file: file, line: line, message: message))
  }
}
