import Foundation
import Preferences
import Testing

struct LayeredStorageTests {
  private let forced = MemoryStorage()
  private let user = MemoryStorage()
  private let machine = MemoryStorage()
  private let defaults = MemoryStorage()
  private let layered: LayeredStorage

  init() {
    layered = LayeredStorage(forced: forced, user: user, machine: machine, defaults: defaults)
  }

  private var interval: KeyValueContainer<Int> { layered.makeContainer(default: 1) }

  @Test("the strongest layer that has a value gives it")
  func order() throws {
    #expect(try interval.read() == 1)
    #expect(try layered.layer(of: "interval") == nil)
    for (storage, value, layer) in [
      (defaults, 2, .defaults), (machine, 3, .machine), (user, 4, .user), (forced, 5, .forced),
    ] as [(MemoryStorage, Int, LayeredStorage.Layer)] {
      try storage.setValue(value, forKey: "interval")
      #expect(try interval.read() == value)
      #expect(try layered.layer(of: "interval") == layer)
    }
  }

  @Test("a value is written to and reset in the user's layer alone")
  func write() throws {
    try machine.setValue(3, forKey: "interval")
    try interval.write(4)
    #expect(try user.value(forKey: "interval") == 4)
    #expect(try machine.value(forKey: "interval") == 3)
    try interval.reset()
    #expect(try interval.read() == 3)
  }

  @Test("a change starts from the value that holds, and is the user's")
  func update() throws {
    try machine.setValue(3, forKey: "interval")
    #expect(try interval.update { $0 *= 10 } == 30)
    #expect(try interval.update { $0 *= 10 } == 300)
    #expect(try machine.value(forKey: "interval") == 3)
  }

  @Test("a fixed value refuses to be written, reset or changed, and says so")
  func forcedValue() throws {
    try user.setValue(4, forKey: "interval")
    try forced.setValue(5, forKey: "interval")
    #expect(throws: StorageError.forced(key: "interval")) { try interval.write(6) }
    #expect(throws: StorageError.forced(key: "interval")) { try interval.reset() }
    #expect(throws: StorageError.forced(key: "interval")) { try interval.update { $0 += 1 } }
    #expect(try interval.read() == 5)
    #expect(try user.value(forKey: "interval") == 4)
    try forced.setValue(nil as Int?, forKey: "interval")
    #expect(try interval.read() == 4)
  }

  @Test("a value of the user's that cannot be read gives way to the machine's")
  func undecodableBelow() throws {
    try user.setValue("four", forKey: "interval")
    try machine.setValue(3, forKey: "interval")
    #expect(try interval.read() == 3)
  }

  @Test("a fixed value that cannot be read never gives way to the user's")
  func undecodableForced() throws {
    try user.setValue(4, forKey: "interval")
    try forced.setValue("five", forKey: "interval")
    #expect(throws: StorageError.self) { try interval.read() }
    #expect(interval.value == 1, "the default")
    #expect(throws: StorageError.forced(key: "interval")) { try interval.write(6) }
  }

  @Test("a change in any layer is told")
  func observation() throws {
    let seen = Seen<Int>()
    let observation = try interval.observe { seen.add($0) }
    try machine.setValue(3, forKey: "interval")
    try user.setValue(4, forKey: "interval")
    try forced.setValue(5, forKey: "interval")
    #expect(seen.all == [3, 4, 5])
    observation.cancel()
    try forced.setValue(6, forKey: "interval")
    #expect(seen.all == [3, 4, 5])
  }

  @Test("nil is a value of its own: it hides the layers below until it is reset")
  func null() throws {
    let name: KeyValueContainer<String?> = layered.makeContainer(key: "name")
    try machine.setValue("machine", forKey: "name")
    try name.write(nil)
    #expect(try name.read() == nil)
    try name.reset()
    #expect(try name.read() == "machine")
  }

  @Test("a change in one layer while another is told is told after it, not meanwhile")
  func observationFromTwoThreads() throws {
    let seen = Seen<String>()
    let hasWritten = DispatchSemaphore(value: 0)
    let observation = try interval.observe { [machine, user] value in
      seen.add("begins \(value)")
      if value == 4 {
        Thread {
          try? machine.setValue(3, forKey: "interval")
          hasWritten.signal()
        }.start()
        #expect(hasWritten.wait(timeout: .now() + 60) == .success)
        try? user.setValue(5, forKey: "interval")
      }
      seen.add("ends \(value)")
    }
    try user.setValue(4, forKey: "interval")
    #expect(seen.wait { $0.last == "ends 5" })
    #expect(Array(seen.all.prefix(3)) == ["begins 4", "ends 4", "begins 5"])
    observation.cancel()
  }
}
