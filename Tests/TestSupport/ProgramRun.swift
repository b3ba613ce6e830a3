public import Foundation

/// A program of this package run to its end, with what it said.
public struct ProgramRun: Sendable {
  /// Its exit status; the signal's number when a signal ended it.
  public let status: Int32
  /// What it wrote to standard output.
  public let output: String
  /// What it wrote to standard error.
  public let errors: String

  /// The lines of its output.
  public var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The folder that the package's programs were built into: the tests' own.
  public static var productsFolder: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// Where this package's program of that name was built.
  public static func path(of product: String) -> String {
    productsFolder.appending(path: product).path
  }

  /// Runs a program; one that does not end within the time is killed, which its status shows.
  ///
  /// The environment is this process' own with `environment` put over it.
  public static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    within seconds: Double = 60
  ) throws -> ProgramRun {
    let child = try ChildProcess(program, arguments, environment: environment)
    let wanted = child.kill(after: seconds)
    let errors = Collected(child.errors)
    let output = child.output.readDataToEndOfFile()
    let end = child.wait()
    wanted()
    let status: Int32 =
      switch end {
      case .exit(let status): status
      case .signal(let signal): signal
      }
    return ProgramRun(
      status: status, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors.data, as: UTF8.self))
  }
}

extension ProgramRun {
  /// The first lines that a program prints that does not end by itself; it is ended then.
  ///
  /// Fewer when it ends before, or when the time is over.
  public static func firstLines(
    _ count: Int, of program: String, _ arguments: [String] = [],
    environment: [String: String] = [:], within seconds: Double = 60
  ) throws -> [String] {
    // Programs hold output back that goes to a pipe.
    let child = try ChildProcess(
      "/usr/bin/stdbuf", ["-oL", program] + arguments, environment: environment)
    let wanted = child.kill(after: seconds)
    let errors = Collected(child.errors)
    var text = ""
    while text.count(where: { $0 == "\n" }) < count {
      let data = child.output.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    child.send(SIGTERM)
    child.wait()
    wanted()
    _ = errors.data
    return text.split(separator: "\n").prefix(count).map(String.init)
  }
}

/// What comes out of a pipe, read beside the other one so that neither fills up.
private final class Collected: @unchecked Sendable {
  private let group = DispatchGroup()
  private var collected = Data()

  init(_ handle: FileHandle) {
    DispatchQueue.global().async(group: group) { [self] in
      collected = handle.readDataToEndOfFile()
    }
  }

  var data: Data {
    group.wait()
    return collected
  }
}
