import Foundation
import TestSupport
import Testing
import Varlink

@testable import BearingModel
@testable import gpsctl

/// The vectors and what is right for them were computed with numpy: poses held wrongly by 1.5° to 5°,
/// by a sensor with bias and unequal scale; bias and scale by SciPy's least squares on the lengths,
/// rotations by the singular value decomposition.
@Suite struct CalibrationTests {
  /// A sensor whose x points down and whose y points to the right.
  static let turned: [Pose: SIMD3<Double>] = [
    .normal: SIMD3(-9.291187, -0.37204, 0.955286),
    .bottomUp: SIMD3(9.900943, -0.925234, 0.47),
    .rightUp: SIMD3(0.013459, 9.880326, 0.17141),
    .leftUp: SIMD3(0.317036, -10.292957, 1.297352),
    .faceUp: SIMD3(0.487961, -0.032866, 10.147482),
    .faceDown: SIMD3(0.664258, -0.593897, -9.197598),
  ]

  /// The same, turned by 25° more about (0.2, 1, 0.1), held exactly.
  static let askew: [Pose: SIMD3<Double>] = [
    .normal: SIMD3(-9.261468, 0.377391, -0.242154),
    .bottomUp: SIMD3(9.881468, -0.817391, 1.182154),
    .rightUp: SIMD3(0.534949, 8.97881, 4.47996),
    .leftUp: SIMD3(0.085051, -9.41881, -3.53996),
    .faceUp: SIMD3(-0.568846, -4.371636, 9.252422),
    .faceDown: SIMD3(1.188846, 3.931636, -8.312422),
  ]

  /// A perfect sensor turned by 45° about z, held wrongly by up to 2.5°.
  static let diagonal: [Pose: SIMD3<Double>] = [
    .normal: SIMD3(6.879813, 6.984132, 0.245882),
    .bottomUp: SIMD3(-7.17213, -6.688119, 0.0),
    .rightUp: SIMD3(7.039664, -6.825733, -0.151272),
    .leftUp: SIMD3(-6.929272, 6.926733, 0.419453),
    .faceUp: SIMD3(0.0, -0.128365, 9.80581),
    .faceDown: SIMD3(-0.256069, 0.000236, -9.803306),
  ]

  static func differs(_ one: [Double], from other: [Double]) -> Double {
    guard one.count == other.count else { return .infinity }
    return zip(one, other).map { abs($0 - $1) }.max() ?? 0
  }

  static func fault(_ measured: [Pose: SIMD3<Double>]) -> String? {
    do throws(Calibration.Fault) {
      _ = try Calibration(measured)
      return nil
    } catch {
      return error.description
    }
  }

  @Test
  func `six poses give the matrix at right angles, and bias and scale however they were held`()
    throws
  {
    let found = try Calibration(Self.turned)
    #expect(found.isRightAngled)
    #expect(found.matrix.numbers == [0, 1, 0, -1, 0, 0, 0, 0, 1])
    let correction = try #require(found.correction)
    for (index, (bias, factor)) in [(0.31, 1.02), (-0.22, 0.97), (0.47, 1.013)].enumerated() {
      #expect(abs(correction.bias[index] - bias) < 2e-6)
      #expect(abs(correction.factor[index] - factor) < 2e-6)
    }
    let residuals: [Pose: Double] = [
      .normal: 3, .bottomUp: 4, .rightUp: 2.5, .leftUp: 4.902843, .faceUp: 1.5,
      .faceDown: 2.992526,
    ]
    #expect(found.residuals.count == 6)
    for (pose, angle) in residuals {
      #expect(abs(found.residuals[pose, default: 0] - angle) < 1e-3, "\(pose)")
    }
  }

  @Test func `a sensor that sits askew has its own rotation`() throws {
    let found = try Calibration(Self.askew)
    #expect(!found.isRightAngled)
    let expected = [
      0.023397, 0.909877, 0.414218, -0.995538, 0.059089, -0.073564, -0.09141, -0.410649, 0.9072,
    ]
    #expect(Self.differs(found.matrix.numbers, from: expected) < 2e-6)
    #expect(abs(found.matrix.determinant - 1) < 1e-12)
    let correction = try #require(found.correction)
    #expect(abs(correction.bias.y + 0.22) < 5e-6 && abs(correction.factor.z - 1.013) < 5e-6)
    #expect(found.residuals.values.allSatisfy { $0 < 1e-4 })
  }

