import Foundation
import TestSupport
import Testing
import Varlink

/// A receiver that repeats itself while the device is shaken.
@Suite struct FrozenReceiverTests {
  /// Two minutes at 20 Hz, 4 m/s² to and fro, twice a second.
  private static var shaking: String {
    (0..<2400).map { step in
      #"{"samples":[{"bootTimestamp":\#(step * 50_000),"sequence":\#(step + 1),"#
        + #""x":0.0,"y":\#(step / 5 % 2 == 0 ? 5.8 : 13.8),"z":0.0}],"state":"live"}"# + "\n"
    }.joined()
  }

  @Test("Thirty equal fixes in thirty seconds of shaking are suspect, and another one is live")
  func frozen() throws {
    let folder = try TemporaryFolder()
    let recording = try folder.write(Self.shaking, to: "shaking.jsonl")
    let gpsd = try GpsdFake()
    let daemon = try DaemonProcess(
      "[Location]\nGpsdHost=127.0.0.1\nGpsdPort=\(gpsd.port)\nUseAccelerometer=always\n"
        + "[Accelerometer]\nSource=replay:\(recording)\n")
    let motion = try DaemonClient(daemon.socket)
    _ = try motion.open("io.bearing.accelerometer.SubscribeMotion")
    let client = try DaemonClient(daemon.socket)
    _ = try client.open("io.bearing.location.Subscribe", ["heartbeat": 500])
    let receiver = try gpsd.acceptDaemon()
    _ = try motion.next { $0.parameters["motion"] == "moving" }

    let start = Date()
    let deadline = start + DaemonProcess.patience
    var (count, state) = (0, "")
    while state != "suspect", Date() < deadline {
      receiver.sendFix(47, 8.5)
      count += 1
      // The heartbeat sets the pace.
      state = try client.next { $0.parameters["repeated"] == true || $0.isSuspect }.state
    }
    #expect(state == "suspect")
    #expect(count >= 30 && Date() >= start + 30)
    receiver.sendFix(47.00001, 8.5)
    let moved = try client.next { $0.parameters["fix"]?["latitude"] == 47.00001 }
    #expect(moved.state == "live")
  }
}

extension DaemonClient.Message {
  fileprivate var state: String { parameters["state"]?.string ?? "" }
  fileprivate var isSuspect: Bool { state == "suspect" }
}
