internal import BearingModel

/// What is known of clients, and to whom.
extension Server {
  /// A client that `caller` may know of; nil when there is none of that number.
  private func client(_ id: StreamID, for caller: Caller) -> Connection? {
    guard let connection = connections[id], connection.refusedLimit == nil,
      connection.caller.uid == caller.uid || door.isAdministrator(caller)
    else { return nil }
    return connection
  }

  /// What the filters of a client's stream, and its queue, said of its last samples; nil when
  /// `caller` may know of no such client.
  func decisions(of id: StreamID, for caller: Caller) -> [DecisionLog.Decision]? {
    guard let connection = client(id, for: caller) else { return nil }
    guard let interface = connection.streamInterface else { return [] }
    let lost = connection.mailbox.lostFixes
    return (handlers[interface]?.decisions(of: id) ?? []).map { decision in
      let isLost = decision.verdict.passed && lost.contains(decision.sequence)
      return isLost ? .init(sequence: decision.sequence, verdict: .lost) : decision
    }
  }

  /// Disconnects a client; false when `caller` may know of no such client.
  func disconnect(_ id: StreamID, for caller: Caller) -> Bool {
    guard let connection = client(id, for: caller) else { return false }
    let uid = connection.caller.uid
    connection.close()
    // Who disconnects clients of its own could otherwise make everybody's shared memory anew.
    if uid != caller.uid { for handler in handlers.values { handler.userDisconnected(uid) } }
    return true
  }

  /// How many clients there are.
  var clientCount: Int { connections.count - refusedCount }

  /// Every client that `caller` may know of: its own user's, or all for administrators.
  func clients(for caller: Caller) -> [ClientStatus] {
    let seesAll = door.isAdministrator(caller)
    return connections.values
      .filter { $0.refusedLimit == nil && (seesAll || $0.caller.uid == caller.uid) }
      .sorted { $0.id < $1.id }
      .map { connection in
        var status = ClientStatus(
          identifier: connection.id, uid: Int(connection.caller.uid),
          pid: Int(connection.caller.pid), since: connection.since.microseconds,
          precision: door.precision(of: connection.caller).rawValue)
        status.command = connection.command
        status.stream = connection.streamMethod ?? connection.heldMethod
        status.delivered = connection.delivered
        status.dropped = connection.dropped
        status.queuedBytes = connection.queuedBytes
        return status
      }
  }
}
