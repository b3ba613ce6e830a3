public import BearingModel
internal import Varlink

extension BearingClient {
  private static let accelerometer = "io.bearing.accelerometer"

  /// The machine's accelerometers. None is started.
  public func sensors() async throws(BearingError) -> SensorList {
    try await call("\(Self.accelerometer).ListSensors", as: SensorList.self)
  }

  /// The next sample of acceleration; the sensor runs until it has come.
  ///
  /// - Parameters:
  ///   - sensor: its name, path or label; nil is the daemon's choice.
  ///   - timeout: how long to wait; nil is the daemon's 2 s.
  /// - Returns: the sample and the sensor that gave it.
  /// - Throws: `timeout` when none came; `noSensor`; any other `BearingError`.
  public func sample(
    sensor: String? = nil, timeout: Duration? = nil
  ) async throws(BearingError) -> OneShotSample {
    try await call(
      "\(Self.accelerometer).GetSample",
      Self.parameters([
        "sensor": sensor.map { .string($0) },
        "timeout": timeout.map { .milliseconds($0) },
      ]),
      as: OneShotSample.self, patience: (timeout ?? .seconds(2)) + Self.patience)
  }

  /// Each sample of acceleration that can be relied on, for programs that only want the numbers.
  ///
  /// None comes while the sensor gives what is no measurement, such as zero on every axis. Samples
  /// of a reader that is slow are lost, oldest first; `accelerationUpdates` tells how many.
  /// The sensor runs as long as this does.
  ///
  /// - Parameters: as in `accelerationUpdates`.
  public func accelerations(
    rate: Double? = nil, sensor: String? = nil, maxLatency: Duration? = nil
  ) -> some AsyncSequence<AccelerationSample, BearingError> & Sendable {
    Picked(accelerationUpdates(rate: rate, sensor: sensor, maxLatency: maxLatency)) {
      { event in
        guard let update = event.update, update.state == .live, !update.isRepeated else {
          return []
        }
        return update.samples
      }
    }
  }

  /// Samples of acceleration, changes of state and news of the connection.
  ///
  /// - Parameters:
  ///   - rate: hertz asked for; `actualRate` tells what was granted. Nil is the daemon's choice.
  ///   - sensor: its name, path or label; nil is the daemon's choice.
  ///   - maxLatency: how long a sample may wait for others that go with it in one update, which
  ///     saves work at high rates; nil sends each at once.
  ///   - heartbeat: when nothing was sent for that long, the last update comes again; nil sends none.
  /// - Returns: a stream that is connected by its first `next()`.
  public func accelerationUpdates(
    rate: Double? = nil, sensor: String? = nil, maxLatency: Duration? = nil,
    heartbeat: Duration? = nil
  ) -> BearingStream<AccelerationUpdate> {
    stream(
      "\(Self.accelerometer).Subscribe",
      Self.parameters([
        "rate": rate.map { .double($0) },
        "sensor": sensor.map { .string($0) },
        "maxLatency": maxLatency.map { .milliseconds($0) },
        "heartbeat": heartbeat.map { .milliseconds($0) },
      ]))
  }

  /// Every sample of a sensor at its full rate, out of memory that the daemon shares with readers.
  ///
  /// - Parameters:
  ///   - rate: hertz at which the sensor has to run at least, while this is iterated over; nil is the
  ///     daemon's 10. It runs faster, and all samples come, when others want it to.
  ///   - sensor: its name, path or label; nil is the daemon's choice.
  /// - Returns: a sequence that is connected by its first `next()`.
  public func accelerationRing(rate: Double? = nil, sensor: String? = nil) -> AccelerationRing {
    AccelerationRing(
      client: self,
      parameters: Self.parameters([
        "rate": rate.map { .double($0) }, "sensor": sensor.map { .string($0) },
      ]))
  }

  /// Which edge of the display points up: now, and each time that changes.
  ///
  /// It is `undefined` while the sensor gives nothing that can be relied on, and while the daemon
  /// cannot be reached: keep the screen as it is then.
  ///
  /// - Parameter sensor: its name, path or label; nil is the one in the display.
  /// - Returns: a sequence that is connected by its first `next()`.
  public func orientations(
    sensor: String? = nil
  ) -> some AsyncSequence<Orientation, BearingError> & Sendable {
    Picked(orientationUpdates(sensor: sensor)) {
      var last: Orientation?
      return { event in
        var orientation = Orientation.undefined
        switch event {
        case .update(let update): if update.state == .live { orientation = update.orientation }
        case .interrupted: break
        case .resumed: return []
        }
        guard orientation != last else { return [] }
        last = orientation
        return [orientation]
      }
    }
  }

  /// Orientation and tilt, changes of state and news of the connection.
  ///
  /// - Parameters:
  ///   - sensor: its name, path or label; nil is the one in the display.
  ///   - heartbeat: when nothing was sent for that long, the last update comes again; nil sends none.
  /// - Returns: a stream that is connected by its first `next()`.
  public func orientationUpdates(
    sensor: String? = nil, heartbeat: Duration? = nil
  ) -> BearingStream<OrientationUpdate> {
    stream("\(Self.accelerometer).SubscribeOrientation", Self.parameters(sensor, heartbeat))
  }

  /// Whether the device is still or moving, and shakes, taps and falls as they happen.
  ///
  /// - Parameters:
  ///   - sensor: its name, path or label; nil is the daemon's choice.
  ///   - heartbeat: when nothing was sent for that long, the last update comes again; nil sends none.
  /// - Returns: a stream that is connected by its first `next()`.
  public func motionUpdates(
    sensor: String? = nil, heartbeat: Duration? = nil
  ) -> BearingStream<MotionUpdate> {
    stream("\(Self.accelerometer).SubscribeMotion", Self.parameters(sensor, heartbeat))
  }

  private static func parameters(_ sensor: String?, _ heartbeat: Duration?) -> JSON {
    parameters([
      "sensor": sensor.map { .string($0) },
      "heartbeat": heartbeat.map { .milliseconds($0) },
    ])
  }
}
