import Foundation
public import Glibc

/// The real daemon on simulated devices, in a temporary folder of its own, gone with the object.
public final class DemoDaemon: Sendable {
  /// What kept it from starting.
  public struct Failure: Error, CustomStringConvertible {
    /// What it said, or that it said nothing.
    public let description: String
  }

  /// Its socket.
  public let socket: String
  private let process: ChildProcess

  /// Starts it and waits until it serves, 60 s at most.
  public init() throws {
    let process = try ChildProcess(ProgramRun.path(of: "bearingd"), ["--demo"])
    // A daemon that says nothing is ended, which ends its output, which ends the wait.
    let wanted = process.kill(after: 60)
    var said = ""
    var path: String?
    while path == nil {
      let data = process.output.availableData
      if data.isEmpty { break }
      said += String(decoding: data, as: UTF8.self)
      path = said.split { $0.isWhitespace }.first { $0.hasSuffix("/io.bearing") }.map(String.init)
    }
    wanted()
    guard let path else {
      let reason = String(decoding: process.errors.availableData, as: UTF8.self)
      throw Failure(description: "bearingd --demo named no socket: \(said)\(reason)")
    }
    // What it says later is read and forgotten, so that it never waits for a reader.
    process.output.readabilityHandler = { _ = $0.availableData }
    process.errors.readabilityHandler = { _ = $0.availableData }
    self.process = process
    socket = path
  }

  deinit { stop() }

  /// Ends it by a signal, as a service manager does or a terminal, and waits for its end.
  @discardableResult
  public func stop(with signal: Int32 = SIGTERM) -> ChildProcess.End {
    process.output.readabilityHandler = nil
    process.errors.readabilityHandler = nil
    process.send(signal)
    return process.wait()
  }
}
