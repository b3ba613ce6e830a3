import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

@testable import gpsctl

/// A small tree of a machine on which all is well, until a test breaks something.
private struct Machine {
  let folder: TemporaryFolder
  private var user = Doctor.User(name: "ann", uid: 1000, groups: [1000, 900])
  private var answer = Doctor.Answer.granted

  init() throws {
    folder = try TemporaryFolder()
    // Files made here have this process' group, which stands for the groups of the machine.
    let own = getegid()
    try write("/run/bearingd/io.bearing")
    try write("/etc/group", "bearing:x:900:ann\nbearingd:x:\(own):\ndialout:x:\(own):\n")
    try write("/usr/sbin/gpsd")
    try write("/proc/42/comm", "gpsd\n")
    try write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "0\n")
    try write("/etc/systemd/system/sockets.target.wants/gpsd.socket")
    try write(
      "/lib/systemd/system/gpsd.socket",
      "[Socket]\nListenStream=/run/gpsd.sock\nListenStream=[::1]:2947\n# ListenStream=[::]:2947\n")
    try write("/etc/default/gpsd", "DEVICES=\"/dev/ttyACM0\"\nUSBAUTO=\"true\"\n")
    try write("/dev/ttyACM0", mode: 0o660)
    let sensor = "/sys/bus/iio/devices/iio:device0"
    try write("\(sensor)/in_accel_x_raw")
    try write("\(sensor)/sampling_frequency", mode: 0o664)
    try write("/dev/iio:device0", mode: 0o660)
  }

  func write(_ path: String, _ text: String = "", mode: mode_t = 0o644) throws {
    chmod(try folder.write(text, to: String(path.dropFirst())), mode)
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: folder.path + path)
  }

  mutating func ask(_ answer: Doctor.Answer, as user: Doctor.User? = nil) {
    self.user = user ?? self.user
    self.answer = answer
  }

  var findings: [Finding] {
    Doctor(
      tree: Tree(root: folder.path), socket: "/run/bearingd/io.bearing", user: user,
      answer: answer
    ).findings
  }
}

/// One thing that can go wrong, and a piece of what is said of it and of what mends it.
private struct Fault: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let breakIt: @Sendable (inout Machine) throws -> Void
  let problem: String
  let remedy: String

  init(
    _ problem: String, _ remedy: String,
    _ breakIt: @escaping @Sendable (inout Machine) throws -> Void
  ) {
    testDescription = problem
    self.problem = problem
    self.remedy = remedy
    self.breakIt = breakIt
  }
}

private let faults: [Fault] = [
  Fault("socket /run/bearingd/io.bearing is missing", "enable --now bearingd.socket") {
    try $0.remove("/run/bearingd/io.bearing")
  },
  Fault("nobody answers at /run/bearingd/io.bearing: refused", "restart bearingd.socket") {
    $0.ask(.unreachable("refused"))
  },
  Fault("there is no group bearing", "systemd-sysusers") {
    try $0.write("/etc/group", "bearingd:x:\(getegid()):\ndialout:x:\(getegid()):\n")
    $0.ask(.denied(reason: "no rule", remedy: "a rule"))
  },
  Fault("ann is in the group bearing, and this session began before that", "newgrp bearing") {
    $0.ask(
      .denied(reason: "no", remedy: "x"),
      as: Doctor.User(name: "ann", uid: 1000, groups: [1000]))
  },
  Fault("no rule lets user bob know the position", "usermod -aG bearing bob") {
    $0.ask(
      .denied(
        reason: "no rule lets user bob know the position", remedy: "sudo usermod -aG bearing bob"),
      as: Doctor.User(name: "bob", uid: 1001, groups: [1001]))
  },
  Fault("gpsd is not installed", "apt install gpsd") { try $0.remove("/usr/sbin/gpsd") },
  Fault("gpsd is not running", "systemctl start gpsd.socket") { try $0.remove("/proc/42") },
  Fault("gpsd is not enabled", "systemctl enable gpsd.socket") {
    try $0.remove("/etc/systemd/system/sockets.target.wants")
  },
  Fault("gpsd.socket listens on [::1]", "ListenStream=127.0.0.1:2947") {
    try $0.write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1\n")
  },
  Fault("gpsd.socket listens on [::1]", "gpsd.socket.d/ipv4.conf") {
    try $0.remove("/proc/sys/net/ipv6")
  },
  Fault("there is no receiver", "dmesg") {
    try $0.remove("/dev/ttyACM0")
    try $0.write("/etc/default/gpsd", "DEVICES=\"\"\nUSBAUTO=\"true\"\n")
  },
  Fault("/dev/ttyACM0, which DEVICES= in /etc/default/gpsd names, is not there", "by-id") {
    try $0.remove("/dev/ttyACM0")
  },
  Fault("gpsd is told of no receiver", "gpsdctl add /dev/ttyACM0") {
    try $0.write("/etc/default/gpsd", "DEVICES=\"\"\nUSBAUTO=\"false\"\n")
  },
  Fault("dialout may not read and write /dev/ttyACM0", "chgrp dialout /dev/ttyACM0") {
    try $0.write("/dev/ttyACM0", mode: 0o600)
  },
  Fault("from gpsd itself, through TCP port 2947", "JoinsNamespaceOf=gpsd.service") {
    try $0.write(
      "/proc/net/tcp",
      "  sl  local_address rem_address   st\n   0: 0100007F:0B83 00000000:0000 0A 00000000:0\n")
  },
  Fault("from gpsd itself, through its shared memory", "PrivateIPC=yes") {
    try $0.write("/proc/sysvipc/shm", "key shmid perms size\n1196446532 3 666 15712 42\n")
  },
  Fault("the kernel has no accelerometer", "Source=none") {
    try $0.remove("/sys/bus/iio/devices/iio:device0/in_accel_x_raw")
  },
  Fault("there is no group bearingd", "systemd-sysusers") {
    try $0.write("/etc/group", "bearing:x:900:ann\ndialout:x:\(getegid()):\n")
  },
  Fault("may not read /dev/iio:device0", "udevadm trigger") {
    try $0.write("/dev/iio:device0", mode: 0o600)
  },
  Fault("may not write /sys/bus/iio/devices/iio:device0/sampling_frequency", "udevadm trigger") {
    try $0.write("/sys/bus/iio/devices/iio:device0/sampling_frequency", mode: 0o644)
  },
]

