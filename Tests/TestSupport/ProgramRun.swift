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
    input: String = "", within seconds: Double = 60
  ) throws -> ProgramRun {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (inputPipe, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
    process.standardInput = inputPipe
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    try process.run()
    // Not SIGTERM: the program starts with this thread's signal mask, and on the threads that
    // tests run on nearly everything is blocked.
    let killer = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: killer)
    inputPipe.fileHandleForWriting.write(Data(input.utf8))
    try inputPipe.fileHandleForWriting.close()
    let errors = Collected(errorPipe.fileHandleForReading)
    let output = outputPipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    killer.cancel()
    return ProgramRun(
      status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors.data, as: UTF8.self))
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
