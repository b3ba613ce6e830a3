import Foundation
import TestSupport
import Testing
import Varlink

@testable import gpsctl

/// `gpsctl calibrate` as it is called.
@Suite struct CalibrateCommandTests {
  private static let sensor: JSON = [
    "identifier": "iio:device0", "path": "/devices/chip", "name": "chip", "location": "display",
    "mode": "polling", "rate": 50, "availableRates": [], "scale": [0.01, 0.01, 0.01],
    "mountMatrix": [1, 0, 0, 0, 1, 0, 0, 0, 1], "mountMatrixSource": "none",
    "signNegated": false, "simulated": false, "warnings": [],
  ]

  /// A daemon whose sensor gives the next pose each time that it is watched, first shaken, then still.
  private static func daemon(_ vectors: [SIMD3<Double>]) throws -> FakeDaemon {
    let streams = Counter()
    return try FakeDaemon { call in
      if call.method.hasSuffix("ListSensors") {
        call.reply(["sensors": .array([sensor]), "state": "live"])
        return
      }
      let vector = vectors[streams.next() % vectors.count]
      call.reply(["state": "starting", "sensor": "iio:device0", "samples": []], continues: true)
      let samples = (0..<200).map { step -> JSON in
        let shake = step < 60 && step.isMultiple(of: 2) ? 3.0 : 0
        return [
          "sequence": .int(Int64(step)), "bootTimestamp": .int(Int64(step * 20_000)),
          "x": .double(vector.x + shake), "y": .double(vector.y), "z": .double(vector.z),
        ]
      }
      for start in stride(from: 0, to: samples.count, by: 50) {
        call.reply(
          ["state": "live", "samples": .array(Array(samples[start..<start + 50]))],
          continues: true)
      }
      call.waitForEnd()
    }
  }

  private static func run(
    _ arguments: [String], _ daemon: FakeDaemon, input: String = ""
  ) throws -> ProgramRun {
    try ProgramRun.run(
      "/bin/sh",
      ["-c", #"printf "$INPUT" | "$0" calibrate "$@""#, ProgramRun.path(of: "gpsctl")]
        + arguments,
      environment: ["BEARING_SOCKET": daemon.path, "INPUT": input])
  }

  private static let three = [SIMD3(-9.8, 0.1, 0), SIMD3(0, 9.7, 0.2), SIMD3(0.1, 0, 9.9)]

  @Test func `it leads through the poses and prints what is to be installed`() throws {
    let run = try Self.run(["--three"], try Self.daemon(Self.three), input: "\\n\\n\\n")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("1 of 3: Stand the display upright, as you read it"))
    #expect(run.errors.contains("3 of 3: Lay the display flat, its face up, and press Enter."))
    #expect(run.errors.contains("  rightUp   x 0.000  y 9.700  z 0.200  m/s², deviation 0.000"))
    #expect(run.output.contains("The sensor iio:device0 sits at right angles to the device."))
    #expect(run.output.contains("    [Accelerometer]\n    MountMatrix=0,1,0; -1,0,0; 0,0,1\n"))
    #expect(!run.output.contains("Bias=") && !run.output.contains("Sensor="))
  }

