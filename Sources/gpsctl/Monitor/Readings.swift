internal import BearingClient
internal import BearingModel

/// All that the daemon has told so far: a value that changes by events alone.
///
/// Times are on the monitor's own clock, which goes on while the machine sleeps.
struct Readings: Equatable, Sendable {
  /// How a stream stands.
  enum Link: Equatable, Sendable {
    case connecting
    case connected
    /// Lost at that time, and being made again.
    case interrupted(since: Duration)
    /// Over: the daemon refuses it, or does not have it; in words for people.
    case refused(String)
  }

  /// One of the streams.
  enum Feed: CaseIterable, Sendable {
    case location, sky, acceleration, orientation
  }

  private(set) var links: [Feed: Link] = [:]
  /// When the daemon said anything last; nil before it did.
  private(set) var heardAt: Duration?

  private(set) var locationState = LocationState.unknown
  private(set) var fix: Fix?
  /// When `fix` was new; nil when that is not known.
  private(set) var fixTime: Duration?

  private(set) var sky: Sky?
  /// When `sky` was new.
  private(set) var skyTime: Duration?

  private(set) var accelerationState = AccelerometerState.unknown
  private(set) var trace = Trace()

  private(set) var poseState = AccelerometerState.unknown
  private(set) var orientation = Orientation.undefined
  private(set) var tilt = Tilt.undefined

  /// How a stream stands.
  func link(_ feed: Feed) -> Link { links[feed] ?? .connecting }

  /// When the connection was lost; nil while it is there. The daemon is one: what is lost of it
  /// first is what counts.
  var interruptedSince: Duration? {
    links.values.compactMap { if case .interrupted(let since) = $0 { since } else { nil } }.min()
  }

  // MARK: Events

  /// Takes news of the position.
  mutating func take(_ event: StreamEvent<LocationUpdate>, at now: Duration) {
    guard let update = follow(event, of: .location, at: now) else { return }
    locationState = update.state
    if let fix = update.fix {
      self.fix = fix
      fixTime = update.age.map { now - $0 }
    }
  }

  /// Takes news of the satellites.
  mutating func take(_ event: StreamEvent<SkyUpdate>, at now: Duration) {
    guard let update = follow(event, of: .sky, at: now) else { return }
    sky = update.sky
    skyTime = update.age.map { now - $0 }
  }

  /// Takes samples of acceleration.
  mutating func take(_ event: StreamEvent<AccelerationUpdate>, at now: Duration) {
    guard let update = follow(event, of: .acceleration, at: now) else {
      trace.interrupt()
      return
    }
    accelerationState = update.state
    if update.state != .live { trace.interrupt() }
    if update.isRepeated { return }
    if update.dropped > 0 { trace.interrupt() }
    for sample in update.samples { trace.add(sample) }
  }

  /// Takes news of how the device is held.
  mutating func take(_ event: StreamEvent<OrientationUpdate>, at now: Duration) {
    guard let update = follow(event, of: .orientation, at: now) else { return }
    poseState = update.state
    orientation = update.orientation
    tilt = update.tilt
  }

  /// Takes that a stream is over for good.
  mutating func end(_ feed: Feed, because error: BearingError) {
    links[feed] = .refused(error.description)
  }

  /// What is new in an event; nil when it is of the connection alone.
  private mutating func follow<Update>(
    _ event: StreamEvent<Update>, of feed: Feed, at now: Duration
  ) -> Update? {
    switch event {
    case .update(let update):
      heardAt = now
      links[feed] = .connected
      return update
    case .interrupted:
      links[feed] = .interrupted(since: now)
      return nil
    case .resumed:
      links[feed] = .connected
      return nil
    }
  }
}

/// The acceleration of the last while, as a graph needs it.
struct Trace: Equatable, Sendable {
  /// As many as the widest screens have dots for.
  static let capacity = 1024

  /// The samples, oldest first; nil where some are missing.
  private(set) var samples: [AccelerationSample?] = []

  /// The newest sample; nil while none come.
  var newest: AccelerationSample? { samples.last ?? nil }

  /// The seconds between two samples, from the newest that follow each other; nil without such.
  var step: Double? {
    guard let last = samples.lastIndex(where: { $0 != nil }) else { return nil }
    let run = samples[...last].suffix(20).reversed().prefix { $0 != nil }.compactMap { $0 }
    guard run.count > 1, let first = run.last, let newest = run.first else { return nil }
    let microseconds = newest.bootTimestamp - first.bootTimestamp
    return microseconds > 0 ? Double(microseconds) / 1e6 / Double(run.count - 1) : nil
  }

  mutating func add(_ sample: AccelerationSample) {
    samples.append(sample)
    // Cut seldom: each cut moves all that is kept.
    if samples.count > 2 * Self.capacity { samples.removeFirst(samples.count - Self.capacity) }
  }

  /// Makes a gap: what comes next does not follow what came last.
  mutating func interrupt() {
    if newest != nil { samples.append(nil) }
  }
}
