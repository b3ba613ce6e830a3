internal import CSystemd

/// Hears of devices of one kind that come, change or go, when udev has dealt with them.
///
/// The kernel sorts out what concerns other devices: while nothing happens to this kind, nothing
/// wakes up. It ends with the object.
@safe public final class DeviceMonitor {
  /// A kind of device, as udev knows it.
  public struct Kind: Sendable, Equatable {
    /// Such as iio.
    public var subsystem: String
    /// The subsystem's own word for the kind, such as iio_device.
    public var type: String

    /// The kind of that type in that subsystem.
    public init(subsystem: String, type: String) {
      self.subsystem = subsystem
      self.type = type
    }
  }

  /// What happened to a device, with the kernel's name for it, such as iio:device0.
  public enum Change: Sendable, Equatable {
    /// It is there: it came, or what is known of it changed.
    case present(String)
    /// It was unplugged.
    case removed(String)
  }

  /// Where udev listens, as libsystemd too finds out whether there is one.
  private static let control = "/run/udev/control"

  private var monitor: OpaquePointer?
  private let handler: (Change) -> Void

  /// Calls `handler` on the loop with each change of a device of that kind.
  public init(
    loop: EventLoop, kind: Kind, _ handler: @escaping (Change) -> Void
  ) throws(SystemError) {
    self.handler = handler
    var result = unsafe sd_device_monitor_new(&monitor)
    if result >= 0 {
      result = unsafe sd_device_monitor_filter_add_match_subsystem_devtype(
        monitor, kind.subsystem, kind.type)
    }
    if result >= 0 { result = unsafe sd_device_monitor_attach_event(monitor, loop.event) }
    if result >= 0 {
      result = unsafe sd_device_monitor_start(
        monitor, dispatchChange, Unmanaged.passUnretained(self).toOpaque())
    }
    guard result >= 0 else {
      throw SystemError("listen for \(kind.subsystem) devices", code: result)
    }
  }

  deinit {
    _ = unsafe sd_device_monitor_stop(monitor)
    _ = unsafe sd_device_monitor_unref(monitor)
  }

  /// Whether there is a udev: in most containers there is none, and nothing is ever heard.
  public static var isServed: Bool { Files.exists(control) }

  fileprivate func dispatch(_ change: Change) { handler(change) }
}

private func dispatchChange(
  _ monitor: OpaquePointer?, _ device: OpaquePointer?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  var name: UnsafePointer<CChar>?
  var action = SD_DEVICE_ADD
  guard let context = unsafe context, unsafe sd_device_get_sysname(device, &name) >= 0,
    let name = unsafe name, unsafe sd_device_get_action(device, &action) >= 0
  else { return 0 }
  let text = unsafe String(cString: name)
  unsafe Unmanaged<DeviceMonitor>.fromOpaque(context).takeUnretainedValue()
    .dispatch(action == SD_DEVICE_REMOVE ? .removed(text) : .present(text))
  return 0
}
