/// What the server says of clients that misbehave: a line a second at most, so that they cannot
/// fill the journal.
final class ServerLog {
  private static let interval = Nanoseconds.second

  private var lastLine: BootTime?
  private var unsaid = 0

  /// A client was refused for `resource`.
  func refused(uid: UInt32, pid: Int32, resource: String, limit: Int) {
    say(
      "refused user \(uid) (process \(pid)): its limit of \(limit) \(resource) is reached",
      [("CLIENT_UID", "\(uid)"), ("CLIENT_PID", "\(pid)"), ("LIMIT", resource)])
  }

  /// A client was disconnected for what it did.
  func disconnected(_ connection: Connection, why: String) {
    let caller = connection.caller
    say(
      "disconnected user \(caller.uid) (process \(caller.pid)): \(why)",
      [("CLIENT_UID", "\(caller.uid)"), ("CLIENT_PID", "\(caller.pid)")])
  }

  /// Accepting a connection failed.
  func failed(_ error: any Error) {
    say("\(error)", [])
  }

  private func say(_ line: String, _ fields: [Journal.Field]) {
    let now = BootTime.now()
    if let lastLine, now - lastLine < Self.interval {
      unsaid += 1
      return
    }
    Journal.warning(
      unsaid == 0 ? line : "\(line); and \(unsaid) more of the kind before", .client, fields)
    lastLine = now
    unsaid = 0
  }
}
