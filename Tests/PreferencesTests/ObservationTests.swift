import Foundation
import Preferences
import TestSupport
import Testing

struct ObservationTests {
  private static let tool = ProgramRun.path(of: "preferences-tool")

  @Test(
    "each change is told with its new value, what is no change is not",
    arguments: StorageKind.available)
  func withinTheProcess(kind: StorageKind) throws {
    let sample = try kind.make()
    let container = KeyValueContainer(storage: sample.storage, key: "k", defaultValue: "default")
    let seen = Seen<String>()
    let observation = try container.observe { seen.add($0) }
    // Another thread, which looks at the file of UserDefaults, may be telling.
    try container.write("one")
    #expect(seen.wait { $0 == ["one"] }, "\(seen.all)")
    try container.update { $0 += " and two" }
    #expect(seen.wait { $0 == ["one", "one and two"] }, "\(seen.all)")
    try container.reset()
    #expect(seen.wait { $0 == ["one", "one and two", "default"] }, "\(seen.all)")
    try sample.storage.setValue("other", forKey: "another key")
    #expect(seen.all.count == 3)
    observation.cancel()
    try container.write("three")
    #expect(seen.all.count == 3)
  }

  @Test(
    "writing what is there already is no change",
    arguments: [StorageKind.memory, .persistent, .userDefaults])
  func noChange(kind: StorageKind) throws {
    let sample = try kind.make()
    let container = KeyValueContainer(storage: sample.storage, key: "k", defaultValue: 0)
    try container.write(1)
    let seen = Seen<Int>()
    let observation = try container.observe { seen.add($0) }
    try container.write(1)
    try container.write(2)
    try container.write(2)
    #expect(seen.wait { $0 == [2] }, "\(seen.all)")
    observation.cancel()
  }

  @Test("an observer hears until its observation is let go of")
  func lettingGo() throws {
    let storage = MemoryStorage()
    let container = KeyValueContainer(storage: storage, key: "k", defaultValue: 0)
    let seen = Seen<Int>()
    var observation: Observation? = try container.observe { seen.add($0) }
    container.value = 1
    #expect(observation != nil)
    observation = nil
    container.value = 2
    #expect(seen.all == [1])
  }

  @Test("an observer may write, and the last it is told is the last there is")
  func writingObserver() throws {
    let sample = try StorageKind.persistent.make()
    let container = KeyValueContainer(storage: sample.storage, key: "k", defaultValue: 0)
    let seen = Seen<Int>()
    let observation = try container.observe { value in
      seen.add(value)
      if value < 5 { container.value = value + 1 }
    }
    container.value = 1
    #expect(seen.wait { $0 == [1, 2, 3, 4, 5] })
    observation.cancel()
  }

