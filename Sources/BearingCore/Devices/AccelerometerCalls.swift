internal import BearingModel
internal import Varlink

/// The methods of `io.bearing.accelerometer`.
extension AccelerometerDesk {
  /// Hertz that a stream gets when it does not say.
  private static var standardRate: Double { 10 }
  /// Hertz between which a stream can ask; what is beyond gets the nearest.
  private static var rates: ClosedRange<Double> { 0.001...1000 }
  /// Milliseconds that samples may wait for others.
  private static var longestLatency: Int { 60_000 }
  /// Milliseconds that GetSample waits when the caller does not say.
  private static var standardTimeout: Int { 2_000 }
  /// Milliseconds that it waits at most.
  private static var longestTimeout: Int { 600_000 }

  /// Carries out a call, once the sensors are known.
  func handle(_ exchange: Exchange) {
    do throws(ServiceError) {
      // Wrong parameters are answered at once, and start nothing.
      switch exchange.call.method {
      case "ListSensors": break
      case "GetSample": _ = try Self.timeout(exchange)
      case "Subscribe", "OpenRing": _ = try SampleWish(exchange)
      case "SubscribeOrientation", "SubscribeMotion": _ = try Parameters(exchange).heartbeat()
      default: throw .methodNotImplemented("\(exchange.call.interface).\(exchange.call.method)")
      }
      awaitSensors(exchange)
    } catch {
      exchange.fail(error)
    }
  }

  /// Answers a call; the sensors are known as well as they can be.
  func answer(_ exchange: Exchange) {
    do throws(ServiceError) {
      switch exchange.call.method {
      case "ListSensors": listSensors(exchange)
      case "GetSample": try getSample(exchange)
      case "Subscribe": try subscribe(exchange)
      case "OpenRing": try openRing(exchange)
      case "SubscribeMotion": try subscribeMotion(exchange)
      default: try subscribeOrientation(exchange)
      }
    } catch {
      exchange.fail(error)
    }
    stopIfUnused()
  }

  private func listSensors(_ exchange: Exchange) {
    if sensors.isEmpty, let listProblem { return refuse(exchange, listProblem) }
    exchange.reply { writer in
      writer.key("sensors")
      writer.array(sensors) { $0.value(asItRuns($1)) }
      writer.member("state", state.rawValue)
    }
  }

  private func getSample(_ exchange: Exchange) throws(ServiceError) {
    let timeout = try Self.timeout(exchange)
    let wish = wish(of: exchange)
    switch choose(wish) {
    case .none(let reason): refuse(exchange, reason)
    case .sensor(let found):
      if let reason = found.unusable { return refuse(exchange, reason) }
      let stream = exchange.stream
      exchange.onAbandon = { [unowned self] in streamEnded(stream) }
      channel(of: found)?.add(
        AccelerometerChannel.SampleCall(
          exchange: exchange, deadline: .now() + timeout, wish: wish.fixed(to: found)))
    }
  }

  private func subscribe(_ exchange: Exchange) throws(ServiceError) {
    let wish = try SampleWish(exchange)
    openStream(exchange) { channel in
      channel.open(
        SampleSubscription(
          stream: exchange.stream, heartbeat: wish.heartbeat, lastSent: .now(),
          wantedRate: wish.rate),
        rate: AccelerometerChannel.rate(wish.rate, for: exchange.precision),
        maxLatency: wish.maxLatency)
    }
  }

  private func openRing(_ exchange: Exchange) throws(ServiceError) {
    let wish = try SampleWish(exchange)
    switch choose(self.wish(of: exchange)) {
    case .none(let reason): refuse(exchange, reason)
    case .sensor(let found):
      if let reason = found.unusable { return refuse(exchange, reason) }
      channel(of: found)?.openRing(exchange, rate: wish.rate)
    }
  }

  private func subscribeOrientation(_ exchange: Exchange) throws(ServiceError) {
    let heartbeat = try Parameters(exchange).heartbeat()
    openStream(exchange) { channel in
      channel.open(
        PoseSubscription(stream: exchange.stream, heartbeat: heartbeat, lastSent: .now()))
    }
  }

  private func subscribeMotion(_ exchange: Exchange) throws(ServiceError) {
    let heartbeat = try Parameters(exchange).heartbeat()
    openStream(exchange) { channel in
      channel.open(
        MotionSubscription(stream: exchange.stream, heartbeat: heartbeat, lastSent: .now()))
    }
  }

  /// A stream that names no sensor waits when there is none; one that names an unknown one fails.
  private func openStream(_ exchange: Exchange, _ open: (AccelerometerChannel) -> Void) {
    var wish = wish(of: exchange)
    var sensor: DiscoveredSensor?
    switch choose(wish) {
    case .sensor(let found):
      sensor = found
      wish = wish.fixed(to: found)
    case .none(let reason): if wish.isFirm { return refuse(exchange, reason) }
    }
    guard exchange.openStream(), let channel = channel(of: sensor) else { return }
    remember(wish, of: exchange.stream)
    open(channel)
  }

  /// The sensor that a call names, or else the one that its caller prefers.
  func wish(of exchange: Exchange) -> SensorWish {
    if let name = Parameters(exchange).text("sensor") {
      return SensorWish(name: name, isFirm: true)
    }
    return SensorWish(name: exchange.preferences.sensor, isFirm: false)
  }

  private func refuse(_ exchange: Exchange, _ reason: String) {
    exchange.fail("NoSensor") { $0.member("reason", reason) }
  }

  private static func timeout(_ exchange: Exchange) throws(ServiceError) -> Int64 {
    let timeout = try Parameters(exchange).milliseconds("timeout", most: longestTimeout)
    return Int64(timeout ?? standardTimeout) * Nanoseconds.millisecond
  }

  /// What a call of Subscribe or OpenRing wants.
  private struct SampleWish {
    let rate: Double
    let maxLatency: Int64
    let heartbeat: Heartbeat

    init(_ exchange: Exchange) throws(ServiceError) {
      let parameters = Parameters(exchange)
      let asked = try parameters.nonnegative("rate") ?? standardRate
      guard asked > 0 else { throw .invalidParameter("rate") }
      rate = min(max(asked, rates.lowerBound), rates.upperBound)
      let latency = try parameters.milliseconds("maxLatency", most: longestLatency) ?? 0
      maxLatency = Int64(latency) * Nanoseconds.millisecond
      heartbeat = try parameters.heartbeat()
    }
  }
}
