import BearingModel
import Testing

@testable import BearingCore

@Suite struct MailboxTests {
  private static func message(_ kind: StreamMessage.Kind, _ name: String) -> StreamMessage {
    var writer = JSONWriter()
    return StreamMessage(kind, tellsLoss: true, writer: &writer) { $0.member("n", name) }
  }

  /// What a reader gets of a mailbox: the names of the messages, with what was lost before each.
  private static func contents(_ mailbox: Mailbox) -> [String] {
    var mailbox = mailbox
    var contents: [String] = []
    while let (message, lost) = mailbox.first {
      let text = String(decoding: message.body, as: UTF8.self)
      let name = text.split(separator: "\"")[5]
      contents.append(lost == 0 ? String(name) : "\(lost) lost, \(name)")
      mailbox.removeFirst()
    }
    #expect(mailbox.byteCount == 0)
    if mailbox.lostAtEnd > 0 { contents.append("\(mailbox.lostAtEnd) lost") }
    return contents
  }

  /// Adds messages such as `e1` (event), `l2` (latest), `s3` (three samples); limit in messages.
  private static func contents(of names: String, limit: Int = 100) -> [String]? {
    var mailbox = Mailbox()
    let size = message(.event, "e1").body.count
    for name in names.split(separator: " ") {
      let kind: StreamMessage.Kind =
        switch name.first {
        case "e": .event
        case "l": .latest
        default: .samples(Int(name.dropFirst()) ?? 0)
        }
      if mailbox.add(message(kind, String(name)), limit: limit * size) == nil { return nil }
    }
    return contents(mailbox)
  }

  @Test(arguments: [
    ("l1 l2 l3", ["2 lost, l3"]),
    ("l1 e1 l2", ["1 lost, e1", "l2"]),
    ("e1 l1 l2 e2 l3 l4", ["e1", "2 lost, e2", "1 lost, l4"]),
    ("e1 e2 l1", ["e1", "e2", "l1"]),
    ("s3 s2 s1", ["s3", "s2", "s1"]),
  ])
  func aLossIsToldWhereItHappened(names: String, expected: [String]) {
    #expect(Self.contents(of: names) == expected)
  }

  @Test(arguments: [
    ("s3 s2 s4 s5", ["5 lost, s4", "s5"]),
    ("s3 e1 s4", ["3 lost, e1", "s4"]),
    ("e1 e2 s4 l1", ["e1", "e2", "5 lost"]),
    ("e1 s7 e2", ["e1", "7 lost, e2"]),
  ])
  func theOldestThatMayBeLostMakesRoom(names: String, expected: [String]) {
    #expect(Self.contents(of: names, limit: 2) == expected)
  }

  @Test func whatMayNotBeLostIsRefusedWhenThereIsNoRoom() {
    #expect(Self.contents(of: "e1 l1 e2", limit: 2) == ["e1", "1 lost, e2"])
    #expect(Self.contents(of: "e1 e2 e3", limit: 2) == nil)
  }

  /// Fixes such as `7`; `7e` is an event that holds one, `7!` is sent at once, and `-` sends the first
  /// that waits.
  @Test(
    arguments: [
      ("1 2 3", [1, 2]), ("1 2e 3", [1]), ("1 1 2", [1]), ("1 1", []),
      ("1! 1 2", []), ("1! 1 2 3", [2]), ("1 - 1 2", []), ("1 2 - 2 3 4", [1, 3]),
      ((1...20).map(String.init).joined(separator: " "), Array(4...19)),
    ] as [(String, [Int])])
  func theFixesThatWereLostAreRemembered(names: String, expected: [Int]) {
    var mailbox = Mailbox()
    var writer = JSONWriter()
    for name in names.split(separator: " ") {
      if name == "-" {
        mailbox.removeFirst()
        continue
      }
      let message = StreamMessage(
        name.hasSuffix("e") ? .event : .latest, tellsLoss: true,
        sequence: Int(name.prefix(while: \.isNumber)) ?? 0, writer: &writer
      ) { $0.member("n", 1) }
      if name.hasSuffix("!") {
        mailbox.wasSent(message)
      } else {
        _ = mailbox.add(message, limit: 10_000)
      }
    }
    #expect(mailbox.lostFixes == expected)
  }

  @Test func whatIsTakenBackIsLost() {
    var mailbox = Mailbox()
    mailbox.lose(2)
    for (kind, name) in [(StreamMessage.Kind.event, "e1"), (.samples(3), "s3"), (.latest, "l1")] {
      _ = mailbox.add(Self.message(kind, name), limit: 10_000)
    }
    #expect(mailbox.withdraw() == 4)
    #expect(mailbox.isEmpty && mailbox.byteCount == 0)
    #expect(mailbox.lostAtEnd == 6 && mailbox.unsettled == 6)
  }

  @Test(arguments: [true, false]) func aNumberOfBeforeIsThatOfAnotherFix(isWithdrawn: Bool) {
    var mailbox = Mailbox()
    var writer = JSONWriter()
    func fix(_ sequence: Int) -> StreamMessage {
      StreamMessage(.latest, tellsLoss: true, sequence: sequence, writer: &writer) {
        $0.member("n", 1)
      }
    }
    mailbox.wasSent(fix(7))
    for sequence in [8, 9] { _ = mailbox.add(fix(sequence), limit: 10_000) }
    #expect(mailbox.lostFixes == [8])
    if isWithdrawn { _ = mailbox.withdraw() } else { mailbox.beginNumbering() }
    #expect(mailbox.lostFixes == [])
    #expect(mailbox.isEmpty == isWithdrawn)
    // Neither is the 9 lost that waited, nor was the 7 sent.
    for sequence in [6, 7, 8] { _ = mailbox.add(fix(sequence), limit: 10_000) }
    #expect(mailbox.lostFixes == [6, 7])
  }

  @Test func whatIsLostForAMessageIsCounted() {
    var mailbox = Mailbox()
    let size = Self.message(.event, "e1").body.count
    #expect(mailbox.add(Self.message(.samples(3), "s3"), limit: size) == 0)
    #expect(mailbox.add(Self.message(.samples(4), "s4"), limit: size) == 3)
    #expect(mailbox.add(Self.message(.samples(5), "s5"), limit: size - 1) == 9)
    #expect(mailbox.isEmpty)
    #expect(mailbox.lostAtEnd == 12)
  }
}
