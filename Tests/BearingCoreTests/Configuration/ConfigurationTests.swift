import Foundation
import Testing
import Varlink

@testable import BearingCore

@Suite struct ConfigurationTests {
  private func apply(_ text: String) -> (configuration: Configuration, messages: [String]) {
    var configuration = Configuration()
    let diagnostics = configuration.apply(Array(text.utf8), of: "f")
    return (configuration, diagnostics.map(\.description))
  }

  @Test func everyKeySetsItsOwnField() {
    let (configuration, messages) = apply(
      """
      [Daemon]
      Socket=/tmp/s
      Eager=yes
      [Location]
      Source=replay:/tmp/drive.log
      GpsdHost=gps.example
      GpsdPort=1234
      Receivers=/dev/ttyACM0 tcp://host:5000,0.5
      UseAccelerometer=always
      [Accelerometer]
      Source=simulation
      SysfsRoot=/tmp/sys
      DeviceRoot=/tmp/dev
      UdevRoot=/tmp/udev
      MountMatrix=0, 1, 0; \\
        -1, 0, 0; \\
        0, 0, 1
      Bias=0.31, -0.22,0.5
      ScaleFactor=1.02,0.97,1
      Sensor=iio:device3
      [Access]
      User.alice=precise
      User.bob=denied
      Group.staff=approximate
      Default=approximate
      Motion=samples
      ApproximateInterval=5s
      [Preferences]
      location.minInterval=5000
      location.distanceFilter=2.5
      stream.heartbeat=1000
      acceleration.sensor=accel-base
      display.coordinates="utm"
      display.units=nautical
      [Limits]
      ConnectionsPerUser=1
      ConnectionsOfRoot=2
      Connections=3
      SpareDescriptors=4
      RefusalTime=500ms
      RefusalsWaiting=6
      StreamsPerUser=7
      StreamsOfRoot=8
      RequestSize=9K
      RequestDepth=10
      RequestTime=11
      QueuePerClient=16384
      QueuePerUser=2M
      QueueOfRoot=1G
      StallTime=2min
      """)
    #expect(messages.isEmpty)
    var expected = Configuration()
    expected.daemon.socket = "/tmp/s"
    expected.daemon.isEager = true
    expected.location.source = .replay("/tmp/drive.log")
    expected.location.gpsdHost = "gps.example"
    expected.location.gpsdPort = 1234
    expected.location.receivers = [
      ReceiverSettings(device: "/dev/ttyACM0"),
      ReceiverSettings(device: "tcp://host:5000", accuracyFactor: 0.5),
    ]
    expected.location.useAccelerometer = .always
    expected.accelerometer.source = .simulation
    expected.accelerometer.sysfsRoot = "/tmp/sys"
    expected.accelerometer.deviceRoot = "/tmp/dev"
    expected.accelerometer.udevRoot = "/tmp/udev"
    expected.accelerometer.mountMatrix = [0, 1, 0, -1, 0, 0, 0, 0, 1]
    expected.accelerometer.bias = [0.31, -0.22, 0.5]
    expected.accelerometer.scaleFactor = [1.02, 0.97, 1]
    expected.accelerometer.sensor = "iio:device3"
    expected.access.users = [
      .init(name: "alice", precision: .precise), .init(name: "bob", precision: .denied),
    ]
    expected.access.groups = [.init(name: "staff", precision: .approximate)]
    expected.access.standard = .approximate
    expected.access.motion = .samples
    expected.access.approximateInterval = 5_000_000_000
    expected.preferences = [
      "location.minInterval": 5000, "location.distanceFilter": 2.5, "stream.heartbeat": 1000,
      "acceleration.sensor": "accel-base", "display.coordinates": "utm",
      "display.units": "nautical",
    ]
    expected.limits.connectionsPerUser = 1
    expected.limits.connectionsOfRoot = 2
    expected.limits.connections = 3
    expected.limits.spareDescriptors = 4
    expected.limits.refusalTime = 500_000_000
    expected.limits.refusalsWaiting = 6
    expected.limits.streamsPerUser = 7
    expected.limits.streamsOfRoot = 8
    expected.limits.requestSize = 9216
    expected.limits.requestDepth = 10
    expected.limits.requestTime = 11_000_000_000
    expected.limits.queuePerClient = 16384
    expected.limits.queuePerUser = 2_097_152
    expected.limits.queueOfRoot = 1_073_741_824
    expected.limits.stallTime = 120_000_000_000
    #expect(configuration == expected)
  }

