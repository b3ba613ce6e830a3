/// Sensors that are known from the start and never change.
struct KnownSensors: Source {
  let sensors: [DiscoveredSensor]
  let summary: String
  let isSimulated: Bool

  func run(_ port: SourcePort<SensorListReport, SensorListDemand>) {
    while !port.isStopping {
      port.post(state: .sensors(sensors, revision: port.demand.revision))
      _ = port.wait()
    }
  }
}

/// No accelerometer at all.
struct NoAccelerometers: AccelerometerSources {
  /// Why, for people.
  let summary: String

  var changes: SensorChanges { .never }

  func discovery() -> any Source<SensorListReport, SensorListDemand> {
    KnownSensors(sensors: [], summary: summary, isSimulated: false)
  }

  func capture(_ sensor: DiscoveredSensor) -> any Source<SensorReport, SensorDemand> {
    AbsentSensor(summary: summary)
  }
}

/// A sensor that is not there.
private struct AbsentSensor: Source {
  let summary: String
  var isSimulated: Bool { false }

  func run(_ port: SourcePort<SensorReport, SensorDemand>) { port.post(state: .gone) }
}
