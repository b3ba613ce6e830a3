/// Counts what each user and all of them have, against the limits.
struct Quotas {
  private struct Usage {
    var connections = 0
    var streams = 0
    var bytes = 0
  }

  var limits: Limits
  private let descriptorLimit: Int
  private var users: [UInt32: Usage] = [:]
  /// Connections in all.
  private(set) var connections = 0

  /// Nothing is used yet. `descriptorLimit` is what the system gives this process.
  init(_ limits: Limits, descriptorLimit: Int) {
    self.limits = limits
    self.descriptorLimit = descriptorLimit
  }

  /// Descriptors of the daemon that are no connections: loop, listener, lock, sources, storage.
  private static var ownDescriptors: Int { 32 }

  /// Connections that all users may have together: what the system allows, less what is needed for
  /// the daemon itself, for clients that are being refused, and to spare. One at least.
  var connectionLimit: Int {
    let others = Self.ownDescriptors + limits.spareDescriptors + limits.refusalsWaiting
    return max(1, min(limits.connections, descriptorLimit - others))
  }

  /// Counts a connection of `user`; false, with the limit in force, when it is one too many and not
  /// there already, from the process before.
  mutating func addConnection(
    of user: UInt32, isThere: Bool = false
  ) -> (isGranted: Bool, limit: Int) {
    let limit = user == 0 ? limits.connectionsOfRoot : limits.connectionsPerUser
    let own = users[user, default: Usage()].connections
    if !isThere, connections >= connectionLimit { return (false, connectionLimit) }
    if !isThere, own >= limit { return (false, limit) }
    users[user, default: Usage()].connections += 1
    connections += 1
    return (true, limit)
  }

  mutating func removeConnection(of user: UInt32) {
    users[user]?.connections -= 1
    connections -= 1
    forgetIfUnused(user)
  }

  /// Counts a stream of `user`; false, with the limit in force, when it is one too many and not there
  /// already, from the process before.
  mutating func addStream(of user: UInt32, isThere: Bool = false) -> (isGranted: Bool, limit: Int) {
    let limit = user == 0 ? limits.streamsOfRoot : limits.streamsPerUser
    guard isThere || users[user, default: Usage()].streams < limit else { return (false, limit) }
    users[user, default: Usage()].streams += 1
    return (true, limit)
  }

  mutating func removeStream(of user: UInt32) {
    users[user]?.streams -= 1
    forgetIfUnused(user)
  }

  /// Bytes that may still wait for clients of `user`.
  func bytesLeft(for user: UInt32) -> Int {
    let limit = user == 0 ? limits.queueOfRoot : limits.queuePerUser
    return limit - (users[user]?.bytes ?? 0)
  }

  /// Counts bytes that wait for clients of `user`, or no longer do when negative.
  mutating func addBytes(_ count: Int, of user: UInt32) {
    users[user, default: Usage()].bytes += count
    forgetIfUnused(user)
  }

  private mutating func forgetIfUnused(_ user: UInt32) {
    if let usage = users[user], usage.connections == 0, usage.streams == 0, usage.bytes == 0 {
      users[user] = nil
    }
  }
}
