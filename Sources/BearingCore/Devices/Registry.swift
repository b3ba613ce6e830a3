/// The devices that the daemon has: one line for each.
public struct Registry: Sendable {
  /// Each kind of device, in the order in which status shows them.
  public var devices: [any Device.Type]

  /// Such a registry, as for tests of a device that is not the daemon's.
  public init(devices: [any Device.Type]) {
    self.devices = devices
  }

  /// The devices of this daemon.
  public static let standard = Registry(devices: [
    LocationManager.self,
    Accelerometer.self,
  ])
}
