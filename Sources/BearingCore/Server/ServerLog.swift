/// What the server says of clients that misbehave: a line a second at most, so that they cannot
/// fill the journal.
final class ServerLog {
  private let log = PacedLog(.client)

  /// A client was refused for `resource`.
  func refused(uid: UInt32, pid: Int32, resource: String, limit: Int) {
    log.warning(
      "refused user \(uid) (process \(pid)): its limit of \(limit) \(resource) is reached",
      [("CLIENT_UID", "\(uid)"), ("CLIENT_PID", "\(pid)"), ("LIMIT", resource)])
  }

  /// A client was disconnected for what it did.
  func disconnected(_ connection: Connection, why: String) {
    let caller = connection.caller
    log.warning(
      "disconnected user \(caller.uid) (process \(caller.pid)): \(why)",
      [("CLIENT_UID", "\(caller.uid)"), ("CLIENT_PID", "\(caller.pid)")])
  }

  /// Accepting a connection failed.
  func failed(_ error: any Error) {
    log.warning("\(error)")
  }
}
