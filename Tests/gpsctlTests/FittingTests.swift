import TestSupport
import Testing
import Varlink

@testable import gpsctl

/// Text for people on terminals that are too narrow for it.
@Suite struct FittingTests {
  @Test(
    arguments: [
      (nil, "place  ± 3 m  40 m up  5 kn  12:00Z"), (35, "place  ± 3 m  40 m up  5 kn  12:00Z"),
      (34, "place  ± 3 m  5 kn  12:00Z"), (25, "place  ± 3 m  5 kn"), (17, "place  ± 3 m"),
      (1, "place  ± 3 m"),
    ] as [(Int?, String)])
  func `a line leaves out what matters least, and never what matters`(columns: Int?, text: String) {
    var line = FittedLine()
    line.add("place")
    line.add("± 3 m")
    line.add("40 m up", .least)
    line.add("5 kn", .some)
    line.add("12:00Z", .little)
    #expect(line.text(columns: columns) == text)
  }

  private static func table() -> Table {
    var table = Table(
      [("ID", .right), ("SIZE", .right), ("NAME", .left), ("WHAT IT IS", .left)],
      expendable: ["SIZE", "NAME"])
    table.add(["1", "20", "a", "short"])
    table.add(["2", "3000", "bcd", "some words that are as long as a sentence"])
    return table
  }

  private static let whole = """
    ID  SIZE  NAME  WHAT IT IS
     1    20  a     short
     2  3000  bcd   some words that are as long as a sentence
    """

  @Test(
    arguments: [
      (nil, whole), (57, whole),
      (
        56,
        """
        ID  NAME  WHAT IT IS
         1  a     short
         2  bcd   some words that are as long as a sentence
        """
      ),
      (
        45,
        """
        ID  WHAT IT IS
         1  short
         2  some words that are as long as a sentence
        """
      ),
      (
        30,
        """
        ID  WHAT IT IS
         1  short
         2  some words that are as
            long as a sentence
        """
      ),
      (
        3,
        """
        ID  WHAT IT IS
         1  short
         2  some words that
            are as long as a
            sentence
        """
      ),
    ] as [(Int?, String)])
  func `a table leaves columns out, and then breaks the last one`(columns: Int?, text: String) {
    #expect(Self.table().text(style: Style(isColoured: false), columns: columns) == text)
  }

  @Test func `on a terminal of 80 columns all is within it, and nothing is lost elsewhere`() throws
  {
    let client: JSON = [
      "identifier": 12, "uid": 0, "pid": 30_077, "command": "bearingd", "since": 1,
      "stream": "io.bearing.accelerometer.SubscribeOrientation", "precision": "precise",
      "delivered": 120, "dropped": 2, "queuedBytes": 512,
    ]
    let fix: JSON = [
      "sequence": 3, "timestamp": 1_796_021_472_883_000, "timestampTrusted": true,
      "latitude": -52.52, "longitude": -113.405, "horizontalAccuracy": 12.5,
      "accuracyBasis": "dop", "altitude": 1034.2, "speed": 30, "course": 271.25, "simulated": false,
    ]
    let daemon = try FakeDaemon { call in
      if call.method.hasSuffix("ListClients") {
        call.reply(["clients": [client]])
      } else {
        call.reply(["state": "live", "fix": fix, "age": 1])
      }
    }
    func lines(_ command: String, onTerminal isOnTerminal: Bool) throws -> [String] {
      let call = "\(ProgramRun.path(of: "gpsctl")) \(command)"
      let onTerminal = ["/usr/bin/script", "-qec", "stty cols 80; \(call)", "/dev/null"]
      let run = try ProgramRun.run(
        isOnTerminal ? onTerminal[0] : "/bin/sh",
        isOnTerminal ? Array(onTerminal.dropFirst()) : ["-c", call],
        environment: ["BEARING_SOCKET": daemon.path, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"])
      #expect(run.status == 0)
      return run.output.split(whereSeparator: \.isNewline).map(String.init)
    }
    #expect(
      try lines("clients", onTerminal: true) == [
        "CLIENT  USER  COMMAND   STREAM                              DELIVERED  DROPPED",
        "    12  root  bearingd  accelerometer.SubscribeOrientation        120        2",
      ])
    let place = "live        -52.5200000, -113.4050000  ± 12.5 m"
    #expect(try lines("watch", onTerminal: true) == [place + "  108.0 km/h  271°  06:51:12.8Z"])
    #expect(try lines("clients", onTerminal: false)[0].hasSuffix("DELIVERED  DROPPED  QUEUED"))
    #expect(
      try lines("watch", onTerminal: false)
        == [place + "  1034.2 m up  108.0 km/h  271°  06:51:12.8Z"])
  }
}