@Suite struct DoctorTests {
  @Test func `nothing is wrong where all is well`() throws {
    #expect(try Machine().findings == [])
  }

  @Test(arguments: faults)
  private func `each fault is found, alone, with what mends it`(fault: Fault) throws {
    var machine = try Machine()
    try fault.breakIt(&machine)
    let findings = machine.findings
    #expect(findings.count == 1)
    let finding = try #require(findings.first)
    #expect(finding.problem.contains(fault.problem))
    #expect(finding.remedy.contains(fault.remedy))
    #expect(!finding.reason.isEmpty && !finding.remedy.contains("\n"))
  }

  @Test(arguments: [
    "a socket that is listened on needs no process",
    "an IPv4 drop-in mends the socket's unit", "a gpsd elsewhere is not looked for here",
    "a sensor that is not wanted is not missed", "shared memory of root's alone is no way around",
    "the group approximate will do",
  ]) func `what is on purpose is not wrong`(what: String) throws {
    var machine = try Machine()
    switch what {
    case "a socket that is listened on needs no process":
      try machine.remove("/proc/42")
      try machine.write("/proc/net/tcp6", "   0: 0:0B83 0:0 0A 0:0\n")
      #expect(machine.findings.map(\.problem).allSatisfy { $0.contains("every user") })
      return
    case "an IPv4 drop-in mends the socket's unit":
      try machine.write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1\n")
      try machine.write(
        "/etc/systemd/system/gpsd.socket.d/ipv4.conf",
        "[Socket]\nListenStream=\nListenStream=127.0.0.1:2947\n")
    case "a gpsd elsewhere is not looked for here":
      try machine.remove("/usr/sbin/gpsd")
      try machine.write(
        "/etc/bearingd/bearingd.conf", "[Location]\nGpsdHost=192.0.2.7\n[Daemon]\nGpsdHost=\n")
    case "a sensor that is not wanted is not missed":
      try machine.remove("/sys/bus/iio")
      try machine.write(
        "/etc/bearingd/bearingd.conf.d/a.conf", "\t[Accelerometer] \r\n Source = none \r\n")
    case "shared memory of root's alone is no way around":
      try machine.write("/proc/sysvipc/shm", "key shmid perms size\n1196446532 3 600 15712 42\n")
    default:
      try machine.write(
        "/etc/group",
        "bearing:x:900:\nbearing-approximate:x:901:ann\nbearingd:x:\(getegid()):\n"
          + "dialout:x:\(getegid()):\n")
      try machine.remove("/run/bearingd/io.bearing")
      machine.ask(
        .unreachable("missing"), as: Doctor.User(name: "ann", uid: 1000, groups: [1000, 901]))
      #expect(machine.findings.map(\.problem).allSatisfy { $0.contains("is missing") })
      return
    }
    #expect(machine.findings == [])
  }

  @Test func `what a daemon only plays is not looked for on the machine`() throws {
    @Sendable func device(_ kind: String) -> JSON {
      [
        "kind": .string(kind), "state": "live", "detail": "", "subscribers": 0, "instance": "",
        "simulated": true,
      ]
    }
    let daemon = try FakeDaemon { call in
      if call.method.hasSuffix("GetStatus") {
        call.reply([
          "version": "1", "pid": 1, "uptime": 1, "clients": 1, "warnings": [],
          "devices": [device("location"), device("acceleration")],
        ])
      } else {
        call.reply(["state": "live"])
      }
    }
    let place = ["BEARING_SOCKET": daemon.path]
    let run = try ProgramRun.run(ProgramRun.path(of: "gpsctl"), ["doctor"], environment: place)
    let said = run.output + run.errors
    #expect(!said.contains("gpsd") && !said.contains("accelerometer"), "\(said)")
  }

  @Test func `the program says what is wrong and ends with 1`() throws {
    let folder = try TemporaryFolder()
    let place = ["BEARING_SOCKET": folder.path + "/none"]
    let program = ProgramRun.path(of: "gpsctl")
    let people = try ProgramRun.run(program, ["doctor"], environment: place)
    #expect(people.status == 1)
    #expect(people.output.contains("the daemon's socket \(folder.path)/none is missing\n  why:  "))
    // The machine's units do not make this socket.
    #expect(people.output.contains("\n  mend: gpsctl --socket /run/bearingd/io.bearing doctor"))
    #expect(people.errors.contains(/^gpsctl: \d+ things? (is|are) wrong\n$/))
    let script = try ProgramRun.run(program, ["doctor", "--json"], environment: place)
    #expect(script.status == 1)
    #expect(script.lines.first?.hasPrefix("{\"problem\":\"the daemon's socket ") == true)
  }
}
