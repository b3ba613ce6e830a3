import Foundation
import Testing

@testable import Varlink

/// Byte sequences that broke servers elsewhere: joined and split messages, blank ones, garbage,
/// invalid UTF-8, a missing end, 100 000 brackets.
@Suite("What a client gets for awkward bytes")
struct FramingCaseTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures/framing")

  static let request = #"{"method":"org.varlink.service.GetInfo"}"#

  /// A file's bytes as this protocol has them: requests for the marks, a NUL for a line's end.
  static func input(_ name: String) throws -> [UInt8] {
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

  struct Outcome: Equatable {
    var replies: [JSON] = []
    var reason: DisconnectReason?
  }

  /// Everything a service does about some pieces and the end after them.
  static func outcome(of pieces: [ArraySlice<UInt8>]) throws -> Outcome {
    var connection = ServiceConnection(service: try ServiceRoutingTests.service())
    var outcome = Outcome()
    func step() throws {
      while true {
        switch connection.next() {
        case .send(let message): outcome.replies.append(try JSON(parsing: message.dropLast()))
        case .disconnect(let reason):
          outcome.reason = reason
          return
        case .idle: return
        case .call(let call):
          outcome.replies.append(["called": .string(call.method), "with": call.parameters])
          connection.finishedCall()
        }
      }
    }
    for piece in pieces {
      connection.receive(piece.span)
      try step()
    }
    connection.receiveEnd()
    try step()
    return outcome
  }

  @Test(
    arguments: [
      ("a-two-in-one.bin", 2, .finished),
      ("b-crlf-and-blank.bin", 2, .finished),
      ("c-utf8-name.bin", 1, .finished),
      ("d-bad-utf8.bin", 0, .invalidJSON(.init(reason: .unexpectedByte(0xFF), offset: 0))),
      ("e-not-json.bin", 0, .invalidJSON(.init(reason: .unexpectedByte(0x47), offset: 0))),
      ("f-no-newline-at-eof.bin", 0, .incompleteMessage),
    ] as [(String, Int, DisconnectReason)])
  func doesNotDependOnHowTheyAreCut(
    file: String, replies: Int, reason: DisconnectReason
  ) throws {
    let bytes = try Self.input(file)
    let whole = try Self.outcome(of: [bytes[...]])
    #expect(whole.replies.count == replies)
    #expect(whole.reason == reason)
    #expect(try Self.outcome(of: bytes.indices.map { bytes[$0...$0] }) == whole)
    for cut in 0...bytes.count {
      #expect(try Self.outcome(of: [bytes[..<cut], bytes[cut...]]) == whole, "cut at \(cut)")
    }
  }

  @Test func namesComeBackWhole() throws {
    let outcome = try Self.outcome(of: [try Self.input("c-utf8-name.bin")[...]])
    #expect(
      outcome.replies == [
        [
          "error": "org.varlink.service.InterfaceNotFound",
          "parameters": ["interface": "Zürich-北-🧭"],
        ]
      ])
  }

  /// What `Tests/Fuzz` found worth keeping.
  @Test(
    arguments: try FileManager.default.contentsOfDirectory(
      at: folder.appending(path: "../fuzz/requests"), includingPropertiesForKeys: nil))
  func doesNotDependOnHowFuzzedOnesAreCutEither(file: URL) throws {
    let bytes = Array(try Data(contentsOf: file))
    let whole = try Self.outcome(of: [bytes[...]])
    #expect(whole.reason != nil)
    #expect(try Self.outcome(of: bytes.indices.map { bytes[$0...$0] }) == whole)
    for cut in 0...bytes.count {
      #expect(try Self.outcome(of: [bytes[..<cut], bytes[cut...]]) == whole, "cut at \(cut)")
    }
  }

  @Test func anEndlessMessageOrOneTooDeepEndsTheConnection() throws {
    let deep = try Self.input("g-deep.bin")
    #expect(
      try Self.outcome(of: [deep[...]])
        == Outcome(reason: .messageTooLong(limit: MessageFramer.requestLimit)))
    let within = deep.prefix(60_000) + [0]
    #expect(
      try Self.outcome(of: [within])
        == Outcome(reason: .invalidJSON(.init(reason: .tooDeep(limit: 32), offset: 32))))
    let endless = [UInt8](repeating: 0x41, count: 64 * 1024)
    #expect(
      try Self.outcome(of: Array(repeating: endless[...], count: 16))
        == Outcome(reason: .messageTooLong(limit: MessageFramer.requestLimit)))
  }
}