  @Test func theLimitsAreThoseOfTheTable() {
    let limits = Configuration().limits
    #expect(limits.connectionsPerUser == 128)
    #expect(limits.connectionsOfRoot == 1024)
    #expect(limits.connections == 8192)
    #expect(limits.spareDescriptors == 8)
    #expect(limits.refusalTime == 1_000_000_000)
    #expect(limits.refusalsWaiting == 64)
    #expect(limits.streamsPerUser == 128)
    #expect(limits.streamsOfRoot == 1024)
    #expect(limits.requestSize == 65_536)
    #expect(limits.requestDepth == 32)
    #expect(limits.requestTime == 10_000_000_000)
    #expect(limits.queuePerClient == 65_536)
    #expect(limits.queuePerUser == 8_388_608)
    #expect(limits.queueOfRoot == 67_108_864)
    #expect(limits.stallTime == 30_000_000_000)
  }

  @Test(arguments: [
    (
      "[Location]\nGpsdPort=abc",
      "f:2: [Location] GpsdPort=abc: expected a port number from 1 to 65535"
    ),
    (
      "[Location]\nGpsdPort=0", "f:2: [Location] GpsdPort=0: expected a port number from 1 to 65535"
    ),
    (
      "[Location]\nGpsdPort=+1",
      "f:2: [Location] GpsdPort=+1: expected a port number from 1 to 65535"
    ),
    (
      "[Location]\nGpsdPort=99999999999999999999",
      "f:2: [Location] GpsdPort=99999999999999999999: expected a port number from 1 to 65535"
    ),
    (
      "[Location]\n\nSource=gpds",
      "f:3: [Location] Source=gpds: expected gpsd, simulation, replay:FILE (an absolute path) or none"
    ),
    (
      "[Location]\nSource=replay:x",
      "f:2: [Location] Source=replay:x: expected gpsd, simulation, replay:FILE (an absolute path)"
        + " or none"
    ),
    (
      "[Location]\nUseAccelerometer=maybe",
      "f:2: [Location] UseAccelerometer=maybe: expected opportunistic, always or no"
    ),
    ("[Daemon]\nEager=ja", "f:2: [Daemon] Eager=ja: expected yes or no"),
    (
      "[Daemon]\nSocket=s", "f:2: [Daemon] Socket=s: expected an absolute path of at most 107 bytes"
    ),
    (
      "[Accelerometer]\nMountMatrix=1,0,0;0,1,0;1,1,0",
      "f:2: [Accelerometer] MountMatrix=1,0,0;0,1,0;1,1,0: expected three rows of three numbers as"
        + " x,y,z; x,y,z; x,y,z that can be inverted"
    ),
    (
      "[Accelerometer]\nBias=1,2",
      "f:2: [Accelerometer] Bias=1,2: expected three numbers as x,y,z"
        + " from -20.0 to 20.0"
    ),
    (
      "[Accelerometer]\nScaleFactor=1,0,1",
      "f:2: [Accelerometer] ScaleFactor=1,0,1: expected three numbers as x,y,z from 0.1 to 10.0"
    ),
    (
      "[Access]\nUser.alice=yes",
      "f:2: [Access] User.alice=yes: expected precise, approximate or denied"
    ),
    (
      "[Limits]\nQueuePerUser=1",
      "f:2: [Limits] QueuePerUser=1: expected a size in bytes from 64K to 16G"
    ),
    (
      "[Preferences]\nlocation.minInterval=5s",
      "f:2: [Preferences] location.minInterval=5s: expected a whole number of milliseconds from 0"
        + " to 86400000"
    ),
    (
      "[Preferences]\ndisplay.unit=metric",
      "f:2: warning: [Preferences] display.unit=: an unknown key, which is ignored; did you mean"
        + " display.units?"
    ),
    ("[Limits]\nStallTime=1d", "f:2: [Limits] StallTime=1d: expected a time from 1s to 1h"),
    ("[Limits]\nRefusalTime=0", "f:2: [Limits] RefusalTime=0: expected a time from 100ms to 1min"),
    (
      "[Location]\nGpsPort=1",
      "f:2: warning: [Location] GpsPort=: an unknown key, which is ignored; did you mean GpsdPort?"
    ),
    (
      "[Access]\nUser.=precise",
      "f:2: warning: [Access] User.=: an unknown key, which is ignored; known are"
        + " ApproximateInterval, Default, Group.NAME, Motion, User.NAME"
    ),
    (
      "[Locations]\nGpsdPort=1\nGpsdHost=x",
      "f:2: warning: [Locations]: an unknown section, which is ignored; did you mean Location?"
    ),
  ]) func saysWhatItExpectedAndWhere(text: String, message: String) {
    let (configuration, messages) = apply(text)
    #expect(messages == [message])
    #expect(configuration == Configuration(), "what is wrong is left out")
  }

