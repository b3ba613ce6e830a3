import Testing

@testable import BearingCore

@Suite struct IIOScanTests {
  @Test("A recorded buffer has exactly its values", arguments: IIOBufferFixtures.recordings)
  func recordings(recording: IIOBufferFixtures.Recording) throws {
    let layout = try IIOScanLayout(recording.elements)
    #expect(layout.size == recording.size)
    let bytes = try recording.bytes()
    let scans = try recording.scans()
    #expect(bytes.count / layout.size == scans.count && !scans.isEmpty)
    for (index, scan) in scans.enumerated() {
      let start = index * layout.size
      let raw = layout.raw(in: bytes, at: start)
      #expect([raw.0, raw.1, raw.2] == scan.raw)
      #expect(layout.timestamp?.value(in: bytes, at: start) == scan.stamp)
    }
  }

  @Test func allRecordingsAreThere() {
    #expect(IIOBufferFixtures.recordings.count == 9)
  }

  @Test(
    "An element has the value of its bits",
    arguments: [
      ("le:s12/16>>4", 0xFFFA, -1), ("le:s12/16>>4", 0x800F, -2048), ("le:s12/16>>4", 0x7FFF, 2047),
      ("le:u12/16>>4", 0xFFFA, 4095), ("le:s13/16>>0", 0xFFF3, -13),
      // The bits above are not part of it.
      ("le:s16/32>>0", 0xABCD_FFFF, -1), ("le:s8/32>>8", 0x12_80FF, -128),
      ("le:s16/32>>16", 0x8000_0000, -32768), ("le:u24/32>>8", 0xFFFF_FF00, 0xFF_FFFF),
      ("be:s64/64>>0", UInt64.max, -1), ("le:s63/64>>1", UInt64.max, -1),
      ("le:u63/64>>1", UInt64.max, Int64.max), ("le:s1/8>>7", 0x80, -1), ("le:u1/8>>7", 0x80, 1),
      ("le:s64/64>>0", 0x8000_0000_0000_0000, Int64.min),
    ] as [(String, UInt64, Int64)])
  func elements(type: String, element: UInt64, expected: Int64) throws {
    #expect(try IIOScanType(parsing: type.utf8).value(inElement: element) == expected)
  }

  @Test(
    "Channels follow each other by index, each at a multiple of its size, the time last",
    arguments: [
      (
        [("x", 0, "le:s16/16>>0"), ("y", 1, "le:s16/16>>0"), ("z", 2, "le:s16/16>>0")], [0, 2, 4],
        6, 8, 16
      ),
      (
        [("z", 0, "le:s8/8>>0"), ("y", 5, "le:s8/8>>0"), ("x", 9, "le:s32/32>>0")], [4, 1, 0], 8, 8,
        16
      ),
      (
        [("x", 0, "le:s8/8>>0"), ("y", 1, "le:s16/16>>0"), ("z", 2, "le:s64/64>>0")], [0, 2, 8], 16,
        16, 24
      ),
      // A repeated channel is as large as its elements are together.
      (
        [("x", 0, "le:s16/16>>0"), ("y", 1, "le:s32/32X4>>0"), ("z", 2, "le:s16/16>>0")],
        [0, 16, 32], 48, 40, 48
      ),
      (
        [("x", 1, "le:s16/16X2>>0"), ("y", 2, "le:s8/8>>0"), ("z", 3, "be:s24/32>>8")], [0, 4, 8],
        12, 16, 24
      ),
    ] as [([(String, Int, String)], [Int], Int, Int, Int)])
  func places(
    channels: [(String, Int, String)], offsets: [Int], size: Int, timeOffset: Int, timedSize: Int
  ) throws {
    let elements = try channels.map { name, index, type in
      IIOScanElement(
        name: "in_accel_\(name)", index: index, type: try IIOScanType(parsing: type.utf8))
    }
    let layout = try IIOScanLayout(elements.reversed())
    #expect([layout.x.offset, layout.y.offset, layout.z.offset] == offsets)
    #expect(layout.size == size && layout.timestamp == nil)
    // With a timestamp, whatever its index: behind the others, and the scan a multiple of 8.
    let time = IIOScanElement(
      name: "in_timestamp", index: -1, type: try IIOScanType(parsing: "le:s64/64>>0".utf8))
    let timed = try IIOScanLayout([time] + elements)
    #expect(timed.timestamp?.offset == timeOffset && timed.size == timedSize)
    #expect([timed.x.offset, timed.y.offset, timed.z.offset] == offsets)
  }

  @Test("The first of a repeated channel's elements counts")
  func repeated() throws {
    let elements = try IIOScanElement.axes("be:s16/16X2>>0", withTime: false)
    let layout = try IIOScanLayout(elements)
    let bytes: [UInt8] = [0xFF, 0, 0xFE, 1, 2, 3, 0x12, 4, 5, 0x86, 0x13, 7, 8]
    let raw = layout.raw(in: bytes, at: 1)
    #expect([raw.0, raw.1, raw.2] == [0x00FE, 0x0312, Int64(0x8613) - 0x10000])
    #expect(layout.size == 12)
  }

  @Test("A buffer without one of the axes is of no use")
  func missingAxis() throws {
    let elements = try IIOScanElement.axes("le:s16/16>>0").filter { $0.name != "in_accel_y" }
    #expect(throws: TextProblem("the buffer does not give all three axes")) {
      try IIOScanLayout(elements)
    }
  }
}
