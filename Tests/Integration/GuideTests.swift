import Foundation
import TestSupport
import Testing
import Varlink

/// Every call that docs/protocol.md shows, made to a daemon.
@Suite struct GuideTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .appending(path: "../../..").standardized
  private static let python = root.appending(path: ".build/peers/python/bin/python").path

  /// Errors that say the example itself is wrong.
  private static let mistakes = [
    "InvalidParameter", "MethodNotFound", "MethodNotImplemented", "InterfaceNotFound",
    "ExpectedMore", "UnknownKey", "InvalidValue",
  ]

  private static func guide() throws -> String {
    try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
  }

  private static func daemon() throws -> DaemonProcess {
    try DaemonProcess("[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n")
  }

  /// The methods in the guide's tables, with the names of their interfaces.
  private static func methods() throws -> Set<String> {
    var methods: Set<String> = []
    for section in try guide().components(separatedBy: "\n## io.bearing.").dropFirst() {
      let interface = section.prefix { $0.isLetter }
      let own = section.components(separatedBy: "\n## ")[0]
      for line in own.split(separator: "\n") where line.hasPrefix("| `") {
        let names = line.split(separator: "|")[0].matches(of: /`([A-Z][A-Za-z]+)`/)
        methods.formUnion(names.map { "\(interface).\($0.1)" })
      }
    }
    return methods
  }

  @Test func everyMethodIsShownWithVarlinkctlAndTheDaemonTakesIt() throws {
    let daemon = try Self.daemon()
    var shown: Set<String> = []
    let call = /(?m)^varlinkctl call (--more )?\$S io\.bearing\.(\w+\.\w+) '(.*)'$/
    for example in try Self.guide().matches(of: call) {
      let method = String(example.2)
      let client = try DaemonClient(daemon.socket)
      try client.send(
        "io.bearing." + method, JSON(parsing: Array(example.3.utf8)), more: example.1 != nil)
      let reply = try client.next()
      let error = reply.error?.split(separator: ".").last.map(String.init)
      #expect(!Self.mistakes.contains(error ?? ""), "\(example.0): \(reply)")
      #expect(reply.continues == (example.1 != nil && error == nil), "\(example.0): \(reply)")
      shown.insert(method)
    }
    #expect(try shown == Self.methods())
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: python), "Tests/setup-peers.sh has not run"))
  func everyMethodIsShownInPythonAndTheDaemonTakesIt() throws {
    let daemon = try Self.daemon()
    let blocks = try Self.guide().components(separatedBy: "```python\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    let setUp = try #require(blocks.first)
      .replacing("unix:/run/bearingd/io.bearing", with: "unix:\(daemon.socket)")
    var script = setUp + "mistakes = \(Self.mistakes)\nended = []\n"
    var shown: Set<String> = []
    for line in blocks.dropFirst().flatMap({ $0.split(separator: "\n") }) {
      let method = try #require(line.firstMatch(of: /\b(([a-z]+)\.[A-Z]\w+)\(/), "\(line)")
      shown.insert(String(method.1))
      // One reply of each stream; and since a stream takes its connection, a new one each time.
      let once = line.replacing(": ...", with: ": break")
      script += """
        \(method.2) = client.open("io.bearing.\(method.2)")
        try:
            \(once)
        except varlink.VarlinkError as error:
            assert error.error().split(".")[-1] not in mistakes, (\(String(reflecting: once)), error)
        ended.append(1)

        """
    }
    script += "print(len(ended))\nimport os; os._exit(0)\n"
    let run = try ProgramRun.run(
      Self.python, ["-u", "-c", script], within: DaemonProcess.patience * 2)
    #expect(run.errors == "")
    #expect(Int(run.output.trimmingCharacters(in: .newlines)) == shown.count)
    #expect(try shown == Self.methods())
  }
}
