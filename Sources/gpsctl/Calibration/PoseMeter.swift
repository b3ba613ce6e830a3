internal import BearingClient
internal import BearingModel

/// Measures gravity in a pose: waits until the device is at rest, and takes the mean.
struct PoseMeter: Sendable {
  /// Hertz asked for.
  private static let rate = 50.0
  /// Microseconds between two words on how still it is.
  private static let progressStep = 300_000

  let client: BearingClient
  /// Which sensor; nil is the daemon's choice.
  let sensor: String?
  let timeout: Duration
  /// Told now and then how much the device moves, in metres per second squared.
  var progress: @Sendable (Double) -> Void = { _ in }

  /// Waits for rest and measures; nil when there was none in time.
  func measure(_ pose: Pose) async throws(Failure) -> PoseMeasurement? {
    try await within(timeout) { () async throws(Failure) in try await follow(pose) }
  }

  /// What to say when there was no rest.
  var unrest: String {
    "the device was not at rest for 1.5 s within \(Times.span(timeout)); put it against"
      + " something that holds it"
  }

  private func follow(_ pose: Pose) async throws(Failure) -> PoseMeasurement {
    var events = client.accelerationUpdates(rate: Self.rate, sensor: sensor).makeAsyncIterator()
    var window = RestWindow()
    var identifier: String?
    var told = 0
    while let event = try await events.nextEvent() {
      guard let update = event.update, !update.isRepeated else { continue }
      identifier = update.sensor ?? identifier
      if update.state == .noSensor || update.state == .failed {
        throw Failure(
          .noData, "the sensor gives nothing (\(update.state.rawValue)); see gpsctl sensors")
      }
      if update.state != .live { window.clear() }
      for sample in update.samples where update.state == .live {
        window.add(sample)
        if sample.bootTimestamp - told >= Self.progressStep {
          told = sample.bootTimestamp
          progress(window.deviation)
        }
        if let mean = window.atRest {
          return try await measured(pose, mean, window.deviation, identifier ?? "")
        }
      }
    }
    throw Failure(.noData, "the daemon ended the stream")
  }

  private func measured(
    _ pose: Pose, _ mean: SIMD3<Double>, _ deviation: Double, _ identifier: String
  ) async throws(Failure) -> PoseMeasurement {
    let list: SensorList
    do throws(BearingError) {
      list = try await client.sensors()
    } catch {
      throw Failure(error)
    }
    guard let found = list.sensors.first(where: { $0.identifier == identifier }),
      let frame = SensorFrame(found)
    else { throw Failure(.noData, "the sensor \(identifier) went while it was measured") }
    return PoseMeasurement(
      pose: pose, vector: frame.undo(mean), deviation: deviation, sensor: identifier,
      path: found.path)
  }
}
