import Foundation
import TestSupport
import Testing
import Varlink

private func fix(_ sequence: Int) -> JSON {
  [
    "sequence": .int(Int64(sequence)), "timestampTrusted": false, "latitude": 1.5, "longitude": 2,
    "accuracyBasis": "dop", "horizontalAccuracy": 3, "simulated": true,
  ]
}

private func live(_ sequence: Int) -> JSON { ["state": "live", "fix": fix(sequence), "age": 20] }

private func sample(_ sequence: Int) -> JSON {
  ["sequence": .int(Int64(sequence)), "bootTimestamp": 1, "x": 0.0125, "y": 9.81, "z": -0.5]
}

private func gpsctl(_ arguments: [String], _ daemon: FakeDaemon) throws -> ProgramRun {
  try ProgramRun.run(
    ProgramRun.path(of: "gpsctl"), arguments, environment: ["BEARING_SOCKET": daemon.path])
}

@Suite struct WatchTests {
  @Test func `a position that is not of now does not look like one`() throws {
    let daemon = try FakeDaemon { call in
      call.reply(["state": "searching"], continues: true)
      call.reply(live(1), continues: true)
      call.reply(
        ["state": "live", "fix": fix(1), "age": 1500, "repeated": true], continues: true)
      call.reply(["state": "stale", "fix": fix(1), "age": 5000], continues: true)
      call.reply(["state": "live", "fix": fix(2), "age": 0, "dropped": 4])
    }
    let run = try gpsctl(["watch"], daemon)
    #expect(run.status == 0)
    #expect(
      run.lines == [
        "searching",
        "live        1.5000000, 2.0000000  ± 3.0 m",
        "live        1.5000000, 2.0000000  ± 3.0 m  1.5 s old",
        "stale       1.5000000, 2.0000000  ± 3.0 m  5.0 s old",
        "live        1.5000000, 2.0000000  ± 3.0 m  (4 lost before)",
      ])
  }

  @Test func `options become the wire's filters`() throws {
    let daemon = try FakeDaemon { $0.reply(["state": "off", "samples": []]) }
    let run = try gpsctl(
      [
        "watch", "location", "acceleration", "--interval", "1s", "--distance", "1km",
        "--accuracy=50", "--rate", "100Hz", "--sensor", "display", "--heartbeat", "15s",
        "--units", "metric", "--coordinates", "decimal",
      ], daemon)
    #expect(run.status == 0)
    let parameters = Dictionary(
      uniqueKeysWithValues: daemon.calls.map { ($0.method, $0.parameters) })
    #expect(
      parameters == [
        "io.bearing.location.Subscribe": [
          "minInterval": 1000, "distanceFilter": 1000.0, "maximumAccuracy": 50.0,
          "heartbeat": 15000,
        ],
        "io.bearing.accelerometer.Subscribe": [
          "rate": 100.0, "sensor": "display", "heartbeat": 15000,
        ],
      ])
  }

  @Test func `an option of no stream that is watched is a mistake`() throws {
    let daemon = try FakeDaemon { $0.close() }
    let run = try gpsctl(["watch", "orientation", "--distance", "5"], daemon)
    #expect(run.status == 2)
    #expect(run.errors == "gpsctl: --distance is for location\n")
  }

  @Test func `count counts measurements, not states and repetitions`() throws {
    let daemon = try FakeDaemon { call in
      call.reply(["state": "searching"], continues: true)
      call.reply(live(1), continues: true)
      call.reply(["state": "live", "fix": fix(1), "repeated": true], continues: true)
      call.reply(live(2), continues: true)
      call.reply(live(3), continues: true)
      call.waitForEnd()
    }
    let run = try gpsctl(["watch", "--count", "2", "--json"], daemon)
    #expect(run.status == 0)
    #expect(run.lines.count == 4)
    #expect(try JSON(parsing: Array(run.lines[3].utf8)) == live(2))
  }

  @Test func `count cuts samples that came together`() throws {
    let daemon = try FakeDaemon { call in
      call.reply(
        ["state": "starting", "sensor": "iio:device0", "actualRate": 12.5, "samples": []],
        continues: true)
      call.reply(
        ["state": "live", "samples": [sample(1), sample(2), sample(3)]], continues: true)
      call.waitForEnd()
    }
    let run = try gpsctl(["watch", "acceleration", "--count", "2"], daemon)
    #expect(
      run.lines == [
        "starting    iio:device0 at 12.5 Hz", "live        x   0.013  y   9.810  z  -0.500  m/s²",
        "live        x   0.013  y   9.810  z  -0.500  m/s²",
      ])
  }

  @Test(arguments: [
    ([], 0, ""), (["--count", "3"], 3, "gpsctl: 1 of 3 measurements came in time\n"),
    (["--count", "1"], 0, ""),
  ])
  func `the time's end is a failure only when too little came`(
    arguments: [String], status: Int, errors: String
  ) throws {
    let daemon = try FakeDaemon { call in
      call.reply(live(1), continues: true)
      call.waitForEnd()
    }
    // The later ones are for a machine that is so busy that nothing comes within the first.
    for time in ["1s", "5s", "30s"] {
      let run = try gpsctl(["watch", "--timeout", time] + arguments, daemon)
      if run.lines.isEmpty { continue }
      #expect(Int(run.status) == status)
      #expect(run.errors == errors)
      return
    }
    Issue.record("nothing came in time")
  }

  @Test func `without any measurement the time's end is a failure`() throws {
    let daemon = try FakeDaemon { call in
      call.reply(["state": "searching"], continues: true)
      call.waitForEnd()
    }
    let run = try gpsctl(["watch", "sky", "--timeout", "300ms"], daemon)
    #expect(run.status == 3)
    #expect(run.errors == "gpsctl: no measurement came in time\n")
  }

  @Test func `several streams are told apart`() throws {
    let daemon = try FakeDaemon { call in
      switch call.method {
      case "io.bearing.accelerometer.SubscribeOrientation":
        call.reply(["state": "live", "orientation": "leftUp", "tilt": "vertical"])
      case "io.bearing.accelerometer.SubscribeMotion":
        call.reply(["state": "live", "motion": "shake", "bootTimestamp": 5])
      default:
        call.reply(live(1))
      }
    }
    let run = try gpsctl(["watch", "orientation", "location", "motion"], daemon)
    #expect(
      run.lines.sorted() == [
        "location      live        1.5000000, 2.0000000  ± 3.0 m",
        "motion        live        shake",
        "orientation   live        leftUp  vertical",
      ])
    let json = try gpsctl(["watch", "orientation", "location", "--json"], daemon)
    let objects = try json.lines.sorted().map { try JSON(parsing: Array($0.utf8)) }
    #expect(
      objects == [
        ["age": 20, "fix": fix(1), "state": "live", "stream": "location"],
        ["orientation": "leftUp", "state": "live", "stream": "orientation", "tilt": "vertical"],
      ])
  }

  @Test(
    arguments: [
      (
        "acceleration", ["samples": []],
        ["starting    iio:device3", "noSensor    iio:device0"]
      ),
      (
        "orientation", ["orientation": "undefined", "tilt": "undefined"],
        ["starting    undefined  undefined", "noSensor"]
      ),
      ("motion", ["motion": "unknown"], ["starting    unknown", "noSensor"]),
    ] as [(String, JSON, [String])])
  func `a sensor that goes and comes is told, for people and in JSON`(
    stream: String, values: JSON, lines: [String]
  ) throws {
    func reply(_ state: String, _ sensor: String) -> JSON {
      var members = values.object ?? [:]
      members["state"] = .string(state)
      members["sensor"] = .string(sensor)
      return .object(members)
    }
    let replies = [reply("noSensor", "iio:device0"), reply("starting", "iio:device3")]
    let daemon = try FakeDaemon { call in
      call.reply(replies[0], continues: true)
      call.reply(replies[1])
    }
    #expect(try gpsctl(["watch", stream], daemon).lines == [lines[1], lines[0]])
    let json = try gpsctl(["watch", stream, "--json"], daemon)
    #expect(try json.lines.map { try JSON(parsing: Array($0.utf8)) } == replies)
  }

  @Test func `the position that a stream begins with is left out when it is not accurate enough`()
    throws
  {
    let daemon = try FakeDaemon { call in
      call.reply(live(1), continues: true)
      call.reply(live(2))
    }
    let accurate = ["watch", "--coordinates", "decimal", "--units", "metric", "--accuracy", "3m"]
    #expect(try gpsctl(accurate, daemon).lines.count { $0.contains("± 3.0 m") } == 2)
    let none = try gpsctl(["watch", "--accuracy", "2.9m", "--count", "1"], daemon)
    #expect(none.lines == ["live", "live"])
    let json = try gpsctl(["watch", "--accuracy", "2.9m", "--count", "1", "--json"], daemon)
    #expect(json.lines.count == 2, "the daemon's replies as they are")
  }

  @Test func `a daemon that goes away and comes back is told`() throws {
    let daemon = try FakeDaemon { call in
      call.reply(live(call.connectionNumber), continues: call.connectionNumber % 2 == 0)
      call.close()
    }
    let people = try gpsctl(
      ["watch", "--units", "metric", "--coordinates", "decimal"], daemon)
    #expect(people.status == 0)
    #expect(people.lines.count == 2)
    #expect(people.errors.hasPrefix("gpsctl: location: the connection to the daemon was lost: "))
    #expect(people.errors.hasSuffix("; trying again\ngpsctl: location: connected again\n"))

    let script = try gpsctl(["watch", "--json"], daemon)
    #expect(script.errors == "")
    #expect(
      try script.lines.map { try JSON(parsing: Array($0.utf8)) }
        == [live(2), ["link": "interrupted"], ["link": "resumed"], live(3)])
  }

  @Test func `a reader that has enough ends it quietly, even when nothing more comes`() throws {
    let daemon = try FakeDaemon { call in
      call.reply(live(1), continues: true)
      call.waitForEnd()
    }
    let command = "set -o pipefail; \(ProgramRun.path(of: "gpsctl")) watch | head -n 1"
    let run = try ProgramRun.run(
      "/bin/bash", ["-c", command], environment: ["BEARING_SOCKET": daemon.path])
    #expect(run.status == 0)
    #expect(run.lines.count == 1)
    #expect(run.errors == "")
  }

  @Test func `an interrupt ends it by the signal, as a shell expects`() throws {
    let daemon = try FakeDaemon { call in
      call.reply(live(1), continues: true)
      call.waitForEnd()
    }
    let watch = try ChildProcess(
      ProgramRun.path(of: "gpsctl"), ["watch"], environment: ["BEARING_SOCKET": daemon.path])
    #expect(!watch.output.availableData.isEmpty)
    watch.send(SIGINT)
    #expect(watch.wait() == .signal(SIGINT))
  }
}
