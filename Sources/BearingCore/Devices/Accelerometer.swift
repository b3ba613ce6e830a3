public import BearingModel

/// Owns the machine's accelerometers: the one instance is `shared`.
///
/// Lazy, made once whatever races for it, since Swift makes a `static let` behind a once-lock.
public final class Accelerometer: Device {
  /// What the accelerometer runs on.
  public struct Setup: Sendable {
    /// What the sources are, for people.
    public var summary: String
    /// How sensors are found and read.
    public var sources: any AccelerometerSources
    /// The sensor that answers those who name none: its path, name or label; nil for the display's.
    public var sensor: String?
    /// Whether what it gives is simulated, replayed or from a re-rooted tree.
    public var isSimulated: Bool

    /// An accelerometer on these sources.
    public init(
      summary: String, sources: any AccelerometerSources, sensor: String? = nil, isSimulated: Bool
    ) {
      self.summary = summary
      self.sources = sources
      self.sensor = sensor
      self.isSimulated = isSimulated
    }
  }

  /// The one instance.
  public static let shared = Accelerometer()
  /// Takes, once and before the first use of `shared`, other sources than Linux' IIO tree.
  public static let source = SourceSlot<Setup> { Setup(AccelerometerSettings()) }

  /// What it is in status.
  public static let kind = "acceleration"
  /// `io.bearing.accelerometer`.
  public static let interface = InterfaceDefinition(
    description: InterfaceText.accelerometer,
    methods: [
      "ListSensors": .orientation, "GetSample": .samples, "Subscribe": .samples,
      "SubscribeOrientation": .orientation, "SubscribeMotion": .orientation,
      "OpenRing": .everySample,
    ])

  private let desk: LoopConfined<AccelerometerDesk>

  private init() {
    desk = LoopConfined(
      AccelerometerDesk(
        instance: InstanceName.next(of: Accelerometer.self), setup: Self.source.use())
    )
  }

  /// Tells it where it lives.
  public func attach(to home: DeviceHome) throws(SystemError) { try desk.value.attach(to: home) }
  /// Carries out a call of `io.bearing.accelerometer`.
  public func handle(_ exchange: Exchange) { desk.value.handle(exchange) }
  /// Ends a stream's subscription.
  public func streamEnded(_ stream: StreamID) { desk.value.streamEnded(stream) }
  /// Gives a stream the rate that its caller may have.
  public func precisionChanged(of stream: StreamID, to precision: Precision) {
    desk.value.precisionChanged(of: stream, to: precision)
  }
  /// Lets a stream go by other preferences.
  public func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences) {
    desk.value.preferencesChanged(of: stream, to: preferences)
  }
  /// Has the ring's sensor run no longer for the sake of a client that is gone.
  public func holdEnded(_ stream: StreamID) { desk.value.holdEnded(stream) }
  /// Ends the rings that were given to those who may not have them now.
  public func rulesChanged(_ door: AccessDoor) {
    desk.value.excludeFromRings { caller throws(Never) in
      do throws(Refusal) {
        _ = try door.check(caller, for: .everySample)
        return false
      } catch {
        return true
      }
    }
  }
  /// Ends the rings that were given to a user.
  public func userDisconnected(_ uid: UInt32) { desk.value.excludeFromRings { $0.uid == uid } }
  /// What it does now.
  public var status: DeviceStatus { desk.value.status }
  /// What its sources have carried.
  public var counters: SourceCounters { desk.value.counters }
  /// Writes the metrics of acceleration.
  public func collect(into metrics: inout MetricsWriter) { desk.value.collect(into: &metrics) }
  /// Whether a thread of its sources has not returned.
  public var isBusy: Bool { desk.value.isBusy }
  /// Ends its sources.
  public func shutDown() { desk.value.shutDown() }
}
