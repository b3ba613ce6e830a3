/// Since when the daemon waits for a client: for it to take bytes, or to complete a request.
struct Patience {
  private var blockedSince: BootTime?
  private var incomplete: (message: UInt64, since: BootTime)?

  /// Whether bytes wait for the client.
  var isBlocked: Bool { blockedSince != nil }

  /// The client took no byte.
  mutating func blocked() {
    if blockedSince == nil { blockedSince = .now() }
  }

  /// The client took a byte, or is owed none.
  mutating func unblocked() {
    blockedSince = nil
  }

  /// The client has begun the request of that number; nil when it has begun none.
  mutating func begun(_ message: UInt64?) {
    guard let message else {
      incomplete = nil
      return
    }
    if incomplete?.message != message { incomplete = (message, .now()) }
  }

  /// The machine was suspended that many nanoseconds, in which the client could do nothing.
  mutating func forgive(_ slept: Int64) {
    if let since = blockedSince { blockedSince = since + slept }
    if let (message, since) = incomplete { incomplete = (message, since + slept) }
  }

  /// When it ends; nil while the client is not waited for. `refusedSince` is when the connection was
  /// one too many; nil when it was not.
  func end(_ limits: Limits, refusedSince: BootTime?) -> BootTime? {
    var earliest = refusedSince.map { $0 + limits.refusalTime }
    if let blockedSince {
      let due = blockedSince + limits.stallTime
      earliest = min(earliest ?? due, due)
    }
    if let incomplete {
      let due = incomplete.since + limits.requestTime
      earliest = min(earliest ?? due, due)
    }
    return earliest
  }
}
