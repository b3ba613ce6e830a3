import Testing

@testable import Varlink

@Suite("Cutting bytes into messages")
struct MessageFramerTests {
  /// All messages of some pieces, and whether one was too long after them.
  static func messages(
    of pieces: [ArraySlice<UInt8>], limit: Int = MessageFramer.requestLimit
  ) -> (messages: [[UInt8]], isTooLong: Bool) {
    var framer = MessageFramer(limit: limit)
    var messages: [[UInt8]] = []
    do {
      for piece in pieces {
        framer.append(piece.span)
        while let message = try framer.next() { messages.append(message) }
      }
    } catch {
      return (messages, true)
    }
    return (messages, false)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5, 6])
  func givesTheSameForEveryCutInTwoOrThreeAndIntoSingleBytes(seed: Int) {
    let texts: [[UInt8]] = [
      [], [0], [0, 0, 0], Array("ab\0c\0".utf8), Array("a\0\0bcdef\0g".utf8),
      Array("abcdefgh\0i\0".utf8), Array("ab\0abcdefg".utf8),
    ]
    let bytes = texts[seed]
    let limit = 6
    let whole = Self.messages(of: [bytes[...]], limit: limit)
    let single = Self.messages(of: bytes.indices.map { bytes[$0...$0] }, limit: limit)
    #expect(single == whole)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
        #expect(Self.messages(of: pieces, limit: limit) == whole)
      }
    }
  }

  @Test func acceptsTheLimitAndRefusesOneMore() {
    let longest = [UInt8](repeating: 0x41, count: 100)
    #expect(Self.messages(of: [(longest + [0])[...]], limit: 100) == ([longest], false))
    #expect(Self.messages(of: [(longest + [0x41, 0])[...]], limit: 100) == ([], true))
    // The end of it need not come.
    #expect(Self.messages(of: [(longest + [0x41])[...]], limit: 100) == ([], true))
  }

  @Test func handsOutWhatCameBeforeAMessageThatIsTooLong() {
    let bytes = Array("first\0second\0".utf8) + [UInt8](repeating: 0x41, count: 200)
    let (messages, isTooLong) = Self.messages(of: [bytes[...]], limit: 100)
    #expect(messages == [Array("first".utf8), Array("second".utf8)])
    #expect(isTooLong)
  }

  @Test func keepsNoMoreThanTheLimitOfAnEndlessMessage() {
    var framer = MessageFramer(limit: 1000)
    let piece = [UInt8](repeating: 0x41, count: 64 * 1024)
    for _ in 0..<16 { framer.append(piece.span) }
    #expect(framer.bufferedCount == 1001)
    #expect(throws: MessageFramer.TooLong(limit: 1000)) { try framer.next() }
    #expect(throws: MessageFramer.TooLong(limit: 1000)) { try framer.next() }
  }

  @Test func tellsWhetherAMessageHasBegun() throws {
    var framer = MessageFramer()
    #expect(!framer.hasPartial)
    framer.append([0x41, 0x42].span)
    #expect(framer.hasPartial)
    #expect(try framer.next() == nil)
    framer.append([0, 0x43, 0].span)
    #expect(!framer.hasPartial)
    #expect(framer.completedCount == 2)
    #expect(try framer.next() == [0x41, 0x42])
    #expect(framer.bufferedCount == 2)
    #expect(try framer.next() == [0x43])
    #expect(framer.bufferedCount == 0)
  }
}
