import Glibc
import Testing

@testable import BearingCore

@Suite struct SharedSlotsTests {
  private struct Record: BitwiseCopyable, Equatable {
    var number: Int64
    var fraction: Double
  }

  private let slots: SharedSlots

  init() throws {
    slots = try SharedSlots(count: 4)
  }

  /// What another process would see.
  private func another() throws -> SharedSlots {
    try #require(SharedSlots(adopting: dup(slots.descriptor)))
  }

  @Test func whatIsWrittenIsReadByWhoAdoptsTheMemory() throws {
    let progress = SharedSlots.Progress(delivered: 7, dropped: 2, pending: 1, cursor: 41)
    slots.take(2, fixed: Array("call".utf8))
    slots.write(2, progress, record: Record(number: -5, fraction: 0.25))
    let other = try another()
    #expect(other.count == 4)
    let read = try #require(other.read(2))
    #expect(read.fixed == Array("call".utf8) && read.progress == progress)
    #expect(other.record(2, as: Record.self) == Record(number: -5, fraction: 0.25))
    #expect(other.read(1) == nil)
  }

  @Test func aSlotThatWasTakenAndNotWrittenIsFree() throws {
    slots.take(0, fixed: Array("call".utf8))
    #expect(try another().read(0) == nil)
  }

  @Test func progressAloneKeepsTheRecord() throws {
    slots.take(0, fixed: [1])
    slots.write(0, SharedSlots.Progress(), record: Record(number: 9, fraction: 1))
    for delivered in 1...5 {
      slots.write(0, SharedSlots.Progress(delivered: Int64(delivered)))
      #expect(try another().record(0, as: Record.self) == Record(number: 9, fraction: 1))
      #expect(try another().read(0)?.progress.delivered == Int64(delivered))
    }
  }

  @Test func aSlotDoesNotRememberWhatItsStreamHasNotWritten() throws {
    slots.take(0, fixed: [1])
    slots.write(0, SharedSlots.Progress())
    #expect(try another().record(0, as: Record.self) == nil)
    for delivered in 1...2 {
      slots.write(
        0, SharedSlots.Progress(delivered: Int64(delivered)), record: Record(number: 9, fraction: 1)
      )
    }
    slots.free(0)
    // Another stream has it now.
    slots.take(0, fixed: [2])
    for delivered in 1...3 {
      slots.write(0, SharedSlots.Progress(delivered: Int64(delivered)))
      #expect(try another().record(0, as: Record.self) == nil)
    }
    slots.write(0, SharedSlots.Progress(), record: Int64(5))
    #expect(try another().record(0, as: Record.self) == nil)
    #expect(try another().record(0, as: Int64.self) == 5)
  }

  @Test(arguments: [1, 2]) func aSlotIsTakenOverWhole(writes: Int) throws {
    let record = Record(number: 9, fraction: 1)
    let progress = SharedSlots.Progress(delivered: 7, dropped: 2, pending: 1, cursor: 41)
    slots.take(2, fixed: Array("call".utf8))
    for _ in 0..<writes { slots.write(2, progress, record: record) }
    let new = try SharedSlots(count: 2)
    new.take(1, from: slots, 2)
    let read = try #require(new.read(1))
    #expect(read.fixed == Array("call".utf8) && read.progress == progress)
    #expect(new.record(1, as: Record.self) == record)
    new.write(1, SharedSlots.Progress(delivered: 8))
    #expect(new.read(1)?.progress.delivered == 8)
    #expect(new.record(1, as: Record.self) == record)
    #expect(new.read(0) == nil)
  }

  @Test func aFreedSlotIsFree() throws {
    slots.take(3, fixed: [1])
    slots.write(3, SharedSlots.Progress())
    slots.free(3)
    #expect(try another().read(3) == nil)
  }

  @Test func memoryOfAnotherFormIsNotAdopted() throws {
    let descriptor = memfd(bytes: Array(repeating: 0x5a, count: 4096))
    #expect(SharedSlots(adopting: descriptor) == nil)
    let short = memfd(bytes: [1, 2, 3])
    #expect(SharedSlots(adopting: short) == nil)
    close(descriptor)
    close(short)
  }

  @Test(arguments: [0, 3, 5, 1 << 53, 1 << 63, .max] as [UInt64])
  func memoryWhoseCountIsNotItsSizeIsNotAdopted(count: UInt64) throws {
    let descriptor = dup(slots.descriptor)
    defer { close(descriptor) }
    #expect(withUnsafeBytes(of: count) { pwrite(descriptor, $0.baseAddress, $0.count, 8) } == 8)
    #expect(SharedSlots(adopting: descriptor) == nil)
  }

  @Test func memoryOfAnotherFormIsClosed() throws {
    let kept = memfd(bytes: Array(repeating: 0x5a, count: 4096))
    defer { close(kept) }
    let passed = dup(kept)
    let (previous, listeners) = Handover.sort([.init(number: passed, name: "streams-1")])
    #expect(previous.streams.isEmpty && listeners.isEmpty)
    // The number may be another file's by now.
    #expect(try inode(kept) != nil)
    #expect(try inode(passed) != inode(kept))
  }

  private func inode(_ descriptor: Int32) throws -> UInt? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_ino : nil
  }

  private func memfd(bytes: [UInt8]) -> Int32 {
    var template = Array("/tmp/bearing-slots.XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    unlink(template)
    _ = write(descriptor, bytes, bytes.count)
    return descriptor
  }
}
