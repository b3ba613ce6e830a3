import Foundation
import TestSupport
import Testing
import Varlink

/// Awkward bytes, cut at every place, against the real daemon.
@Suite struct FramingTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../VarlinkTests/Fixtures/framing").standardized

  /// A file's bytes as this protocol has them: requests for the marks, a NUL for a line's end.
  private static func input(_ name: String) throws -> [UInt8] {
    let request = #"{"method":"org.varlink.service.GetInfo"}"#
    let named =
      #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":""#
    var bytes = try Data(contentsOf: folder.appending(path: name))
    let marks = [
      ("@REQ-WITH-NAME:", named), ("@REQ@", request), ("@", "\"}}"), ("\r\n", "\0"), ("\n", "\0"),
    ]
    for (mark, replacement) in marks {
      while let range = bytes.range(of: Data(mark.utf8)) {
        bytes.replaceSubrange(range, with: Data(replacement.utf8))
      }
    }
    return Array(bytes)
  }

  private let daemon: DaemonProcess

  init() throws {
    daemon = try DaemonProcess()
  }

  /// The replies to pieces that are sent one after the other, each read before the next comes.
  private func replies(to pieces: [ArraySlice<UInt8>]) throws -> [JSON] {
    let client = try DaemonClient(daemon.socket)
    let other = try DaemonClient(daemon.socket)
    for piece in pieces where !piece.isEmpty {
      do {
        try client.send(Array(piece))
      } catch DaemonClient.Failure.ended {
        break
      }
      // The loop has turned, and read what was there.
      _ = try other.call("org.varlink.service.GetInfo")
    }
    try? client.endOutput()
    return try client.rest().map(\.json)
  }

  @Test(arguments: [
    ("a-two-in-one.bin", 2), ("b-crlf-and-blank.bin", 2), ("c-utf8-name.bin", 1),
    ("d-bad-utf8.bin", 0), ("e-not-json.bin", 0), ("f-no-newline-at-eof.bin", 0),
  ])
  func theAnswersDoNotDependOnHowTheBytesAreCut(file: String, count: Int) throws {
    let bytes = try Self.input(file)
    let whole = try replies(to: [bytes[...]])
    #expect(whole.count == count)
    for cut in 1..<bytes.count {
      #expect(try replies(to: [bytes[..<cut], bytes[cut...]]) == whole, "cut at \(cut)")
    }
    #expect(try replies(to: bytes.indices.map { bytes[$0...$0] }) == whole)
  }

  @Test func namesComeBackWhole() throws {
    let reply = try replies(to: [try Self.input("c-utf8-name.bin")[...]])
    #expect(reply.first?["parameters"] == ["interface": "Zürich-北-🧭"])
  }

  @Test func aHundredThousandBracketsEndTheirConnectionOnly() throws {
    #expect(try replies(to: [try Self.input("g-deep.bin")[...]]).isEmpty)
    let client = try DaemonClient(daemon.socket)
    #expect(try client.call("io.bearing.daemon.GetStatus").error == nil)
  }
}
