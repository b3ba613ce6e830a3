internal import BearingModel
internal import Varlink

/// The ring of one sensor: the memory, who holds it, and who waits for it.
///
/// There is one, whatever the number of readers, and it outlives them: were it made anew for each
/// first reader, whoever opens and leaves again and again, keeping the descriptors, would have the
/// daemon fill the memory with rings.
final class RingDesk {
  /// Who holds the ring.
  struct Holder {
    let stream: StreamID
    /// Hertz that it asked the sensor for.
    let rate: Double
    let caller: Caller
  }

  /// A call of OpenRing that waits until the sensor's rate is known.
  struct Call {
    let exchange: Exchange
    /// Hertz that it asks the sensor for.
    let rate: Double
    let deadline: BootTime
  }

  /// Nanoseconds that a sensor which is off has to say at what rate it runs.
  static let startTime = 2 * Nanoseconds.second
  /// Nanoseconds that one which runs has to say so, if it has another rate now for the caller's sake.
  static let changeTime = 200 * Nanoseconds.millisecond

  private(set) var holders: [Holder] = []
  var calls: [Call] = []
  private var ring: SampleRing?
  private var generation = 0
  /// Everyone who was given the ring, and can read it for as long as it is written.
  private var readers: [Caller] = []
  private var state = AccelerometerState.off
  private var rate: Double?

  // MARK: What is asked

  /// How many hold it or wait for it.
  var count: Int { holders.count + calls.count }
  /// Hertz that the sensor is asked for; 0 when nobody wants it.
  var wantedRate: Double { max(holders.map(\.rate).max() ?? 0, calls.map(\.rate).max() ?? 0) }
  /// When the first waiting call's time is up.
  var deadline: BootTime? { calls.map(\.deadline).min() }

  /// Takes the calls that are due.
  func takeCalls(where isDue: (Call) -> Bool = { _ in true }) -> [Call] {
    let due = calls.filter(isDue)
    calls.removeAll(where: isDue)
    return due
  }

  // MARK: Who holds it

  /// A descriptor of the ring, which is made now when there is none.
  func descriptor() throws(SystemError) -> Descriptor {
    if let ring { return try ring.reopened() }
    let made = try make()
    ring = made
    return try made.reopened()
  }

  /// Notes that a caller has the ring; what its connection held before is held no more.
  func add(_ holder: Holder) {
    holders.removeAll { $0.stream == holder.stream }
    holders.append(holder)
    let caller = holder.caller
    if !readers.contains(where: { $0.uid == caller.uid && $0.groups == caller.groups }) {
      readers.append(caller)
    }
  }

  /// Takes a holder or a waiting call away; false when it is not here.
  func remove(_ stream: StreamID) -> Bool {
    let before = count
    holders.removeAll { $0.stream == stream }
    calls.removeAll { $0.exchange.stream == stream }
    return count != before
  }

  /// Puts another ring in its place if somebody could read it who may not; those hold nothing more.
  ///
  /// The others go on as holders and have to ask for the new one.
  func exclude(where isExcluded: (Caller) -> Bool) {
    guard readers.contains(where: isExcluded) else { return }
    let old = ring
    holders.removeAll { isExcluded($0.caller) }
    readers = []
    ring = nil
    if !holders.isEmpty {
      do throws(SystemError) {
        ring = try make()
      } catch {
        Journal.error("\(error); readers of samples have to ask again", .source)
      }
    }
    old?.end(.replaced)
  }

  private func make() throws(SystemError) -> SampleRing {
    let ring = try SampleRing(generation: generation + 1)
    generation += 1
    ring.note(state: state, rate: rate)
    return ring
  }

  // MARK: What comes

  /// Passes on what came of a report.
  func follow(_ outcome: SensorEngine.Outcome, of engine: SensorEngine) {
    if outcome.stateChanged || outcome.rateChanged {
      (state, rate) = (engine.state, engine.rate)
      ring?.note(state: state, rate: rate)
    }
    if state == .noSensor { return end(.sensorGone) }
    guard !holders.isEmpty, let ring else { return }
    if let sample = outcome.sample { ring.add(sample, state: state) }
  }

  /// Wakes the readers, after all that came at once.
  func wakeReaders() { ring?.wakeReaders(at: .now()) }

  /// Ends the ring: nobody holds anything any more.
  func end(_ reason: RingEnd) {
    ring?.end(reason)
    ring = nil
    holders = []
    readers = []
  }
}

/// The method OpenRing, and what becomes of those who hold a sensor's ring.
extension AccelerometerChannel {
  /// Answers a call with the ring, as soon as the sensor has said its rate.
  func openRing(_ exchange: Exchange, rate: Double) {
    let stream = exchange.stream
    exchange.onAbandon = { [unowned self] in releaseRing(of: stream) }
    let before = demand
    let patience = engine?.rate == nil ? RingDesk.startTime : RingDesk.changeTime
    ring.calls.append(RingDesk.Call(exchange: exchange, rate: rate, deadline: .now() + patience))
    settle()
    if demand == before, engine?.rate != nil { answerRingCalls() }
  }

  /// Answers the waiting calls.
  private func answerRingCalls() {
    for call in ring.takeCalls() {
      do throws(SystemError) {
        let descriptor = try ring.descriptor()
        guard call.exchange.hold() else { continue }
        ring.add(
          RingDesk.Holder(
            stream: call.exchange.stream, rate: call.rate, caller: call.exchange.caller))
        call.exchange.reply(passing: [descriptor]) { writer in
          writer.member("ring", 0)
          writer.member("sensor", identifier ?? "")
          writer.key("actualRate")
          writer.value(engine?.rate ?? 0, decimals: Decimals.ratio)
        }
      } catch {
        Journal.error("\(error); a reader of samples is refused", .source)
        call.exchange.refuse(quota: "shared memory", limit: SampleRing.standardSize)
      }
    }
    settle()
  }

  /// After reports have been taken in: answers calls that waited for the rate, and wakes the readers.
  func serveRing(after reports: [SensorReport]) {
    if !ring.calls.isEmpty, engine?.rate != nil, reports.contains(where: \.tellsRate) {
      answerRingCalls()
    }
    ring.wakeReaders()
  }

  /// Looks after what time alone brings: calls whose time is up, and a state that is told by it.
  func advanceRing(_ now: BootTime) {
    ring.wakeReaders()
    if let deadline = ring.deadline, deadline <= now, engine?.rate != nil {
      return answerRingCalls()
    }
    let late = ring.takeCalls { $0.deadline <= now }
    guard !late.isEmpty else { return }
    let state = state
    let absence = engine?.detail ?? "the sensor cannot be read"
    for call in late {
      if state == .noSensor {
        call.exchange.fail("NoSensor") { $0.member("reason", absence) }
      } else {
        call.exchange.fail("Timeout") { $0.member("state", state.rawValue) }
      }
    }
    settle()
  }

  /// The connection, or its waiting call, is over.
  func releaseRing(of stream: StreamID) {
    if ring.remove(stream) { settle() }
  }

  /// Has those not read on of whom `isExcluded` holds.
  func excludeFromRing(where isExcluded: (Caller) -> Bool) {
    ring.exclude(where: isExcluded)
    settle()
  }
}

extension SensorReport {
  /// Whether the source says at what rate it runs.
  fileprivate var tellsRate: Bool {
    if case .running = self { true } else { false }
  }
}
