/// One stream of fixes.
struct LocationSubscription: Subscription {
  let stream: StreamID
  let heartbeat: Int64
  var lastSent: BootTime
  /// What it wants to have and had last.
  var filter: LocationFilter
  /// The sequence of the fix delivered last; 0 for none.
  var lastSequence: Int
  /// What its filters said of the last fixes.
  var log = DecisionLog()
}

/// One stream of skies.
struct SkySubscription: Subscription {
  let stream: StreamID
  let heartbeat: Int64
  var lastSent: BootTime
  /// Nanoseconds between two skies; 0 is none.
  let minInterval: Int64
  /// When it had a sky last.
  var lastSky: BootTime?

  /// Whether a sky of now is to be delivered.
  mutating func takes(at now: BootTime) -> Bool {
    if let lastSky, now - lastSky < minInterval { return false }
    lastSky = now
    return true
  }
}
