/// How the program ends. Scripts rely on the numbers.
enum ExitStatus: Int32, Sendable {
  case done = 0
  case failed = 1
  case usage = 2
  /// No fix, or no data, in the time given.
  case noData = 3
  /// The daemon cannot be reached.
  case unreachable = 4
  /// The daemon refuses: the caller may not have this.
  case denied = 5
}

/// Why a command ends without having done its work.
struct Failure: Error, Equatable {
  let status: ExitStatus
  /// What was tried, on what, what came and what to do; without the program's name.
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// A call that cannot be read.
  static func usage(_ message: String) -> Failure { Failure(.usage, message) }
}
