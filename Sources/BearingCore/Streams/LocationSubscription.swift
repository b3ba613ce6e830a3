/// One stream of fixes.
struct LocationSubscription: Subscription {
  let stream: StreamID
  var heartbeat: Heartbeat
  var lastSent: BootTime
  /// What it wants to have and had last.
  var filter: LocationFilter
  /// The sequence of the fix delivered last; 0 for none.
  var lastSequence: Int
  /// What its filters said of the last fixes.
  var log = DecisionLog()
}

/// One stream of skies or of headings.
struct PacedSubscription: Subscription {
  let stream: StreamID
  var heartbeat: Heartbeat
  var lastSent: BootTime
  /// Nanoseconds between two; 0 is none.
  let minInterval: Int64
  /// When it had one last.
  private var last: BootTime?

  init(stream: StreamID, heartbeat: Heartbeat, lastSent: BootTime, minInterval: Int64) {
    self.stream = stream
    self.heartbeat = heartbeat
    self.lastSent = lastSent
    self.minInterval = minInterval
  }

  /// Whether one of now is to be delivered; `medianPeriod` is how often they come, in nanoseconds.
  mutating func takes(at now: BootTime, medianPeriod: Int64?) -> Bool {
    let needed = minInterval - LocationFilter.tolerance(of: minInterval, medianPeriod)
    if let last, now - last < needed { return false }
    last = now
    return true
  }
}
