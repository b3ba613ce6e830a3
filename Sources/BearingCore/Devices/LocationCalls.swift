internal import BearingModel
internal import Varlink

/// The methods of `io.bearing.location`.
extension LocationDesk {
  /// How long GetFix waits when the caller does not say, in milliseconds.
  private static var standardTimeout: Int { 30_000 }
  /// How long it waits at most.
  private static var longestTimeout: Int { 600_000 }

  func carryOut(_ exchange: Exchange) {
    do throws(ServiceError) {
      switch exchange.call.method {
      case "Subscribe": try subscribe(exchange)
      case "SubscribeSky": try subscribeSky(exchange)
      case "GetFix": try getFix(exchange)
      case "GetLastKnown": getLastKnown(exchange)
      case "GetSky": getSky(exchange)
      case "SubscribeHeading": try subscribeHeading(exchange)
      case "GetHeading": getHeading(exchange)
      default: throw .methodNotImplemented("\(exchange.call.interface).\(exchange.call.method)")
      }
    } catch {
      exchange.fail(error)
    }
  }

  func streamEnded(_ stream: StreamID) {
    if fixes.close(stream) == nil, closeApproximate(stream) == nil, skies.close(stream) == nil {
      _ = headings.close(stream)
    }
    stopIfUnneeded()
  }

  /// The caller of a stream may know more, or less, from now on.
  func precisionChanged(of stream: StreamID, to precision: Precision) {
    switch precision {
    case .approximate:
      guard let record = fixes.close(stream) else { return }
      openApproximate(stream, filter: record.filter, heartbeat: record.heartbeat)
    case .precise:
      guard let (filter, heartbeat) = closeApproximate(stream) else { return }
      openPrecise(stream, filter: filter.forgetful, heartbeat: heartbeat)
    case .denied:
      return  // the stream was ended
    }
    rearm()
  }

  /// What the caller of a stream left out is another value from now on.
  func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences) {
    fixes.update(stream) { $0.filter.prefer(preferences) }
    fixes.prefer(preferences, for: stream)
    skies.prefer(preferences, for: stream)
    headings.prefer(preferences, for: stream)
    earlyStreams.update(stream) { $0.filter.prefer(preferences) }
    earlyStreams.prefer(preferences, for: stream)
    approximate?.preferencesChanged(of: stream, to: preferences)
    rearm()
  }

  /// What the stream's filters said of its last fixes; nil when it is no stream of fixes.
  func decisions(of stream: StreamID) -> [DecisionLog.Decision]? {
    fixes.records.first { $0.stream == stream }?.log.decisions ?? approximate?.decisions(of: stream)
  }

  private func subscribe(_ exchange: Exchange) throws(ServiceError) {
    let parameters = Parameters(exchange)
    var filter = LocationFilter(
      minInterval: try parameters.milliseconds("minInterval"),
      distanceFilter: try parameters.nonnegative("distanceFilter"),
      maximumAccuracy: try parameters.nonnegative("maximumAccuracy"))
    filter.prefer(exchange.preferences)
    let heartbeat = try parameters.heartbeat()
    guard exchange.openStream() else { return }
    startIfNeeded()
    if exchange.precision == .approximate {
      openApproximate(exchange.stream, filter: filter, heartbeat: heartbeat)
      return rearm()
    }
    // A stream of the process before still measures from what it had delivered.
    if let known = exchange.resumption?.record(as: LocationFilter.self) {
      filter = known
      filter.prefer(exchange.preferences)
    }
    openPrecise(exchange.stream, filter: filter, heartbeat: heartbeat)
  }

  /// Opens a stream of fixes as they are, with its first reply.
  private func openPrecise(_ stream: StreamID, filter wanted: LocationFilter, heartbeat: Heartbeat)
  {
    var filter = wanted
    let now = BootTime.now()
    var lastSequence = 0
    if engine.state == .live, let fix = engine.lastFix, let receipt = engine.lastFixReceipt {
      filter.noteDelivered(fix, receipt: receipt)
      lastSequence = fix.sequence
    }
    fixes.open(
      LocationSubscription(
        stream: stream, heartbeat: heartbeat, lastSent: now, filter: filter,
        lastSequence: lastSequence))
    home?.outlet.remember(filter, cursor: lastSequence, of: stream)
    sendFirst(to: stream) { writer in
      writer.writeLocation(engine.state, engine.lastFix, age: age(at: now))
    }
    rearm()
  }

  private func subscribeSky(_ exchange: Exchange) throws(ServiceError) {
    guard let record = try openPaced(exchange) else { return }
    skies.open(record)
    sendFirst(to: record.stream) { $0.writeSky(engine.state, engine.sky, at: record.lastSent) }
    rearm()
  }

  private func subscribeHeading(_ exchange: Exchange) throws(ServiceError) {
    guard let record = try openPaced(exchange) else { return }
    headings.open(record)
    sendFirst(to: record.stream) {
      $0.writeHeading(engine.state, engine.heading, at: record.lastSent)
    }
    rearm()
  }

  /// Opens a stream of skies or headings and starts the source; nil when the call is answered.
  private func openPaced(_ exchange: Exchange) throws(ServiceError) -> PacedSubscription? {
    let parameters = Parameters(exchange)
    let minInterval = try parameters.interval("minInterval")
    let heartbeat = try parameters.heartbeat()
    guard exchange.openStream() else { return nil }
    startIfNeeded()
    return PacedSubscription(
      stream: exchange.stream, heartbeat: heartbeat, lastSent: .now(), minInterval: minInterval)
  }

  private func getFix(_ exchange: Exchange) throws(ServiceError) {
    let parameters = Parameters(exchange)
    let maxAge = try parameters.interval("maxAge")
    let timeout = try parameters.milliseconds("timeout", most: Self.longestTimeout)
    let now = BootTime.now()
    let wait = Int64(timeout ?? Self.standardTimeout) * Nanoseconds.millisecond
    let oneShot = OneShot(
      exchange: exchange, accuracy: try parameters.nonnegative("accuracy"),
      bestEffort: parameters.flag("bestEffort") ?? false, deadline: now + wait)
    let stream = exchange.stream
    if exchange.precision == .approximate {
      exchange.onAbandon = { [unowned self] in
        approximate?.abandon(stream)
        stopIfUnneeded()
      }
      startIfNeeded()
      return withApproximate { [unowned self] desk in
        // The caller may have gone since, or may know more by now.
        if !exchange.isOver, exchange.precision == .approximate {
          desk.getFix(oneShot, maxAge: maxAge)
        }
        stopIfUnneeded()
      }
    }
    if let fix = engine.lastFix, let receipt = engine.lastFixReceipt, now - receipt <= maxAge,
      oneShot.accepts(fix)
    {
      return oneShot.answer(fix, receipt: receipt, asBestEffort: false)
    }
    exchange.onAbandon = { [unowned self] in
      oneShots.removeAll { $0.exchange.stream == stream }
      stopIfUnneeded()
    }
    startIfNeeded()
    oneShots.append(oneShot)
    rearm()
  }

  private func getLastKnown(_ exchange: Exchange) {
    if exchange.precision == .approximate {
      return withApproximate { $0.getLastKnown(exchange) }
    }
    exchange.reply { writer in
      writer.writeLocation(engine.state, engine.lastFix, age: age(at: .now()))
    }
  }

  private func getSky(_ exchange: Exchange) {
    exchange.reply { $0.writeSky(engine.state, engine.sky, at: .now()) }
  }

  private func getHeading(_ exchange: Exchange) {
    exchange.reply { $0.writeHeading(engine.state, engine.heading, at: .now()) }
  }
}