  @Test("of many threads' changes the last one told is the one that holds")
  func manyThreads() async throws {
    let sample = try StorageKind.memory.make()
    let container = KeyValueContainer(storage: sample.storage, key: "k", defaultValue: 0)
    let seen = Seen<Int>()
    let observation = try container.observe { seen.add($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<200 { try container.update { $0 += 1 } } }
      }
      try await group.waitForAll()
    }
    #expect(try container.read() == 1600)
    #expect(seen.wait { $0.last == 1600 })
    #expect(seen.all == seen.all.sorted(), "never an older one after a newer one")
    observation.cancel()
  }

  @Test("a change by another process is told, also of a file that was not there")
  func anotherProcess() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/deep/down/a.preferences"
    let storage = PersistentStorage(path: path)
    let container = KeyValueContainer(storage: storage, key: "name", defaultValue: "none")
    let seen = Seen<String>()
    let observation = try container.observe { seen.add($0) }
    for name in ["Ada", "Grace"] {
      let run = try ProgramRun.run(Self.tool, ["set", path, "name", name])
      #expect(run.status == 0, "\(run.errors)")
      #expect(seen.wait { $0.last == name })
    }
    #expect(seen.all == ["Ada", "Grace"])
    observation.cancel()
  }

  @Test("a program with an event loop waits on a descriptor instead, on its own thread alone")
  func descriptor() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.preferences"
    let storage = PersistentStorage(path: path)
    let descriptor = try storage.changeDescriptor()
    let container = KeyValueContainer(storage: storage, key: "name", defaultValue: "none")
    let seen = Seen<(String, Bool)>()
    let thread = pthread_self()
    let observation = try container.observe {
      seen.add(($0, pthread_equal(pthread_self(), thread) != 0))
    }
    let run = try ProgramRun.run(Self.tool, ["set", path, "name", "Ada"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(seen.all.isEmpty, "nobody calls it before the program asks")
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 60_000) == 1)
    storage.processChanges()
    #expect(seen.all.map(\.0) == ["Ada"])
    #expect(seen.all.allSatisfy { $0.1 })
    observation.cancel()
  }

  @Test("a change is told also to a program that has read it before it processes changes")
  func readBefore() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.preferences"
    let storage = PersistentStorage(path: path)
    _ = try storage.changeDescriptor()
    let container = KeyValueContainer(storage: storage, key: "name", defaultValue: "none")
    let seen = Seen<String>()
    let observation = try container.observe { seen.add($0) }
    for (name, file) in [("Ada", path), ("Grace", folder.path + "/b.preferences")] {
      let run = try ProgramRun.run(Self.tool, ["set", file, "name", name])
      #expect(run.status == 0, "\(run.errors)")
      #expect(rename(file, path) == 0)
      #expect(try container.read() == name)
      storage.processChanges()
      #expect(seen.all.last == name)
    }
    #expect(seen.all == ["Ada", "Grace"])
    observation.cancel()
  }

  @Test("a change by another process is told also where the storage's name is a link to the file")
  func link() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/inner/a.preferences"
    try PersistentStorage(path: file).setValue("Ada", forKey: "name")
    let link = folder.path + "/link.preferences"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    let container = KeyValueContainer(
      storage: PersistentStorage(path: link), key: "name", defaultValue: "none")
    let seen = Seen<String>()
    let observation = try container.observe { seen.add($0) }
    let run = try ProgramRun.run(Self.tool, ["set", file, "name", "Grace"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(seen.wait { $0 == ["Grace"] })
    observation.cancel()
  }

  @Test("a change is told after the file was replaced by another")
  func replacedFile() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.preferences"
    let container = KeyValueContainer(
      storage: PersistentStorage(path: path), key: "name", defaultValue: "none")
    try container.write("Ada")
    let seen = Seen<String>()
    let observation = try container.observe { seen.add($0) }
    let other = folder.path + "/b.preferences"
    let run = try ProgramRun.run(Self.tool, ["set", other, "name", "Grace"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(rename(other, path) == 0)
    #expect(seen.wait { $0.last == "Grace" })
    try container.write("Ada")
    #expect(seen.wait { $0.last == "Ada" })
    observation.cancel()
  }

  @Test("code with async gets the value now and each new one")
  func sequence() async throws {
    let container = KeyValueContainer(storage: MemoryStorage(), key: "k", defaultValue: 1)
    var values = try container.values().makeAsyncIterator()
    #expect(await values.next() == 1)
    container.value = 2
    #expect(await values.next() == 2)
    container.value = 3
    container.value = 4
    #expect(await values.next() == 4)
  }

  @Test("what is written while the first value is read is not followed by that older one")
  func sequenceThatBeginsWithAWrite() async throws {
    // The first read is the observer's, the second the first value's.
    let storage = MeddlingStorage(read: 2)
    let container = KeyValueContainer(storage: storage, key: "k", defaultValue: 1)
    var values = try container.values().makeAsyncIterator()
    #expect(try container.read() == 7)
    #expect(await values.next() == 7)
  }
}

/// Has a 7 written just after one of its reads, as another thread may.
private final class MeddlingStorage: EncodedStorage {
  private let memory = MemoryStorage()
  private let reads = Seen<Int>()
  private let meddledRead: Int

  var bookkeeping: KeyBookkeeping { memory.bookkeeping }

  init(read: Int) {
    meddledRead = read
  }

  func entry(forKey key: String) throws(StorageError) -> StoredEntry {
    let entry = try memory.entry(forKey: key)
    reads.add(1)
    if reads.all.count == meddledRead { try memory.setValue(7, forKey: key) }
    return entry
  }

  func setEntry(
    _ entry: StoredEntry, forKey key: String, expecting expected: StoredEntry?
  ) throws(StorageError) -> Bool {
    try memory.setEntry(entry, forKey: key, expecting: expected)
  }

  func keys() throws(StorageError) -> [String] { try memory.keys() }
}
