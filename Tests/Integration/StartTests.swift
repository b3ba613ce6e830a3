import Foundation
import TestSupport
import Testing
import Varlink

/// How the daemon starts, refuses to, and ends.
@Suite struct StartTests {
  private static func failure(_ start: () throws -> DaemonProcess) throws -> DaemonProcess.Ending? {
    do {
      _ = try start()
      return nil
    } catch let failure as DaemonProcess.DidNotStart {
      return failure.ending
    }
  }

  // MARK: One daemon

  @Test func aSecondOneInTheSameFolderSaysWhoIsThere() throws {
    let first = try DaemonProcess()
    let second = try Self.failure { try DaemonProcess(in: first.folder) }
    #expect(second?.end == .exit(1))
    #expect(second?.log.contains("already running (pid \(first.pid))") == true)
    let client = try DaemonClient(first.socket)
    #expect(
      try client.call("io.bearing.daemon.GetStatus").parameters["pid"]?.integer == Int64(first.pid))
  }

  @Test func oneThatWasKilledLeavesNothingInTheWay() throws {
    let first = try DaemonProcess()
    first.kill()
    #expect(FileManager.default.fileExists(atPath: first.socket))
    let second = try DaemonProcess(in: first.folder)
    let client = try DaemonClient(second.socket)
    #expect(
      try client.call("io.bearing.daemon.GetStatus").parameters["pid"]?.integer == Int64(second.pid)
    )
    #expect(second.stop() == 0)
  }

  @Test func whatIsNoSocketIsNotReplaced() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("precious", to: "io.bearing")
    let ending = try Self.failure { try DaemonProcess(in: folder) }
    #expect(ending?.end == .exit(1))
    #expect(ending?.log.contains("replace \(file), which is no socket") == true)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
  }

  @Test func aWrongConfigurationIsNamed() throws {
    let ending = try Self.failure { try DaemonProcess("[Location]\nGpsdPort=many\n") }
    #expect(ending?.end == .exit(78))
    #expect(ending?.log.contains("bearingd.conf:2") == true)
  }

  // MARK: Sockets that are passed

  private static let passer = """
    import os, socket, sys
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    os.dup2(listener.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ["LISTEN_FDS"] = "1"
    os.environ["LISTEN_PID"] = str(os.getpid())
    os.execv(sys.argv[2], sys.argv[2:])
    """

  @Test func aSocketThatIsPassedIsUsedAndLeft() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/passed"
    let daemon = try DaemonProcess(
      wrapper: ["/usr/bin/python3", "-c", Self.passer, path], in: folder)
    let client = try DaemonClient(path)
    #expect(try client.call("io.bearing.daemon.GetStatus").parameters["clients"] == 1)
    #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    #expect(daemon.stop() == 0)
    #expect(FileManager.default.fileExists(atPath: path))
  }

  // MARK: The system's daemon and a user's

  /// A mount namespace whose /run is empty, so that the system's own places are the test's; with the
  /// umask that systemd's services have.
  private static let ownRun =
    ["/usr/bin/unshare", "-m", "/bin/sh", "-c"]
    + [#"umask 022 && mount -t tmpfs tmpfs /run && exec "$@""#, "sh"]
  private static let user = 54_322
  private static let asUser = [
    "/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups",
  ]

  /// Whether such namespaces can be made, and another user can run what was built.
  private static let canHaveUsersDaemon: Bool = {
    guard OtherUser.isPossible else { return false }
    let test = ownRun + asUser + [ProgramRun.path(of: "bearingd"), "--version"]
    return (try? ProgramRun.run(test[0], Array(test.dropFirst())))?.status == 0
  }()

  @Test(.enabled(if: canHaveUsersDaemon, "needs root, namespaces, and a build others may run"))
  func aUsersDaemonLeavesTheHardwareToTheSystems() throws {
    let system = try DaemonProcess(
      wrapper: Self.ownRun, environment: ["RUNTIME_DIRECTORY": "/run/bearingd"])
    let besideIt = ["/usr/bin/nsenter", "-m", "-t", String(system.pid)]
    func startUsers(
      _ configuration: String, _ arguments: [String] = [], in place: [String]? = nil
    ) throws -> DaemonProcess {
      try DaemonProcess(
        configuration, wrapper: (place ?? besideIt) + Self.asUser, arguments: arguments)
    }
    let hardware = "[Location]\nSource=gpsd\n[Accelerometer]\nSource=none\n"
    let refused = try Self.failure { try startUsers(hardware) }
    #expect(refused?.end == .exit(1))
    #expect(
      refused?.log.contains("owns the hardware and answers at /run/bearingd/io.bearing") == true)
    #expect(try Self.failure { try startUsers(hardware, ["--force"]) } == nil)
    #expect(try Self.failure { try startUsers(DaemonProcess.simulation) } == nil)
    // Where the system has none, there is nothing to leave it to.
    #expect(try Self.failure { try startUsers(hardware, in: Self.ownRun) } == nil)
  }

  // MARK: The end

  @Test(arguments: [SIGTERM, SIGINT])
  func itEndsInOrderAlsoWithStreamsAndReadersThatDoNotRead(signal: Int32) throws {
    let gpsd = try GpsdFake()
    let daemon = try DaemonProcess(gpsd.configuration)
    let readers = try (0..<30).map { _ in try DaemonClient(daemon.socket) }
    for reader in readers { _ = try reader.open("io.bearing.location.Subscribe") }
    let waiting = try DaemonClient(daemon.socket)
    try waiting.send("io.bearing.location.GetFix", ["timeout": 600_000])
    let receiver = try gpsd.acceptDaemon()
    for step in 0..<400 {
      receiver.sendFix(step: step)
      _ = try readers[0].next { $0.parameters["fix"]?["latitude"] != nil }
    }
    let ending = daemon.end(with: signal)
    #expect(ending.end == .exit(0))
    #expect(!ending.log.contains("did not come to rest"))
    for reader in readers { #expect(throws: Never.self) { try reader.rest() } }
  }

  /// Ctrl-C, a service manager, a terminal that closes.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func theDemonstrationEndsAndLeavesNothing(signal: Int32) throws {
    let demo = try DemoDaemon()
    #expect(access(demo.socket, F_OK) == 0)
    #expect(demo.stop(with: signal) == .exit(0))
    let folder = URL(fileURLWithPath: demo.socket).deletingLastPathComponent().path
    #expect(access(folder, F_OK) != 0)
  }

  @Test func theDemonstrationNamesACallThatWorksAndEndsWhenNobodyReadsIt() throws {
    let script = "\"$0\" --demo | head -n 4; echo ${PIPESTATUS[0]}"
    let run = try ProgramRun.run(
      "/bin/bash", ["-c", script, ProgramRun.path(of: "bearingd")], within: 60)
    let lines = run.lines
    #expect(lines.count == 5 && lines[0].hasPrefix("Both devices are simulated"))
    #expect(lines[3].hasPrefix("  \(ProgramRun.path(of: "gpsctl")) --socket /"))
    #expect(lines.last == "0")
    #expect(run.errors.isEmpty)
  }

  @Test(arguments: [["--check"], ["--force"], ["--config", "/nowhere.conf"]])
  func theDemonstrationTakesNothingElse(with arguments: [String]) throws {
    let run = try ProgramRun.run(ProgramRun.path(of: "bearingd"), arguments + ["--demo"])
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(run.errors.hasPrefix("bearingd: --demo goes alone"))
  }

  @Test func theDemonstrationShowsBothDevicesByItselfWithin80Columns() throws {
    let demo = try ChildProcess(ProgramRun.path(of: "bearingd"), ["--demo"])
    let cancel = demo.kill(after: DaemonProcess.patience)
    defer { cancel() }
    let wanted = [
      #/location +live +46\.\d{6}° 7\.\d{6}° +±2\.5 m +\d+\.\d m up +\d+\.\d m/s/#,
      #/acceleration +x -?\d\.\d\d +y \d\.\d\d +z -?\d\.\d\d m/s²/#,
      #/orientation +normal, vertical/#,
    ]
    var said = ""
    while !wanted.allSatisfy({ said.contains($0) }) {
      let data = demo.output.availableData
      if data.isEmpty { break }
      said += String(decoding: data, as: UTF8.self)
    }
    demo.send(SIGINT)
    #expect(demo.wait() == .exit(0))
    for part in wanted { #expect(said.contains(part), "\(said)") }
    let lines = said.split(separator: "\n").drop { !$0.hasPrefix("Ctrl-C") }
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func aBrokenPipeEndsNothing() throws {
    let daemon = try DaemonProcess()
    daemon.send(SIGPIPE)
    let client = try DaemonClient(daemon.socket)
    #expect(try client.call("io.bearing.daemon.GetStatus").error == nil)
    #expect(daemon.stop() == 0)
  }
}
