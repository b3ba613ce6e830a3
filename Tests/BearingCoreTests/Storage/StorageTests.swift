import BearingModel
import Foundation
import SQLiteStore
import TestSupport
import Testing

@testable import BearingCore

/// What is kept in memory while the store is slow, or cannot be written.
@Suite struct StorageTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
  }

  /// Runs the loop, with a step each time that the storage has done all that it was asked for, and once
  /// more for the last one.
  private func run(_ storage: Storage, _ steps: (() throws -> Void)...) throws {
    var rest = steps[...]
    let patience = try loop.timer { [loop] in
      Issue.record("the storage is not asked for anything, or does not end")
      loop.exit()
    }
    patience.arm(at: .now() + 60 * Nanoseconds.second)
    storage.onRest = { [loop] in
      guard let step = rest.popFirst() else { return loop.exit() }
      do { try step() } catch { Issue.record(error) }
    }
    try loop.run()
    storage.onRest = nil
  }

  private func makeMissingFolder() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/missing", withIntermediateDirectories: false)
  }

  @Test("A fix that could not be written is written when it can be")
  func failedFix() throws {
    let path = folder.path + "/missing/state.db"
    let storage = try Storage(loop: loop, path: path)
    let memory = LocationMemory(storage)
    var fix = Fix(sequence: 3, latitude: 47, longitude: 8)
    fix.bootTimestamp = 1
    memory.note(fix, at: .now())
    try run(storage) {
      try makeMissingFolder()
      memory.saveNow()
      #expect(storage.isBusy)
      if !storage.isBusy { loop.exit() }
    }
    #expect(try StateStore(path: path).lastFix(boot: Boot.identifier()) == fix)
  }

  @Test(
    "A moment that was stored is one of this boot only when it has passed",
    arguments: [
      (0, true), (1_000_000, true), (-1, false), (.max, false), (.min, false),
      (Int(Int64.max / 1000), false),
    ] as [(Int, Bool)])
  func storedMoment(microseconds: Int, hasPassed: Bool) {
    let moment = BootTime(past: microseconds)
    #expect((moment != nil) == hasPassed)
    if let moment { #expect(moment.microseconds == microseconds) }
  }

  // MARK: Regions

  private final class Silence: Outlet {
    func send(_ message: StreamMessage, to streams: [StreamID]) {}
    func hasWaiting(_ stream: StreamID) -> Bool { false }
    func remember(_ filter: LocationFilter, cursor: Int, of stream: StreamID) {}
    func remember(cursor: Int, of stream: StreamID) {}
  }

  private static let owner: UInt32 = 1000
  private static func region(_ identifier: String) -> Region {
    Region(identifier: identifier, latitude: 47, longitude: 8, radius: 50)
  }

  /// Lets fixes come, a second apart, at a place in the regions or 1.1 km north of it.
  private struct Walk {
    let regions: RegionsInterface
    var second: Int64 = 0

    mutating func stay(_ fixes: Int, isInside: Bool) {
      for _ in 0..<fixes {
        second += 1
        var fix = Fix(sequence: Int(second), latitude: isInside ? 47 : 47.01, longitude: 8)
        fix.horizontalAccuracy = 5
        regions.note(
          fix,
          at: FixMoment(receipt: BootTime(nanoseconds: second * Nanoseconds.second), time: nil))
      }
    }
  }

  private func interface(
    _ storage: Storage, _ outlet: Silence, demandChanged: @escaping (Bool) -> Void = { _ in }
  ) throws -> RegionsInterface {
    try RegionsInterface(
      outlet: outlet, loop: loop, storage: storage, retryTime: 20 * Nanoseconds.millisecond,
      mayKnow: { _ in true }, demandChanged: demandChanged)
  }

  /// The sequence of the newest event in the store.
  private func newest(_ path: String) throws -> Int {
    try StateStore(path: path).events(of: Self.owner, after: nil, limit: 1, boot: "").last
  }

  @Test("Regions that could not be read are watched once they can be, though nobody calls")
  func lateRegions() throws {
    let path = folder.path + "/missing/state.db"
    let storage = try Storage(loop: loop, path: path)
    let outlet = Silence()
    var isWatched = false
    let regions = try interface(storage, outlet) { isWatched = $0 }
    try run(storage) {
      #expect(!isWatched)
      try makeMissingFolder()
      try StateStore(path: path).addRegion(Self.region("home"), owner: Self.owner)
    }
    #expect(isWatched)
    withExtendedLifetime((regions, outlet)) {}
  }

  @Test("An event that could not be stored is stored when it can be, though nothing else happens")
  func lateEvent() throws {
    let path = folder.path + "/state.db"
    try StateStore(path: path).addRegion(Self.region("home"), owner: Self.owner)
    let database = try Database(path: path, durability: .consistency)
    try database.execute(
      "CREATE TRIGGER no BEFORE INSERT ON events BEGIN SELECT RAISE(FAIL, 'no'); END")
    let storage = try Storage(loop: loop, path: path)
    let outlet = Silence()
    var walk = Walk(regions: try interface(storage, outlet))
    try run(storage) {
      walk.stay(2, isInside: true)
    } _: {
      #expect(try newest(path) == 0)
      try database.execute("DROP TRIGGER no")
    }
    #expect(try newest(path) == 1)
    withExtendedLifetime(outlet) {}
  }

  /// Fills all of the database but its first page with rubbish, and has those read it who have it open.
  private func damage(_ path: String) throws {
    let other = try Database(path: path, durability: .consistency)
    try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let file = URL(fileURLWithPath: path)
    let size = try Data(contentsOf: file).count
    let handle = try FileHandle(forWritingTo: file)
    try handle.seek(toOffset: 4096)
    try handle.write(contentsOf: Data(repeating: 0x55, count: size - 4096))
    try handle.close()
    try? other.execute("PRAGMA user_version = 2")
  }

  @Test("When the file is damaged while it is open, the fresh one gets all that is still known")
  func storedAgain() throws {
    let path = folder.path + "/state.db"
    let secret: ApproximateView.Secret
    do {
      let store = StateStore(path: path)
      for name in ["home", "work"] { try store.addRegion(Self.region(name), owner: Self.owner) }
      secret = try store.approximateSecret()
    }
    let storage = try Storage(loop: loop, path: path)
    let outlet = Silence()
    let memory = LocationMemory(storage)
    memory.recall { _, _ in
    } secret: {
      #expect($0 == secret)
    }
    var walk = Walk(regions: try interface(storage, outlet))
    var fix = Fix(sequence: 3, latitude: 47, longitude: 8)
    fix.bootTimestamp = 1
    try run(storage) {
      walk.stay(2, isInside: true)
    } _: {
      try damage(path)
      memory.note(fix, at: .now())  // which finds it damaged
    } _: {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.contains { $0.hasPrefix("state.db.damaged-") })
    } _: {
      memory.saveNow()
    }
    let store = StateStore(path: path)
    let regions = try store.regions(boot: Boot.identifier())
    #expect(regions.map(\.region.identifier) == ["home", "work"])
    #expect(regions.map(\.region.state) == [.inside, .inside])
    #expect(regions.map(\.insideSince) == [2_000_000, 2_000_000])
    #expect(try store.approximateSecret() == secret)
    #expect(try store.lastFix(boot: Boot.identifier()) == fix)
    withExtendedLifetime(outlet) {}
  }

  @Test("Of events that wait too long for the store the oldest are lost, and no more than that")
  func tooManyEvents() throws {
    let path = folder.path + "/state.db"
    do {
      let store = StateStore(path: path)
      for number in 0..<100 {
        try store.addRegion(Self.region("\(number)"), owner: Self.owner)
      }
    }
    let storage = try Storage(loop: loop, path: path)
    let outlet = Silence()
    var walk = Walk(regions: try interface(storage, outlet))
    try run(storage) {
      // A hundred regions are entered and left while the storage's thread has other things to do.
      let gate = DispatchSemaphore(value: 0)
      storage.run({ gate.wait() }, then: { _ in })
      for change in 0..<103 {
        if change.isMultiple(of: 2) {
          walk.stay(2, isInside: true)
        } else {
          walk.stay(3, isInside: false)
        }
      }
      gate.signal()
    }
    // The first hundred were on their way; of the 10,200 after them 10,000 may wait.
    #expect(try newest(path) == 10_100)
    withExtendedLifetime(outlet) {}
  }

  @Test("However many jobs one user has asked for, another's comes after the next of them")
  func turns() throws {
    let storage = try Storage(loop: loop, path: folder.path + "/state.db")
    let gate = DispatchSemaphore(value: 0)
    storage.run({ gate.wait() }, then: { _ in })
    var order: [String] = []
    for number in 0..<128 { storage.run(for: 1, { number }, then: { order.append("one's \($0)") }) }
    storage.run(for: 2, {}, then: { order.append("another's") })
    storage.run({}, then: { order.append("the daemon's") })
    gate.signal()
    try run(storage)
    var expected = (0..<128).map { "one's \($0)" }
    expected.insert(contentsOf: ["another's", "the daemon's"], at: 1)
    #expect(order == expected)
  }

  @Test("What is asked for while the store is busy is stored as one change, and answered in order")
  func together() throws {
    let path = folder.path + "/state.db"
    let storage = try Storage(loop: loop, path: path)
    var changes = 0
    let writer = RegionWriter(
      storage, boot: "", known: { [] }, stored: { _ in changes += 1 },
      failed: { Issue.record("\($0)") })
    let gate = DispatchSemaphore(value: 0)
    storage.run({ gate.wait() }, then: { _ in })
    var answers: [Int] = []
    for number in 0..<100 {
      writer.write(.add(Self.region("\(number)"), owner: UInt32(number % 2))) { error in
        #expect(error == nil)
        answers.append(number)
      }
    }
    gate.signal()
    try run(storage)
    // The first was on its way already.
    #expect(changes == 2)
    #expect(answers == Array(0..<100))
    #expect(try StateStore(path: path).regions(boot: "").count == 100)
  }

  @Test("A region that is removed while all are stored again does not come back")
  func removedMeanwhile() throws {
    let path = folder.path + "/state.db"
    let storage = try Storage(loop: loop, path: path)
    var known = ["one", "two", "three"]
    let writer = RegionWriter(
      storage, boot: "",
      known: {
        known.map {
          StoredRegion(owner: Self.owner, region: Self.region($0), isDwellTold: false)
        }
      }, stored: { _ in }, failed: { Issue.record("\($0)") })
    func remove(_ name: String) {
      writer.write(.remove(name, owner: Self.owner)) { error in
        #expect(error == nil)
        known.removeAll { $0 == name }
        // As a client may that has its answer.
        writer.write(.add(Self.region("not \(name)"), owner: Self.owner)) { #expect($0 == nil) }
      }
    }
    let gate = DispatchSemaphore(value: 0)
    storage.run({ gate.wait() }, then: { _ in })
    remove("one")
    writer.noteLoss()
    remove("two")
    gate.signal()
    try run(storage)
    let regions = try StateStore(path: path).regions(boot: "")
    #expect(regions.map(\.region.identifier) == ["not one", "not two", "three"])
  }
}