  @Test func `a pose that cannot be is asked for again`() throws {
    // The second is the first once more.
    let seen = [Self.three[0], Self.three[0], Self.three[1], Self.three[2]]
    let run = try Self.run(["--three"], try Self.daemon(seen), input: "\\n\\n\\n\\n")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("  the poses normal and rightUp are 0° apart and not 90°; hold"))
    #expect(run.errors.components(separatedBy: "2 of 3: ").count == 3)
    #expect(run.output.contains("    MountMatrix=0,1,0; -1,0,0; 0,0,1\n"))
  }

  @Test func `a first pose that was wrong is asked for again too`() throws {
    // The first is held as the second should be.
    let seen = [Self.three[1], Self.three[1], Self.three[1]] + Self.three
    let run = try Self.run(["--three"], try Self.daemon(seen), input: "\\n\\n\\n\\n\\n\\n")
    #expect(run.status == 0, "\(run.errors)")
    let asked = run.errors.matches(of: #/(\d) of 3: /#).map { String($0.1) }
    #expect(asked == ["1", "2", "2", "1", "2", "3"])
    #expect(run.output.contains("    MountMatrix=0,1,0; -1,0,0; 0,0,1\n"))
  }

  @Test func `a pose without rest is asked for again`() throws {
    let restless = try FakeDaemon { call in
      call.reply(["state": "stale", "sensor": "iio:device0", "samples": []], continues: true)
      call.waitForEnd()
    }
    let run = try Self.run(["--three", "--timeout", "300ms"], restless, input: "\\n\\n")
    #expect(run.status == 1)
    #expect(run.errors.components(separatedBy: "1 of 3: ").count == 4)
    #expect(run.errors.components(separatedBy: "the device was not at rest").count == 3)
    #expect(run.errors.hasSuffix("gpsctl: standard input ended before the pose normal\n"))
  }

  @Test func `input that ends is not another pose`() throws {
    let run = try Self.run(["--three"], try Self.daemon(Self.three), input: "\\n")
    #expect(run.status == 1)
    #expect(run.errors.hasSuffix("gpsctl: standard input ended before the pose rightUp\n"))
  }

  @Test func `poses that are measured one by one make the same calibration`() throws {
    let folder = try TemporaryFolder()
    var lines = ""
    let poses: [Pose] = [.normal, .rightUp, .faceUp]
    for (pose, vector) in zip(poses, Self.three) {
      let run = try Self.run(
        ["--pose", pose.rawValue, "--sensor", "display", "--json"], try Self.daemon([vector]))
      #expect(run.status == 0, "\(run.errors)")
      lines += run.output
    }
    let file = try folder.write(lines, to: "poses")
    let nobody = try FakeDaemon { $0.close() }
    let run = try Self.run(["--measured", file, "--json"], nobody)
    let result = try JSON(parsing: Array(run.output.utf8.dropLast()))
    #expect(
      result["mountMatrix"]?.array?.compactMap(\.number) == [0, 1, 0, -1, 0, 0, 0, 0, 1])
    #expect(result["configuration"] == ["[Accelerometer]", "MountMatrix=0,1,0; -1,0,0; 0,0,1"])
    #expect(result["residuals"]?["normal"]?.number.map { $0 > 0.5 && $0 < 0.7 } == true)
    #expect(nobody.calls.isEmpty)

    try folder.write(lines + "{\"pose\":\"sideways\"}\n", to: "poses")
    let wrong = try Self.run(["--measured", file], nobody)
    #expect(wrong.status == 1 && wrong.errors.contains("poses, line 4: not a pose as gpsctl"))
  }

  @Test func `a device that does not rest, or has no sensor, gives no calibration`() throws {
    let restless = try FakeDaemon { call in
      call.reply(["state": "stale", "sensor": "iio:device0", "samples": []], continues: true)
      call.waitForEnd()
    }
    let run = try Self.run(["--pose", "normal", "--timeout", "300ms"], restless)
    #expect(run.status == 3 && run.errors.contains("the device was not at rest for 1.5 s"))
    let absent = try FakeDaemon { call in
      call.reply(["state": "noSensor", "samples": []], continues: true)
      call.waitForEnd()
    }
    let none = try Self.run(["--pose", "normal"], absent)
    #expect(none.status == 3 && none.errors.contains("the sensor gives nothing (noSensor)"))
    let both = try Self.run(["--pose", "normal", "--three"], absent)
    #expect(both.status == 2)
    #expect(both.errors == "gpsctl: --three and --pose exclude each other\n")
  }
}

/// Counts, for a script that runs in several threads.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = -1

  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}
