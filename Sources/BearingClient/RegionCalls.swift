public import BearingModel
internal import Varlink

/// What a stream of region events tells.
public struct RegionUpdate: Sendable, Equatable {
  /// What happened since the last update, oldest first; none in a repetition.
  public var events: [RegionEvent]
  /// Events before these that are gone, because more happened than are kept.
  public var missed: Int
  /// The sequence that the stream is at: what another stream goes on from.
  public var last: Int?
  /// Whether this is only a sign of life, because the heartbeat's time was over.
  public var isRepeated: Bool
}

extension RegionUpdate: Decodable {
  private enum Member: CodingKey { case events, missed, last, repeated }

  /// Reads the parameters of a reply.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    events = try members.decode([RegionEvent].self, forKey: .events)
    missed = try members.decodeIfPresent(Int.self, forKey: .missed) ?? 0
    last = try members.decodeIfPresent(Int.self, forKey: .last)
    isRepeated = try members.flag(.repeated)
  }
}

extension BearingClient {
  private static let regions = "io.bearing.regions"

  /// Has a circle watched from now on for this user, over restarts and reboots, until it is removed.
  ///
  /// While there is one, the receiver runs.
  ///
  /// - Parameters:
  ///   - identifier: its name, 1 to 64 characters without control characters.
  ///   - latitude: degrees of its centre, −90 to 90.
  ///   - longitude: degrees of its centre, −180 to 180.
  ///   - radius: metres, above 0.
  ///   - dwell: time inside after which there is an event; nil for none.
  /// - Returns: the region as it was stored.
  /// - Throws: `regionExists` when there is one of that name; any other `BearingError`.
  public func addRegion(
    _ identifier: String, latitude: Double, longitude: Double, radius: Double,
    dwell: Duration? = nil
  ) async throws(BearingError) -> Region {
    struct Reply: Decodable { var region: Region }
    return try await call(
      "\(Self.regions).Add",
      Self.parameters([
        "identifier": .string(identifier), "latitude": .double(latitude),
        "longitude": .double(longitude), "radius": .double(radius),
        "dwell": dwell.map { .milliseconds($0) },
      ]), as: Reply.self
    ).region
  }

  /// Ends the watch of a region; its events stay.
  ///
  /// - Throws: `regionNotFound` when there is none of that name; any other `BearingError`.
  public func removeRegion(_ identifier: String) async throws(BearingError) {
    _ = try await call("\(Self.regions).Remove", ["identifier": .string(identifier)])
  }

  /// This user's regions by name, each with where the device is as regards it.
  public func regions() async throws(BearingError) -> [Region] {
    struct Reply: Decodable { var regions: [Region] }
    return try await call("\(Self.regions).List", as: Reply.self).regions
  }

  /// What happens at this user's regions: each event once, also over interruptions.
  ///
  /// - Parameter since: the sequence of the last event that is known already; 0 begins with all that
  ///   are kept, nil with the next one.
  public func regionEvents(
    since: Int? = nil
  ) -> some AsyncSequence<RegionEvent, BearingError> & Sendable {
    Picked(regionUpdates(since: since)) { { $0.update?.events ?? [] } }
  }

  /// What happens at this user's regions, and news of the connection.
  ///
  /// After an interruption it goes on behind the last event that it told.
  ///
  /// - Parameters:
  ///   - since: as in `regionEvents`.
  ///   - heartbeat: when nothing was sent for that long, an update without events; nil sends none.
  /// - Returns: a stream that is connected by its first `next()`.
  public func regionUpdates(
    since: Int? = nil, heartbeat: Duration? = nil
  ) -> BearingStream<RegionUpdate> {
    stream(
      "\(Self.regions).Subscribe",
      Self.parameters([
        "since": since.map { .int(Int64($0)) }, "heartbeat": heartbeat.map { .milliseconds($0) },
      ]),
      resumption: { update in update.last.map { ["since": .int(Int64($0))] } ?? [:] })
  }
}
