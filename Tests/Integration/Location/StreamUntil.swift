import TestSupport
import Varlink

extension DaemonClient {
  /// Opens a stream and gives its first reply that `isWanted`, which may be the very first.
  func open(
    _ method: String, _ parameters: JSON = [:], until isWanted: (JSON) -> Bool
  ) throws -> JSON {
    let first = try open(method, parameters)
    if isWanted(first.parameters) { return first.parameters }
    return try next { isWanted($0.parameters) }.parameters
  }
}
