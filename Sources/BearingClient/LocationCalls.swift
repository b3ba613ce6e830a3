public import BearingModel
internal import Varlink

extension BearingClient {
  private static let location = "io.bearing.location"

  /// One position: at once when the last one will do, else the first that does.
  ///
  /// It starts the receiver and stops it again.
  ///
  /// - Parameters:
  ///   - accuracy: metres that its horizontal accuracy may have at most; nil takes any.
  ///   - timeout: how long to wait, at most 10 minutes; nil is the daemon's 30 s.
  ///   - maxAge: how old a position may be that is there already; nil takes none.
  ///   - bestEffort: whether the most accurate one since the call will do when the time is over.
  /// - Returns: the position with its age.
  /// - Throws: `timeout` when none came that is accurate enough; any other `BearingError`.
  public func fix(
    accuracy: Double? = nil, timeout: Duration? = nil, maxAge: Duration? = nil,
    bestEffort: Bool = false
  ) async throws(BearingError) -> OneShotFix {
    try await call(
      "\(Self.location).GetFix",
      Self.parameters([
        "accuracy": accuracy.map { .double($0) },
        "timeout": timeout.map { .milliseconds($0) },
        "maxAge": maxAge.map { .milliseconds($0) },
        "bestEffort": bestEffort ? true : nil,
      ]),
      as: OneShotFix.self, patience: (timeout ?? .seconds(30)) + Self.patience)
  }

  /// The last position, however old, and without starting the receiver.
  public func lastKnown() async throws(BearingError) -> LastKnownFix {
    try await call("\(Self.location).GetLastKnown", as: LastKnownFix.self)
  }

  /// The satellites in view as the receiver told last.
  public func sky() async throws(BearingError) -> SkyUpdate {
    try await call("\(Self.location).GetSky", as: SkyUpdate.self)
  }

  /// Each position while it can be relied on, for programs that only want to know where they are.
  ///
  /// Nothing comes while there is no live fix, nor for repetitions. While the connection is
  /// interrupted nothing comes either; it is made again. The receiver runs as long as this does.
  ///
  /// - Parameters: as in `locationUpdates`.
  public func fixes(
    minInterval: Duration? = nil, distanceFilter: Double? = nil, maximumAccuracy: Double? = nil,
    heartbeat: Duration? = nil
  ) -> some AsyncSequence<Fix, BearingError> & Sendable {
    let updates = locationUpdates(
      minInterval: minInterval, distanceFilter: distanceFilter, maximumAccuracy: maximumAccuracy,
      heartbeat: heartbeat)
    // What a stream begins with may be any fix.
    @Sendable func isAccurate(_ fix: Fix) -> Bool {
      guard let limit = maximumAccuracy, limit > 0 else { return true }
      return fix.horizontalAccuracy.map { $0 <= limit } ?? false
    }
    return Picked(updates) {
      var last: Fix?
      return { event in
        // The fix that a new connection begins with may be the last one of the connection before.
        guard let update = event.update, update.state == .live, !update.isRepeated,
          let fix = update.fix, fix != last, isAccurate(fix)
        else { return [] }
        last = fix
        return [fix]
      }
    }
  }

  /// Positions, changes of state and news of the connection, for who shows how things stand.
  ///
  /// The first update has the state now and the last fix with its age, also one that would be left
  /// out later. The receiver runs as long as this does. An argument below 0 ends it with `invalidParameter`.
  ///
  /// - Parameters:
  ///   - minInterval: the least time between two fixes; zero is no limit, nil the user's preference.
  ///   - distanceFilter: metres to the last fix delivered here that a new one must have; 0 is
  ///     none, nil the user's preference.
  ///   - maximumAccuracy: metres of horizontal accuracy beyond which a fix is left out; 0 is no
  ///     limit, nil the user's preference.
  ///   - heartbeat: when nothing was sent for that long, the last update comes again, with its
  ///     present age and `isRepeated`; nil sends none.
  /// - Returns: a stream that is connected by its first `next()`.
  public func locationUpdates(
    minInterval: Duration? = nil, distanceFilter: Double? = nil, maximumAccuracy: Double? = nil,
    heartbeat: Duration? = nil
  ) -> BearingStream<LocationUpdate> {
    stream(
      "\(Self.location).Subscribe",
      Self.parameters([
        "minInterval": minInterval.map { .milliseconds($0) },
        "distanceFilter": distanceFilter.map { .double($0) },
        "maximumAccuracy": maximumAccuracy.map { .double($0) },
        "heartbeat": heartbeat.map { .milliseconds($0) },
      ]))
  }

  /// How far the position can be relied on: now, and each time that changes.
  ///
  /// It is `unknown` while the daemon cannot be reached. The receiver runs as long as this does;
  /// `statusUpdates` tells of it without starting it.
  public func locationStates() -> some AsyncSequence<LocationState, BearingError> & Sendable {
    // No fix comes through this distance: only states do.
    Picked(locationUpdates(distanceFilter: 1e9)) {
      var last: LocationState?
      return { event in
        let state =
          if case .interrupted = event { LocationState.unknown } else { event.update?.state }
        guard let state, state != last else { return [] }
        last = state
        return [state]
      }
    }
  }

  /// The satellites in view, changes of state and news of the connection.
  ///
  /// - Parameters:
  ///   - minInterval: the least time between two skies; nil is no limit.
  ///   - heartbeat: when nothing was sent for that long, the last update comes again; nil sends none.
  /// - Returns: a stream that is connected by its first `next()`.
  public func skyUpdates(
    minInterval: Duration? = nil, heartbeat: Duration? = nil
  ) -> BearingStream<SkyUpdate> {
    stream(
      "\(Self.location).SubscribeSky",
      Self.parameters([
        "minInterval": minInterval.map { .milliseconds($0) },
        "heartbeat": heartbeat.map { .milliseconds($0) },
      ]))
  }

  /// Where the device points, as a compass or a receiver with two antennas told last.
  public func heading() async throws(BearingError) -> HeadingUpdate {
    try await call("\(Self.location).GetHeading", as: HeadingUpdate.self)
  }

  /// Where the device points, changes of state and news of the connection.
  ///
  /// - Parameters:
  ///   - minInterval: the least time between two headings; nil is no limit.
  ///   - heartbeat: when nothing was sent for that long, the last update comes again; nil sends none.
  /// - Returns: a stream that is connected by its first `next()`.
  public func headingUpdates(
    minInterval: Duration? = nil, heartbeat: Duration? = nil
  ) -> BearingStream<HeadingUpdate> {
    stream(
      "\(Self.location).SubscribeHeading",
      Self.parameters([
        "minInterval": minInterval.map { .milliseconds($0) },
        "heartbeat": heartbeat.map { .milliseconds($0) },
      ]))
  }
}
