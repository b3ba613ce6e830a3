import BearingModel
import CLinux
import Foundation
import Glibc
import Testing
import Varlink

@testable import BearingClient
@testable import BearingCore

/// The daemon's writer of a ring and the client library's reader of it.
@Suite struct SampleRingTests {
  /// A sample in which everything follows from its sequence.
  static func sample(_ sequence: Int) -> AccelerationSample {
    AccelerationSample(
      sequence: sequence, bootTimestamp: 1000 * sequence, x: Double(sequence),
      y: -Double(sequence), z: Double(sequence) / 4)
  }

  /// Such a ring with a reader of it from its first sample.
  static func ring(_ capacity: Int) throws -> (SampleRing, SampleRingReader) {
    let ring = try SampleRing(generation: 1, capacity: capacity)
    return (ring, SampleRingReader(try SampleRingMapping(ring.reopened())))
  }

  @Test func theHeaderSaysWhatTheDocumentationSays() throws {
    let ring = try SampleRing(generation: 7)
    ring.note(state: .stale, rate: 1600.5)
    for sequence in 1...3 { ring.add(Self.sample(sequence), state: .live) }
    ring.wakeReaders(at: BootTime(nanoseconds: 1_000_000_000))
    ring.end(.sensorGone)
    var bytes = [UInt8](repeating: 0, count: SampleRing.standardSize + 1)
    let descriptor = try ring.reopened()
    #expect(pread(descriptor.number, &bytes, bytes.count, 0) == 4096 + 4096 * 64)
    func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
    #expect(bytes[0..<8] == Array("BRBRING1".utf8)[...])
    #expect([8, 12, 16, 20].map { number($0, UInt32.self) } == [1, 4096, 64, 4096])
    #expect(number(24, UInt64.self) == 7)
    #expect(Double(bitPattern: number(32, UInt64.self)) == 1600.5)
    #expect(number(40, UInt32.self) == 4)
    #expect(number(64, UInt64.self) == 3)
    #expect([72, 76].map { number($0, UInt32.self) } == [2, 2])
    let third = 4096 + 2 * 64
    #expect([0, 8].map { number(third + $0, Int64.self) } == [3, 3000])
    #expect(
      [16, 24, 32].map { Double(bitPattern: number(third + $0, UInt64.self)) } == [3, -3, 0.75])
    #expect(number(third + 40, UInt64.self) == 3)
    #expect(number(third + 48, UInt64.self) == 0 && number(third + 64, UInt64.self) == 0)
  }

  @Test func theDocumentationHasTheLayout() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "docs/ring.md"), encoding: .utf8)
    let rows = text.matches(of: #/(?m)^\| (\d+) \| [uif]\d\d \| (\w+) \|/#)
      .map { (name: String($0.output.2), byte: Int($0.output.1)) }
    let header: [(String, Int)] = [
      ("magic", RingLayout.magic), ("version", RingLayout.version),
      ("headerSize", RingLayout.headerSize), ("slotSize", RingLayout.slotSize),
      ("capacity", RingLayout.capacity), ("generation", RingLayout.generation),
      ("rate", RingLayout.rate), ("state", RingLayout.state), ("head", RingLayout.head),
      ("wakeUps", RingLayout.wakeUps), ("ended", RingLayout.ended),
    ]
    let slot = ["sequence", "bootTimestamp", "x", "y", "z", "state"].enumerated()
      .map { ($0.element, 8 * $0.offset) }
    #expect(rows.map(\.name) == (header + slot).map(\.0))
    #expect(rows.map(\.byte) == (header + slot).map(\.1))
    let states = RingLayout.states.enumerated().map { "\($0.offset) \($0.element.rawValue)" }
    #expect(text.contains(states.joined(separator: ", ")))
    for end in [RingEnd.replaced, .sensorGone, .stopped] {
      #expect(text.contains("\n| \(end.rawValue) | "))
    }
  }

  @Test func samplesAreReadOnceAndInOrder() throws {
    var (ring, reader) = try Self.ring(8)
    #expect(reader.read(limit: 10) == SampleRingReader.Batch())
    for sequence in 1...5 { ring.add(Self.sample(sequence), state: .live) }
    #expect(reader.read(limit: 2).samples == [1, 2].map(Self.sample))
    #expect(reader.read(limit: 10).samples == [3, 4, 5].map(Self.sample))
    #expect(reader.read(limit: 10).samples == [])
  }

  @Test(arguments: [0, 3, 7, 8, 9, 100, 1000]) func whatAReaderIsTooLateForIsCounted(
    written: Int
  ) throws {
    var (ring, reader) = try Self.ring(8)
    let before = 5
    for sequence in 1...before { ring.add(Self.sample(sequence), state: .live) }
    _ = reader.read(limit: 10)
    for sequence in before + 1..<before + 1 + written {
      ring.add(Self.sample(sequence), state: .live)
    }
    let batch = reader.read(limit: 100)
    // One slot of the eight is always the one that is written next.
    #expect(batch.samples.count == min(written, 7))
    #expect(batch.lost == max(0, written - 7))
    #expect(batch.samples.last.map(\.sequence) == (written == 0 ? nil : before + written))
    #expect(reader.read(limit: 100) == SampleRingReader.Batch())
  }

  @Test func aCopyThatWasOverwrittenMeanwhileIsKnownAsSuch() throws {
    let (ring, reader) = try Self.ring(4)
    for sequence in 1...4 { ring.add(Self.sample(sequence), state: .live) }
    // The first slot is the one that the fifth sample is written to, perhaps now.
    #expect(reader.mapping.head - 0 > reader.mapping.readable)
    #expect(reader.mapping.head - 1 <= reader.mapping.readable)
    #expect(reader.mapping.copy(1).sample == Self.sample(2))
    ring.add(Self.sample(5), state: .live)
    #expect(reader.mapping.head - 1 > reader.mapping.readable)
    #expect(reader.mapping.copy(0).sample == Self.sample(5))
  }

  @Test func aBatchHasOneState() throws {
    var (ring, reader) = try Self.ring(8)
    let states: [AccelerometerState] = [.live, .live, .stale, .live]
    for (index, state) in states.enumerated() { ring.add(Self.sample(index), state: state) }
    let batches = (0..<3).map { _ in reader.read(limit: 10) }
    #expect(batches.map(\.state) == [.live, .stale, .live])
    #expect(batches.map { $0.samples.map(\.sequence) } == [[0, 1], [2], [3]])
  }

  @Test(arguments: [(4, 0, [5, 6]), (6, 0, []), (2, 2, [5, 6]), (9, 0, [])])
  func aReaderGoesOnInAnotherRing(last: Int, lost: Int, sequences: [Int]) throws {
    let ring = try SampleRing(generation: 2, capacity: 8)
    for sequence in 5...6 { ring.add(Self.sample(sequence), state: .live) }
    var reader = SampleRingReader(try SampleRingMapping(ring.reopened()), after: last)
    let batch = reader.read(limit: 10)
    #expect(batch.samples.map(\.sequence) == sequences)
    #expect(batch.lost == lost)
  }

  @Test func aSensorThatCountsFromTheStartAgainIsReadOn() throws {
    let ring = try SampleRing(generation: 2, capacity: 8)
    var reader = SampleRingReader(try SampleRingMapping(ring.reopened()), after: 900)
    for sequence in 1...2 { ring.add(Self.sample(sequence), state: .live) }
    let batch = reader.read(limit: 10)
    #expect(batch.samples.map(\.sequence) == [1, 2] && batch.lost == 0)
  }

  @Test func readersAreWokenAtMostAHundredTimesASecond() throws {
    for rate in [10, 100, 150, 1000] {
      let (ring, reader) = try Self.ring(4096)
      var unseen = 0
      var mostUnseen = 0
      for number in 0..<10 * rate {
        let before = reader.mapping.wakeUps
        ring.add(Self.sample(number), state: .live)
        // The sensor's own jitter, up to a fifth of its period.
        let jitter = Int64(number * 7919 % 1000 * 200_000 / rate)
        ring.wakeReaders(
          at: BootTime(
            nanoseconds: 5_000_000_000 + Int64(number) * (1_000_000_000 / Int64(rate)) + jitter))
        unseen = reader.mapping.wakeUps == before ? unseen + 1 : 0
        mostUnseen = max(mostUnseen, unseen)
      }
      let wakeUps = Int(reader.mapping.wakeUps)
      #expect(wakeUps <= 1001)
      #expect(wakeUps >= min(10 * rate, 900), "\(rate) Hz: \(wakeUps)")
      // Up to a hundred hertz each sample is told at once; beyond, within two periods of a wake-up.
      #expect(mostUnseen <= (rate <= 100 ? 0 : rate / 50), "\(rate) Hz: \(mostUnseen)")
    }
  }

  @Test func aReaderDoesNotTakeWhatIsNoRing() throws {
    func isTaken(_ size: Int, sealed: Bool, _ magic: String = "BRBRING1") -> Bool {
      let number = clinux_memfd("test", true)
      var header = [UInt8](repeating: 0, count: 4096)
      header.replaceSubrange(0..<8, with: magic.utf8)
      for (offset, value) in [(8, 1), (12, 4096), (16, 64), (20, 4)] as [(Int, UInt32)] {
        withUnsafeBytes(of: value) { header.replaceSubrange(offset..<offset + 4, with: $0) }
      }
      _ = write(number, header, header.count)
      _ = ftruncate(number, off_t(size))
      if sealed { _ = clinux_seal_for_readers(number) }
      return (try? SampleRingMapping(Descriptor(adopting: number))) != nil
    }
    #expect(isTaken(4096 + 4 * 64, sealed: true))
    #expect(!isTaken(4096 + 4 * 64, sealed: false), "it could shrink, which would end the reader")
    #expect(!isTaken(4096 + 4 * 64 - 1, sealed: true), "shorter than it says")
    #expect(!isTaken(100, sealed: true))
    #expect(!isTaken(4096 + 4 * 64, sealed: true, "BRBRING2"))
  }
}
