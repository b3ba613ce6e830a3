internal import BearingModel
internal import Varlink

/// One sensor's samples in memory that any number of clients read: each is written once.
///
/// Its layout and its order of writing are what docs/ring.md promises.
final class SampleRing {
  /// Samples that it holds: 4 s of the fastest sensor (1 kHz), one less being readable.
  static let standardCapacity = 4096
  /// Bytes of a ring of that capacity.
  static let standardSize = size(of: standardCapacity)
  /// Nanoseconds from one wake-up of the readers to the next, in the long run.
  static let wakePeriod = 10 * Nanoseconds.millisecond
  /// A wake-up may come so much too early, for the jitter of sensors at the same rate.
  static let wakeTolerance = wakePeriod / 2

  private let memory: RingMemory
  private let capacity: Int
  private var head: UInt64 = 0
  private var wakeUps: UInt32 = 0
  private var hasNews = false
  /// When the next wake-up would come if they all came in their period.
  private var nextWake = BootTime(nanoseconds: 0)

  /// An empty ring, the `generation`th of its sensor, that holds a power of two of samples.
  init(generation: Int, capacity: Int = standardCapacity) throws(SystemError) {
    self.capacity = capacity
    memory = try RingMemory(size: Self.size(of: capacity))
    memory.store(RingLayout.magicNumber, at: RingLayout.magic)
    memory.store(RingLayout.versionNumber, at: RingLayout.version)
    memory.store(UInt32(RingLayout.standardHeaderSize), at: RingLayout.headerSize)
    memory.store(UInt32(RingLayout.standardSlotSize), at: RingLayout.slotSize)
    memory.store(UInt32(capacity), at: RingLayout.capacity)
    memory.store(UInt64(generation), at: RingLayout.generation)
  }

  private static func size(of capacity: Int) -> Int {
    RingLayout.standardHeaderSize + capacity * RingLayout.standardSlotSize
  }

  /// A descriptor that can only be read, for one reader.
  func reopened() throws(SystemError) -> Descriptor { try memory.reopened() }

  /// Says what the sensor does now; `rate` is hertz, nil while unknown.
  func note(state: AccelerometerState, rate: Double?) {
    memory.store((rate ?? 0).bitPattern, at: RingLayout.rate)
    memory.store(state.ringNumber, at: RingLayout.state)
    hasNews = true
  }

  /// Writes a sample in place of the oldest.
  func add(_ sample: AccelerationSample, state: AccelerometerState) {
    let place = Int(head & UInt64(capacity - 1))
    // After the head that was stored before: a reader who sees any of it sees that this slot is over.
    memory.store(
      RingSlot(sample: sample, state: state).words,
      at: RingLayout.standardHeaderSize + place * RingLayout.standardSlotSize)
    head += 1
    memory.store(head, at: RingLayout.head)
    hasNews = true
  }

  /// Wakes the readers if there is news, unless they were woken so lately that it can wait.
  func wakeReaders(at now: BootTime) {
    guard hasNews, nextWake - now <= Self.wakeTolerance else { return }
    nextWake = max(nextWake, now) + Self.wakePeriod
    wake()
  }

  /// Ends it: nothing is written any more.
  func end(_ reason: RingEnd) {
    memory.store(reason.rawValue, at: RingLayout.ended)
    wake()
  }

  private func wake() {
    hasNews = false
    wakeUps &+= 1
    memory.store(wakeUps, at: RingLayout.wakeUps)
    memory.wake(at: RingLayout.wakeUps)
  }
}
