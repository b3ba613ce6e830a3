extension LocationManager.Setup {
  /// What the configuration says that the location manager runs on.
  public init(_ settings: LocationSettings) {
    var engine = LocationEngine.Configuration()
    engine.receivers = settings.receivers.map(\.device)
    for receiver in settings.receivers {
      engine.receiverFactors[receiver.device] = receiver.accuracyFactor
    }
    let source: any Source<GnssReport, GnssDemand> =
      switch settings.source {
      case .hardware: GpsdSource(host: settings.gpsdHost, port: settings.gpsdPort)
      case .simulation: SimulatedReceiver()
      case .replay(let file): ReplaySource(file: file)
      case .none: AbsentReceiver()
      }
    engine.simulated = source.isSimulated
    self.init(summary: source.summary, engine: engine) { source }
  }
}
