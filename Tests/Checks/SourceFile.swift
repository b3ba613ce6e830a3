import Foundation

/// A text file of the project.
struct SourceFile: Sendable {
  /// Its path from the package's folder.
  let path: String
  let text: String

  /// The package's folder.
  static let root: URL = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every text file of the project, without what is built or downloaded.
  static let all: [SourceFile] = {
    let skipped: Set<String> = [".build", ".cache", ".git"]
    guard let names = FileManager.default.enumerator(atPath: root.path) else { return [] }
    var files: [SourceFile] = []
    while let name = names.nextObject() as? String {
      if skipped.contains(name) {
        names.skipDescendants()
      } else if let data = FileManager.default.contents(atPath: root.path + "/" + name),
        let text = String(data: data, encoding: .utf8)
      {
        files.append(SourceFile(path: name, text: text))
      }
    }
    return files.sorted { $0.path < $1.path }
  }()

  /// Every Swift file in the folders that start with `prefix`.
  static func swift(in prefix: String) -> [SourceFile] {
    all.filter { $0.path.hasPrefix(prefix) && $0.path.hasSuffix(".swift") }
  }

  /// The text's lines without comments and without what stands in string literals, so that each word
  /// in them is a word of the program. Code in an interpolation is left out with its literal.
  var codeLines: [String] {
    enum Place { case code, lineComment, blockComment, literal, longLiteral }
    let bytes = Array(text.utf8)
    var place = Place.code
    var code: [UInt8] = []
    var index = 0
    func isNext(_ first: Character, _ second: Character, _ third: Character? = nil) -> Bool {
      let wanted = [first, second, third].compactMap { $0?.asciiValue }
      return bytes[index...].starts(with: wanted)
    }
    while index < bytes.count {
      let byte = Character(UnicodeScalar(bytes[index]))
      var taken = 1
      switch (place, byte) {
      case (_, "\n"):
        code.append(bytes[index])
        // A literal of one line ends with it: it was none, such as a quote in a pattern.
        if place == .lineComment || place == .literal { place = .code }
      case (.code, "/") where isNext("/", "/"): place = .lineComment
      case (.code, "/") where isNext("/", "*"): place = .blockComment
      case (.code, "\"") where isNext("\"", "\"", "\""): (place, taken) = (.longLiteral, 3)
      case (.code, "\""): place = .literal
      case (.code, _): code.append(bytes[index])
      case (.blockComment, "*") where isNext("*", "/"): (place, taken) = (.code, 2)
      case (.longLiteral, "\"") where isNext("\"", "\"", "\""): (place, taken) = (.code, 3)
      case (.literal, "\""): place = .code
      case (.literal, "\\") where !isNext("\\", "\n"): taken = 2
      case (.longLiteral, "\\") where !isNext("\\", "\n"): taken = 2
      default: break
      }
      index += taken
    }
    return String(decoding: code, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// `path:line: the line` for each line of code that has `pattern`.
  func lines(with pattern: Regex<Substring>) -> [String] {
    // By default "Task.sleep" is one word, as in text for people.
    let pattern = pattern.wordBoundaryKind(.simple)
    return codeLines.enumerated().compactMap { index, line in
      line.contains(pattern)
        ? "\(path):\(index + 1): \(line.trimmingCharacters(in: .whitespaces))" : nil
    }
  }
}
