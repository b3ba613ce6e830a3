import Foundation
import Preferences
import Testing

/// Three versions of a program, which renamed a value from `a` to `b` to `c`.
struct MigrationTests {
  /// What a version does in a run.
  enum Step: CustomTestStringConvertible {
    case write(Int, version: Int)
    case reset(version: Int)
    case read(Int, version: Int)

    var testDescription: String { "\(self)" }
  }

  private func version(_ number: Int, _ storage: any KeyValueStorage) -> KeyValueContainer<Int> {
    switch number {
    case 1: storage.makeContainer(key: "a", default: 0)
    case 2: storage.makeContainer(key: "b", previousKeys: ["a"], default: 0)
    default: storage.makeContainer(key: "c", previousKeys: ["b", "a"], default: 0)
    }
  }

  @Test(
    "an old value is taken over once, in whatever order the versions are run",
    arguments: [
      [.write(1, version: 1), .read(1, version: 2), .read(1, version: 3)],
      [.write(1, version: 1), .read(1, version: 3), .read(1, version: 2), .read(1, version: 1)],
      // Once: what an old version writes afterwards is its own.
      [.write(1, version: 1), .read(1, version: 2), .write(5, version: 1), .read(1, version: 2)],
      // What the new one has written holds.
      [.write(2, version: 2), .write(1, version: 1), .read(2, version: 2), .read(2, version: 3)],
      // The newest name counts.
      [.write(1, version: 1), .write(2, version: 2), .read(2, version: 3)],
      [.write(2, version: 2), .write(1, version: 1), .read(2, version: 3), .read(1, version: 1)],
      // Nothing to take over is not the once.
      [.read(0, version: 3), .read(0, version: 2), .write(1, version: 1), .read(1, version: 3)],
      [.read(0, version: 2), .write(1, version: 1), .read(1, version: 2)],
      // A reset value does not come back from an older name.
      [.write(1, version: 1), .read(1, version: 2), .reset(version: 2), .read(0, version: 2)],
      [.write(1, version: 1), .reset(version: 2), .read(0, version: 2), .read(0, version: 3)],
      [.write(1, version: 1), .reset(version: 1), .read(0, version: 3), .read(0, version: 1)],
      // Back to an old version and forward again.
      [
        .write(1, version: 1), .read(1, version: 3), .write(3, version: 3), .read(1, version: 2),
        .write(2, version: 2), .read(3, version: 3), .read(1, version: 1), .read(2, version: 2),
      ],
    ] as [[Step]], StorageKind.available.filter { $0 != .plain })
  func renames(steps: [Step], kind: StorageKind) throws {
    let sample = try kind.make()
    for step in steps {
      switch step {
      case .write(let value, let number): try version(number, sample.storage).write(value)
      case .reset(let number): try version(number, sample.storage).reset()
      case .read(let value, let number):
        #expect(try version(number, sample.storage).read() == value, "version \(number)")
      }
    }
  }

  @Test(
    "a value can be changed at once by what an older version kept", arguments: StorageKind.available
  )
  func update(kind: StorageKind) throws {
    let sample = try kind.make()
    try version(1, sample.storage).write(41)
    #expect(try version(2, sample.storage).update { $0 += 1 } == 42)
    #expect(try version(2, sample.storage).read() == 42)
    #expect(try version(1, sample.storage).read() == 41)
  }

  @Test("what an administrator fixed under an old name holds under the new one")
  func forcedByOldName() throws {
    let forced = try StorageKind.persistent.make()
    let user = MemoryStorage()
    try forced.storage.setValue(9, forKey: "a")
    try user.setValue(1, forKey: "c")
    let layered = LayeredStorage(forced: ReadOnlyStorage(forced.storage), user: user)
    #expect(try version(3, layered).read() == 9)
    #expect(throws: StorageError.forced(key: "c")) { try version(3, layered).write(2) }
  }

  @Test(
    "a value that was reset under the new name comes from the layer below, whatever the old name has"
  )
  func layerOfReset() throws {
    let layers = try (StorageKind.persistent.make(), StorageKind.userDefaults.make())
    for user in [layers.0.storage, layers.1.storage, MemoryStorage()] {
      let machine = MemoryStorage()
      try user.setValue(1, forKey: "a")
      try machine.setValue(5, forKey: "c")
      let layered = LayeredStorage(user: user, machine: machine)
      #expect(try version(3, layered).read() == 1)
      #expect(try layered.layer(of: "c") == .user)
      try version(3, layered).reset()
      #expect(try version(3, layered).read() == 5)
      #expect(try layered.layer(of: "c") == .machine)
    }
    withExtendedLifetime(layers) {}
  }

  @Test(
    "what the machine has under an old name, and nobody may write, is no default and counts in changes"
  )
  func machineByOldName() throws {
    let machine = MemoryStorage()
    try machine.setValue(9, forKey: "a")
    let layered = LayeredStorage(user: MemoryStorage(), machine: ReadOnlyStorage(machine))
    #expect(try version(3, layered).read() == 9)
    #expect(try !version(3, layered).isDefault())
    #expect(try !version(3, ReadOnlyStorage(machine)).isDefault())
    #expect(try version(3, layered).update { $0 += 1 } == 10)
    #expect(try version(3, layered).read() == 10)
  }

  @Test("many processes' worth of threads take over one value")
  func race() async throws {
    let sample = try StorageKind.persistent.make()
    let storage = sample.storage
    try version(1, storage).write(1)
    await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<16 { group.addTask { try? self.version(3, storage).update { $0 += 1 } } }
      var seen: [Int?] = []
      for await value in group { seen.append(value) }
      #expect(Set(seen.compactMap(\.self)) == Set(2...17))
    }
  }
}

/// A storage as one sees it that may only be read.
final class ReadOnlyStorage: KeyValueStorage {
  let bookkeeping = KeyBookkeeping()
  private let storage: any KeyValueStorage

  init(_ storage: any KeyValueStorage) {
    self.storage = storage
  }

  func value<T: Codable>(forKey key: String) throws(StorageError) -> T? {
    try storage.value(forKey: key)
  }

  func setValue<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
    throw .readOnly(attempt: "write \"\(key)\"", reason: "it may only be read")
  }
}
