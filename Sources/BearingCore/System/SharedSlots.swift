internal import CLinux
internal import Glibc

/// Fixed-size slots in memory that outlives the process: a memfd that systemd keeps for the next one.
///
/// A process can be killed at any instruction. So a slot has two copies of what changes, and a word
/// that says which of them counts: it is written last, in one store.
@safe final class SharedSlots {
  /// What a slot holds that changes while it is used.
  struct Progress: BitwiseCopyable, Sendable, Equatable {
    /// Stream replies that the socket took.
    var delivered: Int64 = 0
    /// Stream replies that were lost, with those that wait and end with the process.
    var dropped: Int64 = 0
    /// Of those, the ones that the reader was not told of.
    var pending: Int64 = 0
    /// The sequence of what was delivered last; −1 when there is none.
    var cursor: Int64 = -1
  }

  /// What a stream remembers beyond that; flat.
  static var recordSize: Int { 128 }
  /// What is written once, when the slot is taken.
  static var fixedSize: Int { 1536 }

  private static let magic: UInt64 = 0x3254_4154_5342_5242  // "BRBSTAT2" in memory
  private static let headerSize = 64
  /// A copy: the progress, the length of what is remembered (UInt64, 0 for nothing), and that.
  private static let lengthStart = MemoryLayout<Progress>.size
  private static let recordStart = lengthStart + MemoryLayout<UInt64>.size
  private static let copySize = recordStart + recordSize
  private static let slotSize = 2048

  /// The memory, for systemd to keep.
  let descriptor: Int32
  /// How many slots there are.
  let count: Int
  private let base: UnsafeMutableRawPointer

  /// Fresh memory with that many slots, all free.
  init(count: Int) throws(SystemError) {
    let descriptor = unsafe clinux_memfd("bearingd-streams", false)
    guard descriptor >= 0 else { throw SystemError("make shared memory") }
    let size = Self.headerSize + count * Self.slotSize
    guard ftruncate(descriptor, off_t(size)) == 0, let base = unsafe Self.map(descriptor, size)
    else {
      let code = errno
      close(descriptor)
      throw SystemError("make shared memory of \(size) bytes", code: code)
    }
    self.descriptor = descriptor
    self.count = count
    unsafe self.base = base
    unsafe base.storeBytes(of: Self.magic, as: UInt64.self)
    unsafe base.storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
    unsafe base.storeBytes(of: UInt64(Self.slotSize), toByteOffset: 16, as: UInt64.self)
  }

  /// The memory of an earlier process; nil when it is not of this form, and the descriptor stays open.
  init?(adopting descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_size >= Self.headerSize,
      let base = unsafe Self.map(descriptor, Int(status.st_size))
    else { return nil }
    // By the size, since the number in the memory may be any.
    let count = (Int(status.st_size) - Self.headerSize) / Self.slotSize
    guard unsafe base.load(as: UInt64.self) == Self.magic,
      unsafe base.load(fromByteOffset: 16, as: UInt64.self) == UInt64(Self.slotSize),
      unsafe base.load(fromByteOffset: 8, as: UInt64.self) == UInt64(count),
      Int(status.st_size) == Self.headerSize + count * Self.slotSize
    else {
      unsafe munmap(base, Int(status.st_size))
      return nil
    }
    self.descriptor = descriptor
    self.count = count
    unsafe self.base = base
  }

  deinit {
    unsafe munmap(base, Self.headerSize + count * Self.slotSize)
    close(descriptor)
  }

  private static func map(_ descriptor: Int32, _ size: Int) -> UnsafeMutableRawPointer? {
    let address = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return unsafe address == MAP_FAILED ? nil : address
  }

  // MARK: Slots
  //
  // A slot: which copy counts (UInt32, 0 none), length of the fixed part (UInt32), the fixed part,
  // two copies.

  private static let fixedStart = 8
  private static let copiesStart = fixedStart + fixedSize

  private func address(_ slot: Int) -> UnsafeMutableRawPointer {
    unsafe base + Self.headerSize + slot * Self.slotSize
  }

