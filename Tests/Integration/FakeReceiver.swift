import Foundation
import TestSupport

extension GpsdFake {
  /// The configuration of a daemon that uses it.
  var configuration: String {
    "[Location]\nGpsdHost=127.0.0.1\nGpsdPort=\(port)\n[Accelerometer]\nSource=none\n"
  }

  /// The daemon's connection, once it listens for what the one receiver says.
  func acceptDaemon() throws -> GpsdFakeConnection {
    let connection = try acceptWatcher()
    connection.send(
      """
      {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/fake0",\
      "activated":"2024-01-01T00:00:00.000Z"}]}
      """)
    return connection
  }
}

extension GpsdFakeConnection {
  /// Says a fix without time, which is delivered at once. Those a step apart are 1.1 m apart.
  func sendFix(step: Int) {
    send(
      """
      {"class":"TPV","device":"/dev/fake0","mode":3,"lat":\(fakeLatitude(step: step)),"lon":8.5,\
      "altMSL":500.0,"eph":3.0,"speed":5.0,"track":0.0}
      """)
  }
}

extension GpsdFakeConnection {
  /// Says a fix at a place; `second` counts from a noon in UTC, nil is a fix without time.
  func sendFix(
    _ latitude: Double, _ longitude: Double, second: Int? = nil, accuracy: Double? = 5,
    speed: Double? = nil
  ) {
    var members = [
      #""class":"TPV","device":"/dev/fake0","mode":3,"lat":\#(latitude),"lon":\#(longitude)"#
    ]
    if let second {
      let time = Date(timeIntervalSince1970: 1_796_040_000 + Double(second))
      members.append(#""time":"\#(time.formatted(.iso8601))""#)
    }
    if let accuracy { members.append(#""eph":\#(accuracy)"#) }
    if let speed { members.append(#""speed":\#(speed)"#) }
    send("{" + members.joined(separator: ",") + "}")
  }
}

/// The latitude of the fix of that step.
func fakeLatitude(step: Int) -> Double { 47 + Double(step) * 1e-5 }
