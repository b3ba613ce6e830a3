internal import Foundation

/// What the compiler says of code against this package's modules, as this test run built them.
public enum CompileCheck {
  /// The errors of a program's text, each without its place; empty when it compiles.
  ///
  /// The text is compiled as Swift 6 in a module of its own. Anything else than errors of the text,
  /// such as a module that is not found, throws.
  public static func errors(in text: String) throws -> [String] {
    let folder = try TemporaryFolder()
    let file = try folder.write(text, to: "Snippet.swift")
    let products = ProgramRun.productsFolder
    var arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-module-name", "Snippet"]
    arguments += ["-module-cache-path", products.appending(path: "ModuleCache").path]
    arguments += ["-I", products.appending(path: "Modules").path]
    // The C targets' maps are made by the build, those of system libraries stand in their folders.
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources").standardized
    for folder in [products, sources] {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let map = folder.appending(path: "\(name)/module.modulemap").path
        if FileManager.default.fileExists(atPath: map) {
          arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
        }
      }
    }
    let run = try ProgramRun.run("/usr/bin/env", arguments + [file], within: 120)
    let errors = run.errors.split(separator: "\n").compactMap { line in
      line.hasPrefix(file) ? line.firstRange(of: ": error: ").map { line[$0.upperBound...] } : nil
    }
    guard (run.status == 0) == errors.isEmpty else {
      throw Failure(status: run.status, output: run.errors)
    }
    return errors.map(String.init)
  }

  /// The compiler failed for another reason than the text.
  public struct Failure: Error, Sendable {
    /// Its exit status.
    public var status: Int32
    /// All that it said.
    public var output: String
  }
}