  /// Takes a slot for what `fixed` says, which must be at most `fixedSize` long.
  func take(_ slot: Int, fixed: [UInt8]) {
    let start = unsafe address(slot)
    unsafe clinux_store_release(start, 0)
    let length = min(fixed.count, Self.fixedSize)
    unsafe start.storeBytes(of: UInt32(length), toByteOffset: 4, as: UInt32.self)
    unsafe (start + Self.fixedStart).copyMemory(from: fixed, byteCount: length)
  }

  /// Takes a slot for all that one of another memory has, in which nobody writes any more.
  func take(_ slot: Int, from other: SharedSlots, _ source: Int) {
    let start = unsafe address(slot)
    let original = unsafe other.address(source)
    let word = MemoryLayout<UInt32>.size
    unsafe clinux_store_release(start, 0)
    unsafe (start + word).copyMemory(from: original + word, byteCount: Self.slotSize - word)
    unsafe clinux_store_release(start, clinux_load_acquire(original))
  }

  /// Writes how far the slot's stream is, with what it remembers.
  func write<Record: BitwiseCopyable>(_ slot: Int, _ progress: Progress, record: Record) {
    let start = unsafe address(slot)
    let current = unsafe clinux_load_acquire(start)
    let next: UInt32 = current == 1 ? 2 : 1
    let copy = unsafe start + Self.copiesStart + Int(next - 1) * Self.copySize
    unsafe copy.storeBytes(of: progress, as: Progress.self)
    let length = MemoryLayout<Record>.size
    let isKept = length <= Self.recordSize
    unsafe copy.storeBytes(
      of: isKept ? UInt64(length) : 0, toByteOffset: Self.lengthStart, as: UInt64.self)
    if isKept {
      unsafe (copy + Self.recordStart).storeBytes(of: record, as: Record.self)
    }
    unsafe clinux_store_release(start, next)
  }

  /// Writes how far the slot's stream is; what it remembers stays.
  func write(_ slot: Int, _ progress: Progress) {
    let start = unsafe address(slot)
    let current = unsafe clinux_load_acquire(start)
    let next: UInt32 = current == 1 ? 2 : 1
    let copies = unsafe start + Self.copiesStart
    let copy = unsafe copies + Int(next - 1) * Self.copySize
    if current != 0 {
      unsafe copy.copyMemory(
        from: copies + Int(current - 1) * Self.copySize, byteCount: Self.copySize)
    } else {
      // Nothing yet, whatever the slot's stream before this one remembered.
      unsafe copy.storeBytes(of: 0, toByteOffset: Self.lengthStart, as: UInt64.self)
    }
    unsafe copy.storeBytes(of: progress, as: Progress.self)
    unsafe clinux_store_release(start, next)
  }

  /// Frees a slot.
  func free(_ slot: Int) {
    unsafe clinux_store_release(address(slot), 0)
  }

  /// The fixed part and the progress of a slot that is in use; nil when it is free.
  func read(_ slot: Int) -> (fixed: [UInt8], progress: Progress)? {
    let start = unsafe address(slot)
    guard let copy = unsafe current(start) else { return nil }
    let length = min(Int(unsafe start.load(fromByteOffset: 4, as: UInt32.self)), Self.fixedSize)
    let fixed = unsafe UnsafeRawBufferPointer(start: start + Self.fixedStart, count: length)
    return (unsafe Array(fixed), unsafe copy.loadUnaligned(as: Progress.self))
  }

  /// What the stream of a slot remembers, which its writer must have written as a `Record`; nil when
  /// it has written nothing, or something of another length.
  func record<Record: BitwiseCopyable>(_ slot: Int, as type: Record.Type) -> Record? {
    guard let copy = unsafe current(address(slot)),
      unsafe copy.loadUnaligned(fromByteOffset: Self.lengthStart, as: UInt64.self)
        == UInt64(MemoryLayout<Record>.size)
    else { return nil }
    return unsafe (copy + Self.recordStart).loadUnaligned(as: Record.self)
  }

  private func current(_ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let current = unsafe clinux_load_acquire(start)
    guard current == 1 || current == 2 else { return nil }
    return unsafe start + Self.copiesStart + Int(current - 1) * Self.copySize
  }
}
