internal import BearingModel
internal import SQLiteStore
internal import Varlink

/// Streams of region events: what they are sent is read from the store.
extension RegionsInterface {
  func subscribe(_ exchange: Exchange) throws(ServiceError) {
    let parameters = Parameters(exchange)
    // A stream of the process before goes on behind what it had.
    let cursor = exchange.resumption.map { Int($0.progress.cursor) } ?? -1
    let since = cursor >= 0 ? cursor : try parameters.integer("since")
    let heartbeat = try parameters.heartbeat()
    if let since, since < 0 { throw .invalidParameter("since") }
    guard exchange.openStream() else { return }
    hub.open(
      RegionSubscription(
        stream: exchange.stream, heartbeat: heartbeat, lastSent: .now(),
        owner: exchange.caller.uid, sequence: since ?? -1))
    read(for: exchange.stream)
  }

  func streamEnded(_ stream: StreamID) {
    _ = hub.close(stream)
    rearm()
  }

  func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences) {
    hub.prefer(preferences, for: stream)
    rearm()
  }

  /// Keeps how far a stream is, for a process that takes it up: events that wait for its reader to
  /// take earlier ones end with this process, and are to be read from the store again.
  private func rememberCursor(of stream: StreamID) {
    guard let record = hub.record(of: stream), record.hasFirst, !outlet.hasWaiting(stream) else {
      return
    }
    outlet.remember(cursor: record.sequence, of: stream)
  }

  func streamDrained(_ stream: StreamID) {
    rememberCursor(of: stream)
    if hub.record(of: stream)?.isBehind ?? false { read(for: stream) }
  }

  func pump(_ owner: UInt32) {
    for record in hub.records where record.owner == owner { read(for: record.stream) }
  }

  /// Reads the next events of a stream from the store and sends them; more when those are taken.
  func read(for stream: StreamID) {
    guard let record = hub.record(of: stream) else { return }
    if record.isReading || outlet.hasWaiting(stream) {
      return hub.update(stream) { $0.isBehind = true }
    }
    hub.update(stream) {
      $0.isReading = true
      $0.isBehind = false
    }
    let (owner, boot) = (record.owner, boot)
    let sequence = record.sequence < 0 ? nil : record.sequence
    storage.run(for: owner) { (store) throws(StoreError) in
      try store.events(of: owner, after: sequence, limit: Self.eventsPerReply, boot: boot)
    } then: { [unowned self] result in
      hub.update(stream) { $0.isReading = false }
      switch result {
      case .success(let stored): send(stored, to: stream)
      case .failure(let error):
        PacedLog.storage.warning("\(error); a stream of region events is behind")
        hub.update(stream) { $0.isBehind = true }
        retryLater()
      }
    }
  }

  private func send(_ stored: StoredEvents, to stream: StreamID) {
    guard let record = hub.record(of: stream) else { return }
    hub.update(stream) { $0.sequence = stored.last }
    if !record.hasFirst || !stored.events.isEmpty || stored.missed > 0 {
      let missed = stored.missed > 0 ? stored.missed : nil
      let message = StreamMessage(.event, tellsLoss: false, writer: &writer) { writer in
        writer.key("events")
        writer.array(stored.events) { $0.value($1) }
        writer.member("missed", missed)
        writer.member("last", stored.last)
      }
      hub.update(stream) {
        $0.hasFirst = true
        $0.lastSent = .now()
      }
      outlet.send(message, to: [stream])
      rememberCursor(of: stream)
    }
    if stored.hasMore || hub.record(of: stream)?.isBehind ?? false { read(for: stream) }
    rearm()
  }

  func sendHeartbeats(_ now: BootTime) {
    var silent: [StreamID] = []
    hub.selectSilent(at: now, into: &silent)
    for stream in silent {
      guard let record = hub.record(of: stream), record.hasFirst else { continue }
      let message = StreamMessage(.latest, tellsLoss: false, writer: &writer) { writer in
        writer.key("events")
        writer.array([RegionEvent]()) { $0.value($1) }
        writer.member("last", record.sequence)
        writer.member("repeated", true)
      }
      outlet.send(message, to: [stream])
    }
  }
}