  @Test func `where the poses mix the axes there is a matrix, and no bias and scale`() throws {
    let found = try Calibration(Self.diagonal)
    #expect(!found.isRightAngled && found.correction == nil)
    let expected = [
      0.704944, -0.708937, -0.021503, 0.709157, 0.705039, 0.004067, 0.012277, -0.018116, 0.999761,
    ]
    #expect(Self.differs(found.matrix.numbers, from: expected) < 2e-6)
    let residuals: [Pose: Double] = [
      .normal: 1.344, .bottomUp: 1.8479, .rightUp: 1.1021, .leftUp: 1.2314, .faceUp: 0.7601,
      .faceDown: 1.305,
    ]
    for (pose, angle) in residuals {
      #expect(abs(found.residuals[pose, default: 0] - angle) < 1e-3, "\(pose)")
    }
  }

  @Test func `three poses give the matrix alone`() throws {
    let found = try Calibration([
      .normal: SIMD3(-9.69321, -0.197479, 0.691595),
      .rightUp: SIMD3(-0.202472, 9.747316, -0.102472),
      .faceUp: SIMD3(0.28152, 0.13152, 10.00329),
    ])
    #expect(found.matrix.numbers == [0, 1, 0, -1, 0, 0, 0, 0, 1])
    #expect(found.isRightAngled && found.correction == nil)
  }

  @Test func `every mount at right angles is found`() throws {
    #expect(Matrix3.rightAngled.count == 24)
    for matrix in Matrix3.rightAngled {
      #expect(matrix.determinant == 1)
      let seen = Pose.three.map { ($0, matrix.transpose($0.up) * 9.81) }
      let found = try Calibration(Dictionary(uniqueKeysWithValues: seen))
      #expect(found.matrix == matrix)
    }
  }

  @Test func `poses that cannot be are refused, and named`() {
    var poses = Self.turned
    (poses[.rightUp], poses[.leftUp]) = (poses[.leftUp], poses[.rightUp])
    #expect(Self.fault(poses)?.hasPrefix("the poses are mirrored") == true)

    poses = Self.turned
    poses[.bottomUp] = poses[.normal]
    #expect(
      Self.fault(poses)?.hasPrefix("the poses normal and bottomUp are 0° apart and not 180°")
        == true)

