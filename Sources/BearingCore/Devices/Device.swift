public import BearingModel

/// One of the machine's senses: a strict singleton that owns its source, its state and its streams.
///
/// Any thread may name it; everything else about it happens on the loop. A device is made at its
/// first use, by a private initialiser that does no input or output and cannot fail.
public protocol Device: InterfaceHandler, Sendable {
  /// What it is, in status and logs: location, acceleration, …
  static var kind: String { get }
  /// The interface through which clients use it.
  static var interface: InterfaceDefinition { get }
  /// The one instance.
  static var shared: Self { get }

  /// Tells it where it lives; called once, before anything else, by the daemon.
  func attach(to home: DeviceHome) throws(SystemError)
  /// What it does now.
  var status: DeviceStatus { get }
  /// What its source has carried.
  var counters: SourceCounters { get }
  /// Writes the metrics that only this kind of device has.
  func collect(into metrics: inout MetricsWriter)
  /// Whether a thread of its sources has not returned, or a device's settings are not put back.
  var isBusy: Bool { get }
  /// Asks its source to end, because the daemon does; it asks for no new one.
  func shutDown()
}

extension Device {
  /// No metrics but those that every device has.
  public func collect(into metrics: inout MetricsWriter) {}
}

/// A device that knows where the machine is, and tells others in the daemon.
public protocol PositionDevice: Device {
  /// Calls `observer` with each accepted fix, neither refined nor repeated, and runs for its sake;
  /// nil ends it.
  func observe(_ observer: ((Fix, FixMoment) -> Void)?)
}

/// What a device has around it.
public struct DeviceHome {
  /// The loop that it lives on.
  public let loop: EventLoop
  /// The daemon's state on disk.
  public let storage: Storage
  /// Whether the device is felt to stand still.
  public let stationary: Stationary
  /// Where its streams' replies go. It outlives the device's streams.
  public unowned let outlet: any Outlet
  /// To be called when its status has changed, or it is busy no more.
  public let statusChanged: () -> Void

  /// A home on this loop.
  public init(
    loop: EventLoop, storage: Storage, stationary: Stationary, outlet: any Outlet,
    statusChanged: @escaping () -> Void
  ) {
    self.loop = loop
    self.stationary = stationary
    self.storage = storage
    self.outlet = outlet
    self.statusChanged = statusChanged
  }
}
