public import BearingModel

/// Owns the machine's GNSS receivers: the one instance is `shared`.
///
/// Lazy, made once whatever races for it, since Swift makes a `static let` behind a once-lock.
public final class LocationManager: PositionDevice {
  /// What the manager runs on.
  public struct Setup: Sendable {
    /// What the source is, for people.
    public var summary: String
    /// Makes the source, each time that somebody begins to listen.
    public var makeSource: @Sendable () -> any Source<GnssReport, GnssDemand>
    /// Nanoseconds between two looks at the position for approximate callers.
    public var approximateInterval: Int64 = AccessSettings().approximateInterval
    /// The rules' constants.
    public var engine: LocationEngine.Configuration

    /// A manager on the source that `makeSource` makes.
    public init(
      summary: String,
      engine: LocationEngine.Configuration = LocationEngine.Configuration(),
      makeSource: @escaping @Sendable () -> any Source<GnssReport, GnssDemand>
    ) {
      self.summary = summary
      self.makeSource = makeSource
      self.engine = engine
    }
  }

  /// The one instance.
  public static let shared = LocationManager()
  /// Takes, once and before the first use of `shared`, another source than gpsd on this machine.
  public static let source = SourceSlot<Setup> { Setup(LocationSettings()) }

  /// What it is in status.
  public static let kind = "location"
  /// `io.bearing.location`.
  public static let interface = InterfaceDefinition(
    description: InterfaceText.location,
    methods: [
      "GetFix": .position, "GetLastKnown": .position, "Subscribe": .position,
      "GetSky": .precisePosition, "SubscribeSky": .precisePosition,
      "GetHeading": .precisePosition, "SubscribeHeading": .precisePosition,
    ])

  private let desk: LoopConfined<LocationDesk>

  private init() {
    desk = LoopConfined(
      LocationDesk(instance: InstanceName.next(of: LocationManager.self), setup: Self.source.use()))
  }

  /// Tells it where it lives.
  public func attach(to home: DeviceHome) throws(SystemError) { try desk.value.attach(to: home) }
  /// Carries out a call of `io.bearing.location`.
  public func handle(_ exchange: Exchange) { desk.value.handle(exchange) }
  /// Ends a stream's subscription.
  public func streamEnded(_ stream: StreamID) { desk.value.streamEnded(stream) }
  /// Lets a stream tell more, or less.
  public func precisionChanged(of stream: StreamID, to precision: Precision) {
    desk.value.precisionChanged(of: stream, to: precision)
  }
  /// Lets a stream go by other preferences.
  public func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences) {
    desk.value.preferencesChanged(of: stream, to: preferences)
  }
  /// What a stream's filters said of its last fixes.
  public func decisions(of stream: StreamID) -> [DecisionLog.Decision]? {
    desk.value.decisions(of: stream)
  }
  /// Tells each accepted fix, and runs for its sake.
  public func observe(_ observer: ((Fix, FixMoment) -> Void)?) { desk.value.observe(observer) }
  /// What it does now.
  public var status: DeviceStatus { desk.value.status }
  /// What its source has carried.
  public var counters: SourceCounters { desk.value.counters }
  /// Writes the metrics of location.
  public func collect(into metrics: inout MetricsWriter) { desk.value.collect(into: &metrics) }
  /// Whether a thread of its source has not returned.
  public var isBusy: Bool { desk.value.isBusy }
  /// Ends its source.
  public func shutDown() { desk.value.shutDown() }
}
