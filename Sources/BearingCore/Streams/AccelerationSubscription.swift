internal import BearingModel

/// One stream of samples.
struct SampleSubscription: Subscription {
  let stream: StreamID
  var heartbeat: Heartbeat
  var lastSent: BootTime
  /// Hertz that it asked for, whatever it may have.
  let wantedRate: Double
}

/// One stream of orientation and tilt.
struct PoseSubscription: Subscription {
  let stream: StreamID
  var heartbeat: Heartbeat
  var lastSent: BootTime
}

/// The streams that asked for one rate and one latency: they share means, batches and encodings.
struct SampleGroup {
  /// Samples in a reply at most: so many fit into what a socket takes at once.
  static let mostSamples = 100

  /// Hertz that they asked for.
  let rate: Double
  /// Nanoseconds that a sample may wait for others; 0 sends each at once.
  let maxLatency: Int64
  /// Its streams.
  var hub = Hub<SampleSubscription>()
  /// What waits to be sent together.
  private(set) var batch: [AccelerationSample] = []
  /// The sensor's state with what waits, and with what is being averaged.
  private var state = AccelerometerState.starting
  /// When the batch must go; nil while there is none.
  private(set) var due: BootTime?
  /// The last sample that went to a batch; nil before the first, and the first of another state.
  private(set) var last: AccelerationSample?
  private var averager: RateAverager
  /// Nanoseconds from one sample of the group to the next.
  private var step: Int64 = 0

  /// A group without streams, of a sensor that gives `sensorRate` hertz; nil while unknown.
  init(rate: Double, maxLatency: Int64, sensorRate: Double?) {
    self.rate = rate
    self.maxLatency = maxLatency
    averager = RateAverager(rate: rate, sensorRate: sensorRate)
    adapt(sensorRate: sensorRate)
  }

  /// Hertz that they get; nil while the sensor's rate is not known.
  private(set) var actualRate: Double?

  /// The sensor's rate changed.
  mutating func adapt(sensorRate: Double?) {
    averager.adapt(sensorRate: sensorRate)
    actualRate = sensorRate.map { averager.actualRate(sensorRate: $0) }
    step = actualRate.map { Int64(Double(Nanoseconds.second) / $0) } ?? 0
  }

  /// Takes a sample with the sensor's state; whether the batch is to be sent now.
  ///
  /// When the state is another than with the sample before, `cut` and `takeBatch` come first.
  mutating func add(
    _ sample: AccelerationSample, state: AccelerometerState, now: BootTime
  ) -> Bool {
    self.state = state
    guard let mean = averager.add(sample) else { return false }
    last = mean
    batch.append(mean)
    let due = self.due ?? now + maxLatency
    self.due = due
    return batch.count >= Self.mostSamples || now + step > due
  }

  /// Ends the period that is being averaged: its mean is to be of samples of one state.
  mutating func cut() {
    if let mean = averager.cut() { batch.append(mean) }
    // The reply that comes after it has none, and so have those that repeat that one.
    last = nil
  }

  /// Takes the batch to send it, with its state.
  mutating func takeBatch() -> (samples: [AccelerationSample], state: AccelerometerState) {
    defer {
      batch.removeAll(keepingCapacity: true)
      due = nil
    }
    return (batch, state)
  }
}
