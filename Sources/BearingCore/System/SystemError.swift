internal import Glibc

/// A call to the system that failed: what was tried, on what, and what the system said.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What was tried, with what it was tried on.
  public var attempt: String
  /// The system's number for what came.
  public var code: Int32

  /// The failure of `attempt` with errno's value.
  public init(_ attempt: String) {
    self.init(attempt, code: errno)
  }

  /// The failure of `attempt` with what a library returned: an errno value, negated or not.
  public init(_ attempt: String, code: Int32) {
    self.attempt = attempt
    self.code = code < 0 ? -code : code
  }

  /// One line for people.
  public var description: String { "\(attempt): \(Self.message(code))" }

  /// Something that is no file and no folder stands where a file is wanted: no errno value.
  static let noRegularFile: Int32 = .max

  /// The system's text for an errno value.
  public static func message(_ code: Int32) -> String {
    if code == noRegularFile { return "Not a regular file" }
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
