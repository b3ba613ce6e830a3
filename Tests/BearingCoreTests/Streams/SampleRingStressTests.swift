import BearingModel
import Foundation
import Glibc
import Locking
import Testing

@testable import BearingClient
@testable import BearingCore

/// A writer that never rests, and readers that it overtakes again and again.
@Suite struct SampleRingStressTests {
  /// What one reader saw.
  private struct Reading {
    var count = 0
    var lost = 0
    var isWhole = true
    var isInOrder = true
    var last = 0
  }

  @Test(arguments: [2, 8, 64]) func noReaderSeesHalfASampleOrCountsALossWrong(
    capacity: Int
  ) throws {
    let (ring, first) = try SampleRingTests.ring(capacity)
    let (total, readerCount) = (300_000, 3)
    let readings = Guarded([Reading]())
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<readerCount {
      Thread.detachNewThread { [mapping = first.mapping] in
        let reading = Self.read(mapping)
        readings.withValue { $0.append(reading) }
        done.signal()
      }
    }
    for sequence in 1...total {
      ring.add(SampleRingTests.sample(sequence), state: .live)
      // So that readers get to see some also where there are few processors.
      if sequence % 1024 == 0 {
        ring.wakeReaders(at: .now())
        sched_yield()
      }
    }
    ring.end(.stopped)
    for _ in 0..<readerCount { #expect(done.wait(timeout: .now() + 60) == .success) }
    for reading in readings.withValue({ $0 }) {
      #expect(reading.isWhole && reading.isInOrder, "\(reading)")
      #expect(reading.count + reading.lost == total, "\(reading)")
      #expect(reading.last == total && reading.count > 0, "\(reading)")
    }
  }

  /// Reads from the first sample until the end.
  private static func read(_ mapping: SampleRingMapping) -> Reading {
    var reader = SampleRingReader(mapping, after: 0)
    var reading = Reading()
    while true {
      let wakeUps = mapping.wakeUps
      let hasEnded = mapping.hasEnded
      let batch = reader.read(limit: 100)
      reading.lost += batch.lost
      for sample in batch.samples {
        if sample != SampleRingTests.sample(sample.sequence) { reading.isWhole = false }
        reading.count += 1
        if sample.sequence != reading.count + reading.lost { reading.isInOrder = false }
        reading.last = sample.sequence
      }
      if !batch.samples.isEmpty { continue }
      if hasEnded { return reading }
      mapping.wait(since: wakeUps)
    }
  }
}
