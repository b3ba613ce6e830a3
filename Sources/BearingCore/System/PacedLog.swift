internal import Locking

/// Warnings of one kind that clients can cause again and again: a line a second at most, so that
/// they cannot fill the journal.
final class PacedLog: Sendable {
  /// What could not be stored for a client.
  static let storage = PacedLog(.storage)

  private static let interval = Nanoseconds.second

  private struct Pace {
    var lastLine: BootTime?
    var unsaid = 0
  }

  private let kind: Journal.Kind
  private let pace = Guarded(Pace())

  init(_ kind: Journal.Kind) {
    self.kind = kind
  }

  /// Says the line, unless one was said within the last second.
  func warning(_ line: String, _ fields: [Journal.Field] = []) {
    let now = BootTime.now()
    let unsaid: Int? = pace.withValue { pace in
      if let lastLine = pace.lastLine, now - lastLine < Self.interval {
        pace.unsaid += 1
        return nil
      }
      defer { pace = Pace(lastLine: now) }
      return pace.unsaid
    }
    guard let unsaid else { return }
    Journal.warning(
      unsaid == 0 ? line : "\(line); and \(unsaid) more of the kind before", kind, fields)
  }
}
