extension Accelerometer.Setup {
  /// What the configuration says that the accelerometer runs on.
  ///
  /// `originals` keeps what sensors of the hardware were set to.
  public init(_ settings: AccelerometerSettings, originals: IIOOriginals? = nil) {
    let sources: any AccelerometerSources =
      switch settings.source {
      case .hardware: IIOSources(settings, originals: originals)
      case .simulation: SimulatedAccelerometer()
      case .replay(let file): ReplayedAccelerometer(file: file)
      case .none: NoAccelerometers(summary: "no source, by configuration")
      }
    let discovery = sources.discovery()
    self.init(
      summary: discovery.summary, sources: sources, sensor: settings.sensor,
      isSimulated: discovery.isSimulated)
  }
}
