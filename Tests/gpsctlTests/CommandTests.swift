import Foundation
import TestSupport
import Testing
import Varlink

private let fix: JSON = [
  "sequence": 3, "bootTimestamp": 5_000_000, "timestamp": 1_796_021_472_883_000,
  "timestampTrusted": true, "dimensions": 3, "quality": "dgps", "latitude": 52.52,
  "longitude": 13.405, "horizontalAccuracy": 2.5, "accuracyBasis": "dop", "altitude": 34.2,
  "verticalAccuracy": 4, "speed": 10, "speedAccuracy": 0.5, "course": 271.25, "courseAccuracy": 2,
  "climb": -0.25, "receiver": "/dev/ttyACM0", "simulated": false,
]

private func gpsctl(
  _ arguments: [String], _ daemon: FakeDaemon, environment: [String: String] = [:]
) throws -> ProgramRun {
  let place = ["BEARING_SOCKET": daemon.path].merging(environment) { $1 }
  return try ProgramRun.run(ProgramRun.path(of: "gpsctl"), arguments, environment: place)
}

@Suite struct CommandTests {
  @Test func `fix asks in the wire's units and shows all that is known`() throws {
    let daemon = try FakeDaemon { $0.reply(["fix": fix, "age": 250, "bestEffort": false]) }
    let run = try gpsctl(
      [
        "fix", "--accuracy", "30ft", "--timeout=2m", "--max-age", "500ms", "--best-effort",
        "--units", "metric", "--coordinates", "decimal",
      ], daemon)
    #expect(run.status == 0 && run.errors == "")
    #expect(
      run.output == """
        52.5200000, 13.4050000
        accuracy  2.5 m, 68 %, from the satellites' geometry
        altitude  34.2 m ± 4.0 m above mean sea level
        speed     36.0 km/h ± 1.8 km/h
        course    271.3° ± 2.0° from true north
        climb     -0.25 m/s
        time      2026-11-30 06:51:12 UTC
        age       0.3 s
        source    3D, dgps, /dev/ttyACM0

        """)
    let call = try #require(daemon.calls.first)
    #expect(call.method == "io.bearing.location.GetFix")
    #expect(
      call.parameters == ["accuracy": 9.144, "timeout": 120_000, "maxAge": 500, "bestEffort": true])
  }

  @Test(arguments: [
    (
      ["--coordinates", "utm", "--units", "nautical"], "33U 391779.26 5820072.16",
      "19.4 kn ± 1.0 kn"
    ),
    (["--coordinates", "dms", "--units", "imperial"], "52°31′12.00″N 13°24′18.00″E", "22.4 mph"),
    (["--coordinates=maidenhead"], "JO62qm84", "36.0 km/h"),
  ])
  func `fix writes places and speeds as asked`(
    arguments: [String], place: String, speed: String
  ) throws {
    let daemon = try FakeDaemon { $0.reply(["fix": fix, "age": 250, "bestEffort": true]) }
    let run = try gpsctl(["fix"] + arguments, daemon)
    #expect(run.lines.first == place)
    #expect(run.lines.contains { $0.hasPrefix("speed     \(speed)") })
    #expect(run.lines.last == "(the best that came in time)")
  }

  @Test func `what a fix lacks is not shown as 0`() throws {
    let bare: JSON = [
      "sequence": 1, "timestampTrusted": false, "latitude": 0.5, "longitude": -179.25,
      "accuracyBasis": "unknown", "simulated": true,
    ]
    let daemon = try FakeDaemon { $0.reply(["fix": bare, "age": 0, "bestEffort": false]) }
    #expect(
      try gpsctl(["fix"], daemon).output == """
        0.5000000, -179.2500000
        accuracy  unknown
        age       0.0 s
        source    simulated

        """)
  }

  @Test func `json is the wire's reply in one line, with what this version does not know`() throws {
    let reply: JSON = [
      "fix": fix, "age": 250, "bestEffort": false, "somethingNew": [1, ["a": nil]],
    ]
    let daemon = try FakeDaemon { $0.reply(reply) }
    let run = try gpsctl(["--json", "fix"], daemon)
    #expect(run.lines.count == 1)
    #expect(try JSON(parsing: Array(run.lines[0].utf8)) == reply)
  }

  @Test(
    arguments: [
      (
        "io.bearing.location.Timeout", ["state": "searching"], 3,
        "gpsctl: nothing good enough came in time (state: searching)\n"
      ),
      (
        "io.bearing.location.AccessDenied",
        ["reason": "ann is not in the group bearing", "remedy": "adduser ann bearing"], 5,
        "gpsctl: denied: ann is not in the group bearing; to allow it: adduser ann bearing\n"
      ),
      (
        "io.bearing.location.QuotaExceeded", ["resource": "streams", "limit": 128], 1,
        "gpsctl: the daemon's limit of 128 for streams is used up\n"
      ),
      (
        "org.varlink.service.InvalidParameter", ["parameter": "timeout"], 2,
        "gpsctl: the daemon refuses the value given for timeout\n"
      ),
    ] as [(String, JSON, Int, String)])
  func `an error has its exit status and says what to do`(
    name: String, parameters: JSON, status: Int, message: String
  ) throws {
    let daemon = try FakeDaemon { $0.fail(name, parameters) }
    let run = try gpsctl(["fix"], daemon)
    #expect(Int(run.status) == status)
    #expect(run.errors == message)
    #expect(run.output == "")
  }

  @Test(arguments: [
    "status", "fix", "watch", "sky", "sensors", "orientation", "clients", "metrics",
  ])
  func `without a daemon every command ends with status 4 and names the socket`(
    command: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/none"
    let run = try ProgramRun.run(
      ProgramRun.path(of: "gpsctl"), [command, "--socket", path],
      environment: ["BEARING_SOCKET": "/nowhere"])
    #expect(run.status == 4)
    #expect(run.errors.hasPrefix("gpsctl: the daemon cannot be reached: cannot connect to \(path)"))
  }

  @Test func `sensors says how each is read and why, what is done to it, and what is wrong`() throws
  {
    let sensor: JSON = [
      "identifier": "iio:device0", "path": "/devices/chip", "name": "kxcjk", "location": "base",
      "mode": "polling", "modeReason": "the sensor has no buffer", "rate": 50,
      "availableRates": [50, 100], "scale": [0.01, 0.01, 0.01], "bias": [0.1, 0, -0.25],
      "scaleFactor": [1, 1.02, 1], "mountMatrix": [0, 1, 0, -1, 0, 0, 0, 0, 1],
      "mountMatrixSource": "udev", "signNegated": true, "simulated": false,
      "warnings": ["/sys/x: \"fast\" is not a number"],
    ]
    let reply: JSON = ["sensors": [sensor], "state": "noSensor"]
    let daemon = try FakeDaemon { $0.reply(reply) }
    let run = try gpsctl(["sensors"], daemon)
    #expect(
      run.lines == [
        "state noSensor", "iio:device0", "  name      kxcjk", "  path      /devices/chip",
        "  location  base", "  mode      polling (the sensor has no buffer)",
        "  rate      50.0 Hz of 50.0 100.0",
        "  scale     0.010000 0.010000 0.010000 m/s² a step, bias 0.1000 0.0000 -0.2500 m/s²,"
          + " then times 1.0000 1.0200 1.0000",
        "  mounting  0.00 1.00 0.00 -1.00 0.00 0.00 0.00 0.00 1.00, from udev, negated",
        "  warning: /sys/x: \"fast\" is not a number",
      ])
    #expect(
      try gpsctl(["sensors", "--json"], daemon).lines.map { try JSON(parsing: Array($0.utf8)) } == [
        reply
      ])
  }

  @Test func `status lists devices, streams that may be seen, and warnings`() throws {
    let daemon = try FakeDaemon { call in
      if call.method.hasSuffix("ListClients") {
        let client: JSON = [
          "identifier": 9, "uid": 59_999, "pid": 77, "command": "map", "since": 1,
          "stream": "io.bearing.location.Subscribe", "precision": "approximate", "delivered": 120,
          "dropped": 2, "queuedBytes": 512,
        ]
        call.reply(["clients": [client]])
      } else {
        let devices: [JSON] = [
          [
            "kind": "location", "state": "live", "detail": "gpsd at localhost:2947",
            "subscribers": 3, "instance": "LocationManager#1", "simulated": false,
          ],
          [
            "kind": "acceleration", "state": "noSensor", "detail": "", "subscribers": 0,
            "instance": "Accelerometer#1", "simulated": true,
          ],
        ]
        call.reply([
          "version": "1.2.3", "pid": 42, "uptime": 7_500_000_000, "devices": .array(devices),
          "clients": 1, "warnings": ["the clock is not set"],
        ])
      }
    }
    let run = try gpsctl(["status"], daemon)
    #expect(
      run.output == """
        bearingd 1.2.3, process 42, up 2 h 5 min, 1 connection

        DEVICE        STATE     STREAMS  INSTANCE           DETAIL
        location      live            3  LocationManager#1  gpsd at localhost:2947
        acceleration  noSensor        0  Accelerometer#1    simulated

        CLIENT  USER   PROCESS  COMMAND  STREAM              PRECISION    DELIVERED  DROPPED  QUEUED
             9  59999       77  map      location.Subscribe  approximate        120        2   512 B

        warning: the clock is not set

        """)
  }

  @Test func `sky waits for satellites of now and lists the strongest first`() throws {
    let daemon = try FakeDaemon { call in
      let satellites: [JSON] = [
        ["constellation": "GPS", "identifier": 5, "signal": 31, "used": false],
        [
          "constellation": "Galileo", "identifier": 12, "elevation": 45.4, "azimuth": 271.6,
          "signal": 44.5, "used": true,
        ],
      ]
      func reply(age: Int64) -> JSON {
        let sky: JSON = [
          "bootTimestamp": 1, "horizontalDilution": 0.85, "visible": 2, "used": 1,
          "satellites": .array(satellites),
        ]
        return ["state": "live", "sky": sky, "age": .int(age)]
      }
      call.reply(["state": "searching"], continues: true)
      call.reply(reply(age: 60_000), continues: true)
      call.reply(reply(age: 10), continues: true)
      call.waitForEnd()
    }
    let run = try gpsctl(["sky"], daemon)
    #expect(
      run.output == """
        1 of 2 satellites used  hdop 0.9  (live)

        SYSTEM   ID  ELEVATION  AZIMUTH   SIGNAL  USED
        Galileo  12        45°     272°  45 dBHz  yes
        GPS       5          –        –  31 dBHz

        """)
  }

  @Test(arguments: [("sky", "satellites"), ("heading", "heading"), ("orientation", "orientation")])
  func `a device that gives nothing in time ends with status 3 and its state`(
    command: String, name: String
  ) throws {
    let daemon = try FakeDaemon { call in
      call.reply(
        ["state": "starting", "orientation": "undefined", "tilt": "undefined"], continues: true)
      call.waitForEnd()
    }
    let run = try gpsctl([command, "--timeout", "500ms"], daemon)
    #expect(run.status == 3)
    #expect(run.errors.hasPrefix("gpsctl: no \(name) came within 0.5 s"))
  }

  @Test func `colours are for terminals, unless NO_COLOR is set`() throws {
    let daemon = try FakeDaemon { $0.reply(["state": "live", "fix": fix, "age": 1]) }
    func onTerminal(_ environment: [String: String]) throws -> String {
      let command = "\(ProgramRun.path(of: "gpsctl")) watch"
      let place = ["BEARING_SOCKET": daemon.path, "TERM": "xterm", "NO_COLOR": ""]
      return try ProgramRun.run(
        "/usr/bin/script", ["-qec", command, "/dev/null"],
        environment: place.merging(environment) { $1 }
      ).output
    }
    #expect(try onTerminal([:]).hasPrefix("\u{1B}[32mlive\u{1B}[0m  "))
    #expect(try onTerminal(["NO_COLOR": "1"]).hasPrefix("live  "))
    #expect(try onTerminal(["TERM": "dumb"]).hasPrefix("live  "))
    #expect(try gpsctl(["watch"], daemon, environment: ["NO_COLOR": ""]).output.hasPrefix("live  "))
  }

  @Test(arguments: [
    (["fix", "--timeout", "11m"], "--timeout 11 min 0 s: expected at most 10m"),
    (
      ["region", "add", "a", "-90.5", "7", "5"],
      "gpsctl region add: LATITUDE -90.5: expected degrees from -90 to 90, such as -33.8568"
    ),
    (
      ["region", "add", "a", "7", "nan", "5"],
      "gpsctl region add: LONGITUDE nan: expected degrees from -180 to 180, such as -33.8568"
    ),
    (
      ["region", "add", "a", "7", "7", "0"],
      "gpsctl region add: RADIUS 0: expected a distance above 0 and up to 20000km, such as 100m"
    ),
    (
      ["region", "add", "a", "7", "7", "20001km"],
      "gpsctl region add: RADIUS 20001km: expected a distance above 0 and up to 20000km, such as "
        + "100m"
    ),
    (
      ["region", "add", "", "7", "7", "5"],
      "gpsctl region add: NAME: expected 1 to 64 characters, no control characters"
    ),
    (
      ["region", "add", "a\nb", "7", "7", "5"],
      "gpsctl region add: NAME: expected 1 to 64 characters, no control characters"
    ),
  ])
  func `a value that the daemon would refuse is told with what it takes`(
    arguments: [String], message: String
  ) throws {
    let daemon = try FakeDaemon { $0.close() }
    let run = try gpsctl(arguments, daemon)
    #expect(run.status == 2)
    #expect(run.errors == "gpsctl: \(message)\n")
    #expect(daemon.calls.isEmpty)
  }

  @Test func `a program's name is text and no command for the terminal`() throws {
    let client: JSON = [
      "identifier": 9, "uid": 59_999, "pid": 77, "command": "a\u{1B}[2J\u{9B}b\tc", "since": 1,
      "precision": "denied", "delivered": 0, "dropped": 0, "queuedBytes": 0,
    ]
    let daemon = try FakeDaemon { $0.reply(["clients": [client]]) }
    let run = try gpsctl(["clients"], daemon)
    #expect(run.lines.last?.contains("  a?[2J?b?c  ") == true)
  }

  /// A shell's `>&-`. The connection to the daemon must not take the place of what was closed.
  @Test func `standard output that is closed is a failure and not the daemon's`() throws {
    let daemon = try FakeDaemon { $0.reply(["text": "a 1\n"]) }
    let run = try ProgramRun.run(
      "/bin/sh", ["-c", "exec \(ProgramRun.path(of: "gpsctl")) metrics <&- >&-"],
      environment: ["BEARING_SOCKET": daemon.path])
    #expect(run.status == 1)
    #expect(run.errors == "gpsctl: standard output cannot be written: Bad file descriptor\n")
  }

  @Test func `output that cannot be written is a failure`() throws {
    let daemon = try FakeDaemon { $0.reply(["text": "a 1\n"]) }
    let run = try ProgramRun.run(
      "/bin/sh", ["-c", "exec \(ProgramRun.path(of: "gpsctl")) metrics > /dev/full"],
      environment: ["BEARING_SOCKET": daemon.path])
    #expect(run.status == 1)
    #expect(
      run.errors == "gpsctl: standard output cannot be written: No space left on device\n")
  }

  @Test func `a call without the right to raise priorities is not told to the system's log`() throws
  {
    let daemon = try FakeDaemon { $0.reply(["fix": fix, "age": 250, "bestEffort": false]) }
    let folder = try TemporaryFolder()
    let trace = folder.path + "/trace"
    let traced = ["/usr/bin/strace", "-f", "-qq", "-e", "trace=connect,setpriority", "-o", trace]
    let lowered = geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set", "-sys_nice"] : []
    let command = lowered + traced + [ProgramRun.path(of: "gpsctl"), "fix"]
    let run = try ProgramRun.run(
      command[0], Array(command.dropFirst()), environment: ["BEARING_SOCKET": daemon.path])
    #expect(run.status == 0 && run.errors == "")
    let calls = try String(contentsOfFile: trace, encoding: .utf8)
    #expect(calls.contains(daemon.path))
    #expect(calls.contains("EACCES"), "nothing was refused, so nothing was there to be told")
    #expect(!calls.contains("/dev/log"))
  }
}
