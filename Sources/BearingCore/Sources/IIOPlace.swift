/// A sensor's place in the machine, from its path in sysfs without the numbers that the kernel hands
/// out in the order of discovery: the same after a replug, a reboot or another probing order.
///
/// Numbers of buses, HID connections and automatic platform devices go; addresses stay:
/// `/devices/…/i2c-8/i2c-ITE8186:00/0018:048D:8186.0003/HID-SENSOR-200073.2.auto/iio:device0` is
/// `/devices/…/i2c/i2c-ITE8186:00/0018:048D:8186/HID-SENSOR-200073`.
enum IIOPlace {
  /// The lasting form of `place`; `label`, which the driver gives, tells sensors of one chip apart.
  static func lasting(_ place: String, label: String?) -> String {
    var parts = place.split(separator: "/").map(String.init)
    if let last = parts.last, last.hasPrefix("iio:device") { parts.removeLast() }
    let lasting = parts.map(lasting(component:)) + [label].compactMap(\.self)
    return "/" + lasting.joined(separator: "/")
  }

  private static func lasting(component: String) -> String {
    let dots = component.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let colons = component.split(separator: ":", omittingEmptySubsequences: false)
    let dashes = component.split(separator: "-", maxSplits: 1).map(String.init)

    // platform device with an automatic number: cros-ec-accel.6.auto
    if dots.count >= 3, dots.last == "auto", isNumber(dots[dots.count - 2]) {
      return dots.dropLast(2).joined(separator: ".")
    }
    // HID device: bus:vendor:product.connection
    if colons.count == 3, dots.count == 2, colons[0].count == 4, dots[1].count == 4 {
      return dots[0]
    }
    // I²C adapter, and a device on it by address: i2c-1, 1-0068
    if dashes.count == 2, dashes[0] == "i2c", isNumber(dashes[1]) { return "i2c" }
    if dashes.count == 2, isNumber(dashes[0]), dashes[1].count == 4, isHexadecimal(dashes[1]) {
      return dashes[1]
    }
    // SPI and USB buses, and what hangs on them: spi6, spi6.0, usb1, 1-2.3, 1-2.3:1.0
    for bus in ["spi", "usb"] where component.hasPrefix(bus) {
      let rest = component.dropFirst(bus.count)
      let number = rest.prefix { $0.isNumber }
      let end = rest.dropFirst(number.count)
      if !number.isEmpty, end.isEmpty || end.hasPrefix(".") { return bus + end }
    }
    if dashes.count == 2, isNumber(dashes[0]), dashes[1].first?.isNumber ?? false,
      dashes[1].allSatisfy({ $0.isNumber || $0 == "." || $0 == ":" })
    {
      return dashes[1]
    }
    // platform device with a number: i2c_designware.2; an address before the dot is none
    if dots.count == 2, colons.count == 1, isNumber(dots[1]), !isHexadecimal(dots[0]) {
      return dots[0]
    }
    return component
  }

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
  }

  private static func isHexadecimal(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isHexDigit }
  }
}
