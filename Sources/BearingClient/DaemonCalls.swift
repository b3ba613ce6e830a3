public import BearingModel
internal import Varlink

extension BearingClient {
  private static let daemon = "io.bearing.daemon"

  /// What the daemon runs and how it does. No device is started.
  public func status() async throws(BearingError) -> DaemonStatus {
    try await call("\(Self.daemon).GetStatus", as: DaemonStatus.self)
  }

  /// The daemon's devices and their states, each time they change, and news of the connection.
  ///
  /// No device is started: this tells what others' use makes of them.
  ///
  /// - Parameter heartbeat: when nothing was sent for that long, the last update comes again; nil
  ///   sends none.
  /// - Returns: a stream that is connected by its first `next()`.
  public func statusUpdates(heartbeat: Duration? = nil) -> BearingStream<StatusUpdate> {
    stream(
      "\(Self.daemon).SubscribeStatus",
      Self.parameters(["heartbeat": heartbeat.map { .milliseconds($0) }]))
  }

  /// The connections of the caller's user; those of all for administrators.
  public func clients() async throws(BearingError) -> [ClientStatus] {
    struct Reply: Decodable { var clients: [ClientStatus] }
    return try await call("\(Self.daemon).ListClients", as: Reply.self).clients
  }

  /// Disconnects a client, such as one whose user has lost a group since it connected.
  ///
  /// - Throws: `other` with the name `io.bearing.daemon.ClientNotFound` when there is none that the
  ///   caller may know of; any other `BearingError`.
  public func disconnect(client: Int) async throws(BearingError) {
    _ = try await call("\(Self.daemon).Disconnect", ["client": .int(Int64(client))])
  }

  /// What the filters of a client's stream said of its last samples, the oldest first.
  ///
  /// - Throws: as `disconnect`.
  public func decisions(client: Int) async throws(BearingError) -> [FilterDecision] {
    struct Reply: Decodable { var decisions: [FilterDecision] }
    return try await call(
      "\(Self.daemon).Explain", ["client": .int(Int64(client))], as: Reply.self
    ).decisions
  }

  /// The daemon's counters in Prometheus' text format. For administrators.
  ///
  /// - Throws: `denied` for others; any other `BearingError`.
  public func metrics() async throws(BearingError) -> String {
    struct Reply: Decodable { var text: String }
    return try await call("\(Self.daemon).GetMetrics", as: Reply.self).text
  }
}
