internal import CLinux
internal import Glibc
internal import Varlink

/// Memory that this process alone can write and that others read, as far as they are given it.
///
/// It is a memfd that nobody can resize and, this process' own mapping apart, nobody can write: not
/// even its owner or root, once it is sealed.
@safe final class RingMemory {
  /// For its owner, and no more: a reader gets a descriptor, and cannot open the memory by its path.
  private static let mode: mode_t = 0o400

  private let descriptor: Int32
  private let size: Int
  private let base: UnsafeMutableRawPointer

  /// Fresh memory of that many bytes, all 0.
  init(size: Int) throws(SystemError) {
    let descriptor = unsafe clinux_memfd("bearingd-ring", true)
    guard descriptor >= 0 else { throw SystemError("make shared memory") }
    // The mapping comes first: the seal forbids all that come later to write.
    let address = unsafe Self.map(descriptor, size)
    guard let base = unsafe address, fchmod(descriptor, Self.mode) == 0,
      clinux_seal_for_readers(descriptor) == 0
    else {
      let code = errno
      if let address = unsafe address { unsafe munmap(address, size) }
      close(descriptor)
      throw SystemError("make and seal shared memory of \(size) bytes", code: code)
    }
    self.descriptor = descriptor
    self.size = size
    unsafe self.base = base
  }

  deinit {
    unsafe munmap(base, size)
    close(descriptor)
  }

  private static func map(_ descriptor: Int32, _ size: Int) -> UnsafeMutableRawPointer? {
    guard ftruncate(descriptor, off_t(size)) == 0 else { return nil }
    let address = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return unsafe address == MAP_FAILED ? nil : address
  }

  /// A descriptor that can only be read, for one reader.
  func reopened() throws(SystemError) -> Descriptor {
    let path = "/proc/self/fd/\(descriptor)"
    let reader = unsafe clinux_open(path, O_RDONLY, 0)
    guard reader >= 0 else { throw SystemError("open shared memory for a reader, by \(path)") }
    return Descriptor(adopting: reader)
  }

  /// Stores a word: who sees it sees all that was stored before.
  func store(_ value: UInt64, at offset: Int) {
    unsafe clinux_store_release_64(address(offset, of: UInt64.self), value)
  }

  /// Stores half a word, as `store` of a whole one.
  func store(_ value: UInt32, at offset: Int) {
    unsafe clinux_store_release(address(offset, of: UInt32.self), value)
  }

  /// Stores words, each whole: who sees one of them sees all that was stored before them.
  func store(_ words: InlineArray<6, UInt64>, at offset: Int) {
    let place = unsafe address(offset, of: UInt64.self, count: words.count)
    unsafe words.span.withUnsafeBufferPointer {
      unsafe clinux_store_words(place, $0.baseAddress, $0.count)
    }
  }

  /// Wakes everybody, in every process, who waits for the half word at `offset`.
  func wake(at offset: Int) {
    unsafe clinux_futex_wake(address(offset, of: UInt32.self))
  }

  private func address<Word>(
    _ offset: Int, of type: Word.Type, count: Int = 1
  ) -> UnsafeMutableRawPointer {
    let end = offset + count * MemoryLayout<Word>.size
    precondition(offset >= 0 && end <= size && offset % MemoryLayout<Word>.size == 0)
    return unsafe base + offset
  }
}
