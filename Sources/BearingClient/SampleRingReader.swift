internal import BearingModel

/// One reader's place in a ring: what it has read, and what it was too late for.
struct SampleRingReader {
  let mapping: SampleRingMapping
  /// The next sample to read, counted from the ring's first.
  private(set) var next: UInt64
  /// The sequence of the sample that was read last in another ring; nil once one is read in this.
  private var previous: Int?

  /// Samples of one state, oldest first.
  struct Batch: Equatable {
    var samples: [AccelerationSample] = []
    /// The sensor's state with them.
    var state = AccelerometerState.unknown
    /// Samples that were overwritten before they were read, just before these.
    var lost = 0
  }

  /// A reader of what is written from now on.
  init(_ mapping: SampleRingMapping) {
    self.mapping = mapping
    next = mapping.head
  }

  /// A reader that goes on behind the sample of a sequence, which the same sensor's last ring had.
  init(_ mapping: SampleRingMapping, after sequence: Int) {
    self.mapping = mapping
    previous = sequence
    let head = mapping.head
    next = head - min(head, mapping.readable)
    while next < head, mapping.copy(next).sample.sequence <= sequence { next += 1 }
  }

  /// Samples that are written and not read.
  var lag: UInt64 {
    let head = mapping.head
    return head > next ? head - next : 0
  }

  /// Reads what there is, at most `limit` samples.
  ///
  /// It ends early where samples are lost or the state is another: the next call goes on there.
  mutating func read(limit: Int) -> Batch {
    var batch = Batch()
    var head = mapping.head
    while batch.samples.count < limit, next < head {
      if head - next > mapping.readable {
        if !batch.samples.isEmpty { break }
        let oldest = head - mapping.readable
        batch.lost += Int(oldest - next)
        next = oldest
      }
      let slot = mapping.copy(next)
      head = mapping.head
      // Overwritten while it was copied?
      if head - next > mapping.readable { continue }
      if let previous {
        batch.lost = max(0, slot.sample.sequence - previous - 1)
        self.previous = nil
      }
      if batch.samples.isEmpty {
        batch.state = slot.state
      } else if slot.state != batch.state {
        break
      }
      batch.samples.append(slot.sample)
      next += 1
    }
    return batch
  }
}
