import Foundation
import TestSupport
import Testing
import Varlink

/// Where others' Varlink implementations are.
private enum Peers {
  static let python = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../.build/peers/python/bin/python").standardized.path
  static var arePresent: Bool { FileManager.default.isExecutableFile(atPath: python) }
}

/// The daemon as others' Varlink implementations see it; Tests/setup-peers.sh installs them.
@Suite(.enabled(if: Peers.arePresent, "Tests/setup-peers.sh has not run"))
struct PeerTests {
  private let daemon: DaemonProcess

  init() throws {
    daemon = try DaemonProcess(
      "[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n")
  }

  private func cli(_ arguments: String...) throws -> String {
    let run = try ProgramRun.run(Peers.python, ["-m", "varlink.cli"] + arguments)
    #expect(run.errors == "")
    return run.output
  }

  /// Runs a script that has the socket's path as its argument.
  private func script(_ text: String) throws -> ProgramRun {
    try ProgramRun.run(Peers.python, ["-c", text, daemon.socket])
  }

  @Test func theCommandLineListsTheInterfaces() throws {
    let lines = try cli("info", "unix:\(daemon.socket)").split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.first == "Vendor: bearingd")
    #expect(Set(lines).isSuperset(of: ["org.varlink.service"] + DaemonInterfaces.names))
  }

  @Test(arguments: DaemonInterfaces.names)
  func theCommandLineShowsADescriptionAsItIsWritten(interface: String) throws {
    #expect(
      try cli("help", "unix:\(daemon.socket)/\(interface)")
        .trimmingCharacters(in: .newlines)
        == DaemonInterfaces.text(interface).trimmingCharacters(in: .newlines))
  }

  /// Calls that answer at once for root, by interface.
  private static let calls: [(method: String, parameters: JSON)] = [
    ("io.bearing.daemon.GetStatus", [:]),
    ("io.bearing.daemon.ListClients", [:]),
    ("io.bearing.daemon.GetMetrics", [:]),
    ("io.bearing.location.GetLastKnown", [:]),
    ("io.bearing.location.GetSky", [:]),
    ("io.bearing.location.GetFix", [:]),
    ("io.bearing.accelerometer.ListSensors", [:]),
    ("io.bearing.accelerometer.GetSample", [:]),
    ("io.bearing.regions.List", [:]),
    (
      "io.bearing.regions.Add",
      ["identifier": "Zürich 🧭", "latitude": 47.4, "longitude": 8.5, "radius": 100.0]
    ),
  ]

  @Test(arguments: calls.indices)
  func theCommandLineCallsAndTheReplyFitsTheDescription(index: Int) throws {
    let (method, parameters) = Self.calls[index]
    let output = try cli("call", "unix:\(daemon.socket)/\(method)", "\(parameters)")
    let reply = try JSON(parsing: Array(output.utf8))
    let parts = method.split(separator: ".")
    let interface = try #require(DaemonInterfaces.all[parts.dropLast().joined(separator: ".")])
    let description = try #require(interface.method(String(parts[parts.count - 1])))
    #expect(interface.validate(reply: reply, of: description) == nil, "\(output)")
  }

  @Test(arguments: [
    ("io.bearing.daemon.SubscribeStatus", #""devices": ["#),
    ("io.bearing.location.Subscribe", #""latitude": "#),
    ("io.bearing.location.SubscribeSky", #""satellites": ["#),
    ("io.bearing.accelerometer.Subscribe", #""samples": ["#),
    ("io.bearing.accelerometer.SubscribeOrientation", #""orientation": ""#),
    ("io.bearing.accelerometer.SubscribeMotion", #""motion": ""#),
    ("io.bearing.regions.Subscribe", #""events": ["#),
  ])
  func theCommandLineFollowsAStream(method: String, wanted: String) throws {
    let child = try ChildProcess(
      "/usr/bin/stdbuf",
      [
        "-oL", Peers.python, "-u", "-m", "varlink.cli", "call", "--more",
        "unix:\(daemon.socket)/\(method)", "{}",
      ])
    let cancel = child.kill(after: DaemonProcess.patience)
    var text = ""
    while !text.contains(wanted) {
      let data = child.output.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    cancel()
    child.send(SIGKILL)
    child.wait()
    #expect(text.contains(wanted))
  }

  @Test func anErrorReachesTheCommandLineWithItsParameters() throws {
    let run = try ProgramRun.run(
      Peers.python,
      [
        "-m", "varlink.cli", "call", "unix:\(daemon.socket)/io.bearing.location.GetFix",
        #"{"timeout": 600001}"#,
      ])
    #expect(
      (run.output + run.errors).contains("org.varlink.service.InvalidParameter"), "\(run)")
  }

  @Test func aPythonClientReadsEveryInterfaceAndCalls() throws {
    let run = try script(
      """
      import sys, varlink
      client = varlink.Client.new_with_address("unix:" + sys.argv[1])
      names = client.get_interfaces()
      for name in names:
          with client.open(name): pass
      with client.open("io.bearing.location") as location:
          for reply in location.Subscribe(_more=True, heartbeat=100):
              print(reply["state"])
              if "fix" in reply: break
      print(len(names))
      """)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.last == "6")
    #expect(run.lines.contains("live"))
  }

  @Test func asyncvarlinkPipelinesAndStreams() throws {
    let run = try script(
      """
      import asyncio, sys
      from asyncvarlink import (VarlinkClientProtocol, VarlinkInterface, VarlinkErrorReply,
                                connect_unix_varlink, varlinkmethod)

      class Service(VarlinkInterface, name="org.varlink.service"):
          @varlinkmethod(return_parameter="description")
          async def GetInterfaceDescription(self, *, interface: str) -> str: ...

      async def main():
          transport, protocol = await connect_unix_varlink(VarlinkClientProtocol, sys.argv[1])
          service = protocol.make_proxy(Service)
          names = \(DaemonInterfaces.names)
          texts = await asyncio.gather(
              *(service.GetInterfaceDescription(interface=name) for name in names * 20))
          assert all(f"interface {name}\\n" in text["description"] for name, text in zip(names * 20, texts))
          try:
              await service.GetInterfaceDescription(interface="no.such.interface")
          except VarlinkErrorReply as error:
              print(error)
          print(len(texts))
          transport.close()

      asyncio.run(main())
      """)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.last == "100")
    #expect(run.output.contains("InterfaceNotFound"))
  }

  @Test func whatIsNotServedSaysSo() throws {
    let client = try DaemonClient(daemon.socket)
    let info = try client.call("org.varlink.service.GetInfo").parameters["interfaces"]?.array
    #expect(info?.compactMap(\.string).sorted() == DaemonInterfaces.names + ["org.varlink.service"])
    for name in DaemonInterfaces.names {
      let description = try client.call(
        "org.varlink.service.GetInterfaceDescription", ["interface": .string(name)])
      #expect(description.parameters["description"] == .string(try DaemonInterfaces.text(name)))
      // Every method is there: it works, wants parameters or `more`, or is said not to be served.
      for method in DaemonInterfaces.all[name]?.methods ?? [] where !method.requiresMore {
        let other = try DaemonClient(daemon.socket)
        let reply = try other.call("\(name).\(method.name)")
        #expect(reply.error != "org.varlink.service.MethodNotFound")
        #expect(reply.error != "org.varlink.service.InterfaceNotFound")
      }
    }
  }
}
