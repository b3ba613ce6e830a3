internal import Glibc

/// A timer of the kernel's (iio-trig-hrtimer) that makes a sensor without a trigger take samples.
///
/// Its name tells whose it is: the daemon's, for the sensor of that number. One that a killed daemon
/// has left, or that an administrator made for a daemon that may not, is used again.
struct IIOTimer {
  private static let prefix = "bearingd-device"

  let name: String
  private let place: String

  /// Whether a trigger of that name is one that a daemon made.
  static func isOurs(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// Makes the timer for a sensor, or finds it.
  init(for folder: IIOFolder, in tree: IIOTree) throws(SystemError) {
    let timers = "\(tree.root)/kernel/config/iio/triggers/hrtimer"
    let number = folder.identifier.drop { !$0.isNumber }
    name = Self.prefix + number
    place = "\(timers)/\(name)"
    Self.sweep(timers, tree)
    if IIOTrigger.folder(named: name, in: tree) != nil { return }
    guard unsafe mkdir(place, 0o755) == 0 || errno == EEXIST else {
      throw SystemError("make the timer \(place)")
    }
  }

  /// Removes it, where that is allowed.
  func remove() { unsafe _ = rmdir(place) }

  /// Removes timers of sensors that are no longer there.
  private static func sweep(_ timers: String, _ tree: IIOTree) {
    guard let names = try? Files.names(in: timers), let devices = try? tree.devices() else {
      return
    }
    for name in names where isOurs(name) {
      let device = "iio:device" + name.dropFirst(prefix.count)
      if !devices.contains(where: { $0.identifier == device }) {
        unsafe _ = rmdir("\(timers)/\(name)")
      }
    }
  }
}