    poses = Self.turned
    poses[.faceUp] = SIMD3(0.5, 0, 13.1)
    #expect(
      Self.fault(poses)
        == "in the pose faceUp the sensor gave 13.11 m/s², which is not gravity (9.81); was it moved?"
    )

    poses = Self.turned
    poses[.faceDown] = nil
    poses[.faceUp] = nil
    #expect(Self.fault(poses) == "a pose is missing: faceUp or faceDown")

    // 30° wrong: the others outvote it.
    poses = Self.turned
    poses[.normal] = SIMD3(-8.4, 4.9, 0.5)
    let fault = Self.fault(poses)
    #expect(fault?.hasPrefix("the pose normal is ") == true, "\(fault ?? "none")")

    // An axis that gives a third too little in both poses.
    poses = Self.turned.mapValues { SIMD3($0.x * 0.74, $0.y, $0.z) }
    #expect(Self.fault(poses)?.hasPrefix("the sensor's x axis would need a bias of") == true)
  }

  @Test func `what the daemon makes of a sensor is undone`() throws {
    var sensor = Sensor(
      identifier: "iio:device0", path: "/x", name: "chip", location: "display", mode: "polling",
      rate: 0, availableRates: [], scale: [1, 1, 1], mountMatrix: [0, 1, 0, -1, 0, 0, 0, 0, 1],
      mountMatrixSource: "udev", signNegated: true, simulated: false, warnings: [])
    // By hand: the device has −M · (factor · (s − bias)) of s = (1, 2, 3).
    #expect(try #require(SensorFrame(sensor)).undo(SIMD3(-2, 1, -3)) == SIMD3(1, 2, 3))
    sensor.bias = [0.5, -1, 1]
    sensor.scaleFactor = [2, 1, 0.5]
    #expect(try #require(SensorFrame(sensor)).undo(SIMD3(-3, 1, -1)) == SIMD3(1, 2, 3))
    sensor.mountMatrix = [1, 0, 0, 1, 0, 0, 0, 0, 1]
    #expect(SensorFrame(sensor) == nil)
  }

  @Test func `a device that moves is not at rest until it was for a second and a half`() throws {
    var window = RestWindow()
    for step in 0..<200 {
      let swing = step < 100 ? (step.isMultiple(of: 2) ? 0.4 : -0.4) : 0
      window.add(
        AccelerationSample(
          sequence: step, bootTimestamp: step * 20_000, x: swing, y: 9.8, z: 0.1))
      if step == 99 {
        #expect(abs(window.deviation - 0.4) < 0.01 && window.atRest == nil)
      }
      // Of 76 samples that span 1.5 s, so few may be of the time before: 0.16·n/76 < 0.03.
      if window.atRest != nil {
        #expect((150...175).contains(step))
        break
      }
      #expect(step < 199)
    }
    window.clear()
    #expect(window.atRest == nil && window.deviation == 0)
    // A slow sensor is waited for until there are enough.
    for step in 0..<8 {
      #expect(window.atRest == nil)
      window.add(
        AccelerationSample(sequence: step, bootTimestamp: step * 1_000_000, x: 0, y: 9.8, z: 0))
    }
    #expect(abs(try #require(window.atRest).y - 9.8) < 1e-9)
  }

  // MARK: udev's hardware database

  private func entry(_ files: [String: String]) throws -> HardwareEntry? {
    let folder = try TemporaryFolder()
    try folder.makeFolder("sys/bus/iio/devices")
    try folder.makeFolder("sys/devices/chip/iio:device0")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/sys/bus/iio/devices/iio:device0",
      withDestinationPath: "../../../devices/chip/iio:device0")
    for (name, text) in files { try folder.write(text, to: "sys/" + name) }
    return HardwareEntry("iio:device0", in: Tree(root: folder.path))
  }

  @Test(
    arguments: [
      (
        [
          "devices/chip/modalias": "acpi:KIOX000A:KIOX000A:\n",
          "class/dmi/id/modalias":
            "dmi:bvnAMI:bvr1:bd01/01/2020:svnACME:pnTab[1]et:pvr1:rvnX:rnY:cvn:ct10:cvr:\n",
        ], "sensor:modalias:acpi:KIOX000A*:dmi:*:svnACME:pnTab?1?et:*"
      ),
      (
        [
          "devices/chip/modalias": "of:NaccelT(null)Cinvensense,mpu6050\n",
          "devices/chip/iio:device0/label": "accel-base\n",
        ], "sensor:accel-base:modalias:of:NaccelT(null)Cinvensense,mpu6050:*"
      ),
      (
        [
          "devices/modalias": "platform:cros-ec-accel\n",
          "devices/chip/iio:device0/name": "cros-ec-accel\n",
          "devices/chip/iio:device0/location": "lid\n",
        ], "sensor:accel-display:modalias:platform:cros-ec-accel:*"
      ),
      ([:], nil),
    ] as [([String: String], String?)])
  func `an entry stands under what udev looks a sensor up by`(
    files: [String: String], match: String?
  ) throws {
    #expect(try entry(files)?.match == match)
  }

  @Test func `what is printed can be installed`() throws {
    let text = CalibrationText(
      calibration: try Calibration(Self.turned), sensor: "iio:device0", path: "/devices/chip",
      entry: try entry(["devices/chip/modalias": "i2c:chip\n"]))
    #expect(
      text.configuration == [
        "[Accelerometer]", "Sensor=/devices/chip", "MountMatrix=0,1,0; -1,0,0; 0,0,1",
        "Bias=0.3100,-0.2200,0.4700", "ScaleFactor=1.02000,0.97000,1.01300",
      ])
    let people = text.text(Style(isColoured: false))
    #expect(
      people.contains(
        "    sensor:modalias:i2c:chip:*\n     ACCEL_MOUNT_MATRIX=0, -1, 0; 1, 0, 0; 0, 0, -1\n"))
    #expect(people.contains("leftUp      4.9°"))
    #expect(text.json["hwdb"]?.array?.count == 2)
    #expect(text.json["bias"]?.array?.count == 3)
  }
}
