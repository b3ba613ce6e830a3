import Foundation

/// The real daemon on simulated devices, in a temporary folder of its own, gone with the object.
public final class DemoDaemon: Sendable {
  /// What kept it from starting.
  public struct Failure: Error, CustomStringConvertible {
    /// What it said, or that it said nothing.
    public let description: String
  }

  /// Its socket.
  public let socket: String
  private let process: Process

  /// Starts it and waits until it serves, 30 s at most.
  public init() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ProgramRun.path(of: "bearingd"))
    process.arguments = ["--demo"]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // A daemon that says nothing is ended, which ends its output, which ends the wait.
    let killer = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: killer)
    var said = ""
    var path: String?
    while path == nil {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      said += String(decoding: data, as: UTF8.self)
      path = said.split { $0.isWhitespace }.first { $0.hasSuffix("/io.bearing") }.map(String.init)
    }
    killer.cancel()
    guard let path else {
      process.terminate()
      let reason = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
      throw Failure(description: "bearingd --demo named no socket: \(said)\(reason)")
    }
    // What it says later is read and forgotten, so that it never waits for a reader.
    output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
    errors.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
    self.process = process
    socket = path
  }

  deinit { stop() }

  /// Ends it as a service manager does, and waits for its end.
  public func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }
}
