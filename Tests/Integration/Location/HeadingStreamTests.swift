import Foundation
import TestSupport
import Testing
import Varlink

/// Headings of a compass behind a real gpsd, as clients have them.
@Suite struct HeadingStreamTests {
  private static let subscribe = "io.bearing.location.SubscribeHeading"
  private let replay: GpsdReplay
  private let daemon: DaemonProcess

  init() throws {
    replay = try GpsdReplay(recording: GpsdRecordings.own("compass.log"))
    daemon = try DaemonProcess(
      """
      [Location]
      GpsdHost=127.0.0.1
      GpsdPort=\(replay.port)
      [Accelerometer]
      Source=none
      """)
  }

  private func gpsctl(_ arguments: String...) throws -> ProgramRun {
    try ProgramRun.run(
      ProgramRun.path(of: "gpsctl"), arguments,
      environment: ["BEARING_SOCKET": daemon.socket, "NO_COLOR": "1"])
  }

  @Test("Each heading comes with its reference, and the last one stays with its age")
  func headings() throws {
    let client = try DaemonClient(daemon.socket)
    let first = try client.open(Self.subscribe, ["heartbeat": 20_000]).parameters
    #expect(first["heading"] == nil && first["state"] == "connecting")
    _ = try client.next { $0.parameters["state"] == "searching" }
    replay.go()
    var told: [Double] = []
    var last: JSON = [:]
    while told.count < 8 {
      last = try client.next().parameters
      guard let heading = last["heading"] else { continue }
      #expect(heading["reference"] == "trueNorth" && heading["simulated"] == false)
      #expect(heading["pitch"] == nil && heading["receiver"]?.string?.hasPrefix("/dev/") == true)
      told.append(heading["heading"]?.number ?? -1)
    }
    #expect(told == [356.5, 357.5, 358.5, 359.5, 0.5, 1.5, 2.5, 3.5])
    let now = try DaemonClient(daemon.socket).call("io.bearing.location.GetHeading").parameters
    #expect(now["heading"] == last["heading"])
    #expect(now["age"]?.integer.map { $0 >= 0 } == true)
    let run = try gpsctl("heading", "--max-age", "1h")
    #expect(run.output == "3.5° true\n" && run.status == 0, "\(run.errors)")
    let line = try gpsctl("heading", "--max-age", "1h", "--json").lines.first ?? ""
    let object = try JSON(parsing: Array(line.utf8))
    #expect(object["heading"]?["heading"] == 3.5)
  }

  @Test("gpsctl watches headings, and a daemon without any is exit status 3")
  func watch() throws {
    #expect(try gpsctl("heading", "--timeout", "300ms").status == 3)
    let client = try DaemonClient(daemon.socket)
    _ = try client.open(Self.subscribe) { $0["state"] == "searching" }
    replay.go()
    _ = try client.next { $0.parameters["heading"] != nil }
    let run = try gpsctl("watch", "heading", "--count", "1")
    #expect(run.status == 0)
    #expect(run.lines.last?.contains("° true") == true, "\(run.output)")
  }

  @Test("An approximate caller is denied: a heading is for precise ones")
  func approximate() throws {
    let daemon = try DaemonProcess(
      "[Location]\nSource=none\n[Accelerometer]\nSource=none\n"
        + "[Access]\nUser.\(NSUserName())=approximate\n")
    for method in ["GetHeading", "SubscribeHeading"] {
      let client = try DaemonClient(daemon.socket)
      try client.send("io.bearing.location.\(method)", more: method != "GetHeading")
      let reply = try client.next()
      #expect(reply.error == "io.bearing.location.AccessDenied")
      // The group would not help: the rule comes before it.
      #expect(
        reply.parameters["remedy"]?.string?.contains("User.\(NSUserName())=precise") == true)
    }
  }
}
