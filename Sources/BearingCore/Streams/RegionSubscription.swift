/// One stream of a user's region events. Flat.
struct RegionSubscription: Subscription {
  let stream: StreamID
  var heartbeat: Heartbeat
  var lastSent: BootTime
  let owner: UInt32
  /// The sequence of the event sent last; −1 until it is known, for a stream of what is to come.
  var sequence: Int
  /// Whether the first reply was sent.
  var hasFirst = false
  /// Whether events are being read from the store.
  var isReading = false
  /// Whether there may be events after those that were read.
  var isBehind = false
}
