// The only file of this library with unsafe code: memory that the daemon writes.
internal import BearingModel
internal import CLinux
internal import Glibc
internal import Varlink

/// A sensor's ring, mapped to be read: docs/ring.md says what stands where and in which order.
@safe final class SampleRingMapping: Sendable {
  /// Samples that can be read at once: one slot less than there are, which is being written.
  let readable: UInt64

  /// Where it is mapped; a number, since a pointer cannot go to the thread that waits.
  private let address: UInt
  private let size: Int
  private let firstSlot: Int
  private let slotSize: Int

  /// Maps the memory behind a descriptor.
  ///
  /// - Throws: `invalidReply` when it is no ring that this version can read.
  init(_ descriptor: Descriptor) throws(BearingError) {
    var status = stat()
    // Memory that can shrink would end this process at the next read.
    guard unsafe fstat(descriptor.number, &status) == 0,
      status.st_size >= RingLayout.standardHeaderSize,
      clinux_cannot_shrink(descriptor.number)
    else { throw .invalidReply("the ring is no sealed memory") }
    size = Int(status.st_size)
    guard let base = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor.number, 0),
      unsafe base != MAP_FAILED
    else {
      throw .invalidReply("the ring's \(size) bytes cannot be mapped: errno \(errno)")
    }
    address = UInt(bitPattern: base)
    func number(at offset: Int) -> Int { Int(unsafe clinux_load_acquire(base + offset)) }
    firstSlot = number(at: RingLayout.headerSize)
    slotSize = number(at: RingLayout.slotSize)
    let capacity = number(at: RingLayout.capacity)
    readable = UInt64(max(capacity, 1) - 1)
    guard unsafe clinux_load_acquire_64(base + RingLayout.magic) == RingLayout.magicNumber,
      number(at: RingLayout.version) == Int(RingLayout.versionNumber),
      firstSlot >= RingLayout.standardHeaderSize, firstSlot % MemoryLayout<UInt64>.size == 0,
      slotSize >= Self.slotBytes, slotSize % MemoryLayout<UInt64>.size == 0,
      capacity > 1, capacity & (capacity - 1) == 0, firstSlot + capacity * slotSize <= size
    else { throw .invalidReply("the ring is of a layout that this version does not know") }
  }

  deinit {
    unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), size)
  }

  private static let slotBytes = MemoryLayout<InlineArray<6, UInt64>>.size

  // MARK: The header

  /// Samples written so far. What it counts can be read; what is read before is no newer than it.
  var head: UInt64 { unsafe clinux_load_acquire_64(place(RingLayout.head)) }
  /// A number that changes with each wake-up.
  var wakeUps: UInt32 { unsafe clinux_load_acquire(place(RingLayout.wakeUps)) }
  /// Whether nothing is written any more.
  var hasEnded: Bool { unsafe clinux_load_acquire(place(RingLayout.ended)) != 0 }

  /// The sensor's state now.
  var state: AccelerometerState {
    AccelerometerState(
      ringNumber: UInt64(unsafe clinux_load_acquire(place(RingLayout.state))))
  }

  /// Hertz at which the sensor runs now; nil while that is not known.
  var rate: Double? {
    let rate = Double(
      bitPattern: unsafe clinux_load_acquire_64(place(RingLayout.rate)))
    return rate > 0 ? rate : nil
  }

  // MARK: Samples

  /// Copies the slot of the `index`th sample. It is that sample, and whole, if `head` is at most
  /// `readable` beyond `index` after the copy.
  func copy(_ index: UInt64) -> RingSlot {
    let slot = Int(index & readable)
    var words = InlineArray<6, UInt64>(repeating: 0)
    let shared = unsafe place(firstSlot + slot * slotSize)
    var span = words.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer {
      unsafe clinux_load_words($0.baseAddress, shared, $0.count)
    }
    return RingSlot(words: words)
  }

  /// Blocks this thread while no wake-up has come since `wakeUps` was read, a second at most.
  func wait(since wakeUps: UInt32) {
    unsafe clinux_futex_wait(place(RingLayout.wakeUps), wakeUps, Self.longestWait)
  }

  /// Nanoseconds without a sample after which a reader looks whether the daemon is still there.
  private static let longestWait: Int64 = 1_000_000_000

  private func place(_ offset: Int) -> UnsafeRawPointer? {
    unsafe UnsafeRawPointer(bitPattern: address + UInt(offset))
  }
}