  @Test(arguments: [
    "1,0,0", "1,0,0;0,1,0", "1,0,0;0,1,0;0,0,nan", "1,0,0;0,1,0;0,0,0x1", "1,0,0;0,1,0;0,0,1;",
    "1 0 0;0 1 0;0 0 1", "1,0,0;0,1,0;0,0,1e999", "0,0,0;0,0,0;0,0,0",
  ]) func refusesAMatrixThatIsNone(text: String) {
    let (configuration, messages) = apply("[Accelerometer]\nMountMatrix=\(text)")
    #expect(messages.count == 1)
    #expect(configuration.accelerometer.mountMatrix == nil)
  }

  @Test(arguments: ["/dev/a,", "/dev/a,0", "/dev/a,x", ",1", "/dev/a /dev/a,2", "/dev/a,1,2"])
  func refusesReceiversThatAreNone(text: String) {
    #expect(apply("[Location]\nReceivers=\(text)").messages.count == 1)
  }

  @Test func theLaterOfTwoAssignmentsWinsAndAnEmptyOneIsTheDefault() {
    let (configuration, messages) = apply(
      """
      [Location]
      GpsdPort=1
      GpsdPort=2
      GpsdHost=x
      GpsdHost=
      [Access]
      User.a=precise
      User.b=precise
      User.a=denied
      User.b=
      """)
    #expect(messages.isEmpty)
    #expect(configuration.location.gpsdPort == 2)
    #expect(configuration.location.gpsdHost == "localhost")
    #expect(configuration.access.users == [.init(name: "a", precision: .denied)])
  }

  @Test func aReloadTakesWhatCanChangeAndNamesTheRest() {
    let newer = apply(
      "[Location]\nSource=simulation\n[Access]\nDefault=precise\n[Limits]\nStallTime=1min"
    ).configuration
    let (configuration, kept) = Configuration().adopting(newer)
    #expect(kept == ["[Location] Source= changes at the next start"])
    #expect(configuration.location.source == .hardware)
    #expect(configuration.access.standard == .precise)
    #expect(configuration.limits.stallTime == 60_000_000_000)
  }

  @Test func noSourceThatIsNotTheMachinesOwnIsSwitchedOnByAReload() {
    let newer = apply(
      """
      [Location]
      Source=replay:/x
      [Accelerometer]
      Source=simulation
      SysfsRoot=/x
      DeviceRoot=/x
      UdevRoot=/x
      """
    ).configuration
    let (configuration, kept) = Configuration().adopting(newer)
    #expect(configuration == Configuration())
    #expect(kept.count == 5)
  }

  @Test func everyKeyIsOneOfAKind() {
    let names = ConfigurationKey.all.map { "\($0.section).\($0.name)" }
    #expect(Set(names).count == names.count)
    for key in ConfigurationKey.all {
      var configuration = Configuration()
      if let text = key.text(Configuration()), !text.isEmpty {
        #expect(key.assign(&configuration, "", text), "\(key.name)'s default is one of its values")
      }
      #expect(configuration == Configuration())
    }
  }
}
