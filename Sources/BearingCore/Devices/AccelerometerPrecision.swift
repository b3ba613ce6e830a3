internal import BearingModel

/// What callers who may know less have of samples: 50 a second at most.
extension AccelerometerChannel {
  /// Hertz for approximate callers.
  private static let coarseRate = 50.0
  /// Microseconds of a period of that rate.
  private static let coarseStep = 20_000

  /// The rate that a stream is given which asked for `wanted`.
  static func rate(_ wanted: Double, for precision: Precision) -> Double {
    precision == .precise ? wanted : min(wanted, coarseRate)
  }

  /// Gives a stream the rate that its caller may have from now on, with a first reply as a new one.
  func precisionChanged(of stream: StreamID, to precision: Precision) {
    guard let index = groups.firstIndex(where: { $0.hub.record(of: stream) != nil }),
      let record = groups[index].hub.record(of: stream)
    else { return }
    let rate = Self.rate(record.wantedRate, for: precision)
    guard rate != groups[index].rate else { return }
    let maxLatency = groups[index].maxLatency
    _ = groups[index].hub.close(stream)
    if groups[index].hub.records.isEmpty { groups.remove(at: index) }
    open(record, rate: rate, maxLatency: maxLatency)
  }

  /// Takes the calls that a sample answers: of approximate callers, all of them together have one
  /// sample a period.
  func takeCalls(answeredBy sample: AccelerationSample) -> [SampleCall] {
    let period = sample.bootTimestamp / Self.coarseStep
    let isForAll = period != coarsePeriod
    let (ready, others) = (
      calls.filter { isForAll || $0.exchange.precision == .precise },
      calls.filter { !isForAll && $0.exchange.precision != .precise }
    )
    if ready.contains(where: { $0.exchange.precision != .precise }) { coarsePeriod = period }
    calls = others
    return ready
  }
}

extension AccelerometerDesk {
  /// Gives a stream of samples the rate that its caller may have from now on.
  func precisionChanged(of stream: StreamID, to precision: Precision) {
    for channel in everyChannel { channel.precisionChanged(of: stream, to: precision) }
  }
}
