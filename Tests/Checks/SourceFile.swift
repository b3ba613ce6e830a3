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

  /// The text's lines with comments and what stands in string literals left out, so that a word in
  /// them is a word of the program. Code in an interpolation is left out with its literal.
  var codeLines: [String] {
    var code = text
    // Literals of several lines, then comments of several lines, keeping the line ends.
    for pattern in [#/(?s)\#*"""(?:\\.|.)*?"""\#*/#, #/(?s)/\*.*?\*//#] {
      code = code.replacing(pattern) { match in
        String(repeating: "\n", count: match.output.count { $0 == "\n" })
      }
    }
    return code.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line).replacing(#/"(?:\\.|[^"\\])*"/#, with: "\"\"").replacing(#/\/\/.*/#, with: "")
    }
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
