internal import BearingModel
internal import Dispatch
internal import Varlink

/// A connection that holds a sensor's ring, and the place in it.
struct RingSession {
  /// How long no sample may come before the daemon is asked whether it is still there.
  private static let patience: Duration = .seconds(1)
  /// Samples in one update at most.
  private static let largestBatch = 1024

  private let client: BearingClient
  private let parameters: JSON
  private let connection: VarlinkConnection
  private var reader: SampleRingReader
  private var wakeUps: AsyncStream<Void>.Iterator
  private var sensor: String
  private var lastSequence: Int?
  private var lastNews = ContinuousClock.now
  /// What was told of the sensor last.
  private var told: (state: AccelerometerState, rate: Double?)?

  /// Connects, and has the sensor run.
  init(_ client: BearingClient, _ parameters: JSON) async throws(BearingError) {
    self.client = client
    self.parameters = parameters
    connection = try await client.connect()
    let opened = try await Self.open(connection, client, parameters)
    sensor = opened.sensor
    reader = SampleRingReader(opened.mapping)
    wakeUps = Self.wakeUps(of: opened.mapping)
  }

  /// The next samples, or another state; nil when the task is cancelled.
  mutating func next(
    isolation actor: isolated (any Actor)?
  ) async throws(BearingError) -> AccelerationUpdate? {
    while true {
      if let update = read() {
        lastNews = .now
        return update
      }
      // Only in this order is what was written before the end read before it.
      if reader.mapping.hasEnded, reader.lag == 0 {
        try await reopen(isolation: actor)
        continue
      }
      guard await wakeUps.next(isolation: actor) != nil else { return nil }
      if ContinuousClock.now - lastNews >= Self.patience, reader.lag == 0 {
        try await askDaemon(isolation: actor)
        lastNews = .now
      }
    }
  }

  private mutating func read() -> AccelerationUpdate? {
    let batch = reader.read(limit: Self.largestBatch)
    let state = batch.samples.isEmpty ? reader.mapping.state : batch.state
    let rate = reader.mapping.rate
    if batch.samples.isEmpty, let told, told == (state, rate) { return nil }
    told = (state, rate)
    lastSequence = batch.samples.last?.sequence ?? lastSequence
    return AccelerationUpdate(
      state: state, sensor: sensor, actualRate: rate, samples: batch.samples, isRepeated: false,
      dropped: batch.lost)
  }

  // MARK: The daemon

  /// Another ring in place of one that has ended, from where that one was read to.
  private mutating func reopen(isolation actor: isolated (any Actor)?) async throws(BearingError) {
    let opened = try await Self.open(connection, client, parameters)
    if let lastSequence, opened.sensor == sensor {
      reader = SampleRingReader(opened.mapping, after: lastSequence)
    } else {
      reader = SampleRingReader(opened.mapping)
    }
    sensor = opened.sensor
    wakeUps = Self.wakeUps(of: opened.mapping)
  }

  private static func open(
    _ connection: VarlinkConnection, _ client: BearingClient, _ parameters: JSON
  ) async throws(BearingError) -> (mapping: SampleRingMapping, sensor: String) {
    struct Parameters: Decodable {
      var ring: Int
      var sensor: String
    }
    let reply: Reply
    do {
      reply = try await connection.call(
        "io.bearing.accelerometer.OpenRing", parameters, timeout: BearingClient.patience)
    } catch {
      throw BearingError(error, socket: client.socket, isConnected: true)
    }
    let named: Parameters = try BearingClient.decode(reply.parameters)
    guard reply.descriptors.indices.contains(named.ring) else {
      throw .invalidReply("no descriptor came with the ring")
    }
    return (try SampleRingMapping(reply.descriptors[named.ring]), named.sensor)
  }

  /// Any answer will do: the ring's memory does not say when its writer is gone.
  private func askDaemon(isolation actor: isolated (any Actor)?) async throws(BearingError) {
    do {
      _ = try await connection.call("org.varlink.service.GetInfo", timeout: BearingClient.patience)
    } catch {
      throw BearingError(error, socket: client.socket, isConnected: true)
    }
  }

  /// The ring's wake-ups, and one a second without; what came while nobody waited is one.
  ///
  /// A thread of its own waits for them in the kernel, and ends a second after they are dropped.
  private static func wakeUps(of mapping: SampleRingMapping) -> AsyncStream<Void>.Iterator {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    DispatchQueue(label: "io.bearing.ring").async {
      while true {
        // What is woken for after this is waited for after the ring has been looked at.
        let last = mapping.wakeUps
        if case .terminated = continuation.yield() { return }
        mapping.wait(since: last)
      }
    }
    return stream.makeAsyncIterator()
  }
}
