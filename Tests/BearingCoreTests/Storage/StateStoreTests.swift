import BearingModel
import Foundation
import SQLiteStore
import TestSupport
import Testing

@testable import BearingCore

@Suite struct StateStoreTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/state.db" }
  private var store: StateStore { StateStore(path: path) }
  private static let owner: UInt32 = 1000
  private static let home = Region(
    identifier: "home", latitude: 46, longitude: -30, radius: 100, dwell: 5000)

  init() throws {
    folder = try TemporaryFolder()
  }

  private static func event(_ kind: RegionEventKind = .enter) -> RegionEvent {
    RegionEvent(
      sequence: 0, identifier: "home", kind: kind, timestamp: 1_796_040_000_000_000,
      bootTimestamp: 77, latitude: 46.0001, longitude: -30, horizontalAccuracy: 4)
  }

  private static func happening(_ event: RegionEvent?) -> RegionHappening {
    RegionHappening(
      owner: owner, state: .inside, insideSince: 70, isDwellTold: false, event: event,
      identifier: "home")
  }

  /// Another connection, which leaves the journal's mode as it is.
  private func database() throws -> Database {
    try Database(path: path, durability: .consistency)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  // MARK: What is kept

  @Test("A fix is read again as it was; of another boot it has no time on this one's clock")
  func lastFix() throws {
    var fix = Fix(sequence: 7, latitude: -17.123456789, longitude: 179.999999999)
    fix.bootTimestamp = 123_456_789
    fix.timestamp = 1_796_040_000_000_000
    fix.timestampTrusted = true
    fix.horizontalAccuracy = 4.5
    fix.accuracyBasis = .dop
    #expect(try store.lastFix(boot: "a") == nil)
    try store.saveLastFix(fix, boot: "a")
    #expect(try store.lastFix(boot: "a") == fix)
    fix.bootTimestamp = nil
    #expect(try store.lastFix(boot: "b") == fix)
  }

  @Test(
    "A stored fix that cannot have been is left out",
    arguments: [
      ("$.sequence", "9223372036854775807"), ("$.sequence", "-1"), ("$.latitude", "90.1"),
      ("$.longitude", "-1e300"), ("$.latitude", "'north'"),
    ])
  func impossibleFix(member: String, value: String) throws {
    let store = store
    let fix = Fix(sequence: 7, latitude: -17, longitude: 179)
    try store.saveLastFix(fix, boot: "a")
    #expect(try store.lastFix(boot: "a") == fix)
    try database().execute("UPDATE last_fix SET fix = json_set(fix, '\(member)', \(value))")
    #expect(try store.lastFix(boot: "a") == nil)
    try store.saveLastFix(fix, boot: "a")
    #expect(try store.lastFix(boot: "a") == fix)
  }

  @Test("Where the kernel does not name the boot, nothing that was stored is taken to be of it")
  func unnamedBoot() throws {
    let file = try folder.write("a-b-c\n", to: "boot_id")
    #expect(Boot.identifier(file: file) == "a-b-c")
    let unnamed = (0..<2).map { _ in Boot.identifier(file: file + ".missing") }
    #expect(unnamed[0] != unnamed[1])
  }

  @Test("A stay's beginning is known in the boot that it began in, and not in another")
  func insideSince() throws {
    try store.addRegion(Self.home, owner: Self.owner)
    try store.store([Self.happening(Self.event())], boot: "a")
    let here = try #require(try store.regions(boot: "a").first)
    #expect(here.region.state == .inside && here.insideSince == 70 && !here.isDwellTold)
    #expect(try store.regions(boot: "b").map(\.insideSince) == [nil])
  }

  @Test("A user's events count on from 1, the newest 1000 are kept, and the gap is told")
  func thousandEvents() throws {
    let store = store
    try store.addRegion(Self.home, owner: Self.owner)
    for _ in 0..<21 {
      let batch = (0..<50).map { Self.happening(Self.event($0 % 2 == 0 ? .enter : .exit)) }
      try store.store(batch, boot: "a")
    }
    func fromNow(_ owner: UInt32) throws -> StoredEvents {
      try store.events(of: owner, after: nil, limit: 40, boot: "a")
    }
    #expect(
      try fromNow(Self.owner) == StoredEvents(events: [], missed: 0, last: 1050, hasMore: false))
    #expect(try fromNow(0).last == 0)
    let all = try store.events(of: Self.owner, after: 0, limit: 2000, boot: "a")
    #expect(all.events.map(\.sequence) == Array(51...1050))
    #expect(all.missed == 50 && !all.hasMore)
    let some = try store.events(of: Self.owner, after: 1000, limit: 40, boot: "b")
    #expect(some.events.map(\.sequence) == Array(1001...1040))
    #expect(some.missed == 0 && some.last == 1040 && some.hasMore)
    #expect(some.events.allSatisfy { $0.bootTimestamp == nil && $0.timestamp != nil })
    #expect(try store.events(of: Self.owner, after: 1050, limit: 40, boot: "a").events.isEmpty)
    #expect(try store.events(of: 0, after: 0, limit: 40, boot: "a").events.isEmpty)
  }

  @Test("Sequences go on when all the events are gone with their regions")
  func sequencesGoOn() throws {
    try store.addRegion(Self.home, owner: Self.owner)
    try store.store([Self.happening(Self.event())], boot: "a")
    try store.removeRegion("home", owner: Self.owner)
    #expect(try store.regions(boot: "a").isEmpty)
    #expect(try store.events(of: Self.owner, after: 0, limit: 40, boot: "a").events.count == 1)
    try store.addRegion(Self.home, owner: Self.owner)
    try store.store([Self.happening(Self.event())], boot: "a")
    let events = try store.events(of: Self.owner, after: 0, limit: 40, boot: "a")
    #expect(events.events.map(\.sequence) == [1, 2])
  }

  @Test("An event that cannot be read is one that is missed, and hides no other")
  func unreadable() throws {
    let store = store
    try store.addRegion(Self.home, owner: Self.owner)
    try store.store((0..<9).map { _ in Self.happening(Self.event()) }, boot: "a")
    try database().execute("UPDATE events SET event = '{' WHERE sequence IN (1, 2, 3, 5, 9)")
    func piece(after sequence: Int) throws -> StoredEvents {
      try store.events(of: Self.owner, after: sequence, limit: 3, boot: "a")
    }
    #expect(
      try piece(after: 0) == StoredEvents(events: [], missed: 3, last: 3, hasMore: true))
    let second = try piece(after: 3)
    #expect(second.events.map(\.sequence) == [4, 6])
    #expect(second.missed == 1 && second.last == 6 && second.hasMore)
    let third = try piece(after: 6)
    #expect(third.events.map(\.sequence) == [7, 8])
    #expect(third.missed == 1 && third.last == 9)
    #expect(
      try piece(after: 9) == StoredEvents(events: [], missed: 0, last: 9, hasMore: false))
  }

  @Test(
    "A count of events that cannot be, on a disk that changes bytes, ends nothing",
    arguments: ["last = 9223372036854775807", "last = -9223372036854775808", "last = last"])
  func impossibleCount(change: String) throws {
    let store = store
    try store.addRegion(Self.home, owner: Self.owner)
    try store.store((0..<4).map { _ in Self.happening(Self.event()) }, boot: "a")
    let database = try database()
    try database.execute("UPDATE event_counters SET \(change)")
    try database.execute("UPDATE events SET sequence = 9223372036854775806 WHERE sequence = 2")
    try store.store([Self.happening(Self.event())], boot: "a")
    #expect(try store.events(of: Self.owner, after: nil, limit: 9, boot: "a").last == 5)
    let all = try store.events(of: Self.owner, after: 0, limit: 9, boot: "a")
    #expect(all.events.map(\.sequence) == [1, 3, 4, 5])
    #expect(all.missed == 1 && all.last == 5 && !all.hasMore)
  }

  @Test("Who has more events than the store ever had is given all, as after a store was lost")
  func lostStore() throws {
    let store = store
    try store.addRegion(Self.home, owner: Self.owner)
    for newest in 0...1 {
      let stored = try store.events(of: Self.owner, after: 500, limit: 40, boot: "a")
      #expect(stored.events.map(\.sequence) == Array(1..<(newest + 1)))
      #expect(stored.missed == 0 && stored.last == newest)
      try store.store([Self.happening(Self.event())], boot: "a")
    }
  }

  @Test("The secret of approximate places is drawn once, and the file is for its owner alone")
  func secret() throws {
    let first = try store.approximateSecret()
    let second = try store.approximateSecret()
    #expect(first.grid.shift == second.grid.shift && first.grid.turn == second.grid.turn)
    #expect(first.phase == second.phase)
    var moved = second
    moved.cell = ApproximateGrid.Cell(row: 4711, column: 815)
    try store.saveApproximateSecret(moved)
    #expect(try store.approximateSecret() == moved)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test(
    "A secret that cannot have been drawn, or a cell that is none, is replaced by another secret",
    arguments: [
      "shift = 1e300", "shift = -1", "turn = 360", "phase = -1", "cell_row = 9223372036854775807",
      "cell_row = 0", "cell_column = 40000", "cell_column = -1",
    ])
  func damagedSecret(change: String) throws {
    let store = store
    var first = try store.approximateSecret()
    first.cell = ApproximateGrid.Cell(row: 4711, column: 815)
    try store.saveApproximateSecret(first)
    #expect(try store.approximateSecret() == first)
    try database().execute("UPDATE approximate SET \(change)")
    let second = try store.approximateSecret()
    #expect(second.isSound && second.grid != first.grid && second.cell == nil)
    #expect(try store.approximateSecret() == second)
  }

  // MARK: Versions

  /// The tables as the first version made them, in this test's own copy.
  private static let firstVersion = """
    CREATE TABLE last_fix (
      id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL, fix TEXT NOT NULL);
    CREATE TABLE approximate (
      id INTEGER PRIMARY KEY CHECK (id = 1), shift REAL NOT NULL, turn REAL NOT NULL,
      phase INTEGER NOT NULL, cell_row INTEGER, cell_column INTEGER);
    CREATE TABLE regions (
      uid INTEGER NOT NULL, identifier TEXT NOT NULL, latitude REAL NOT NULL,
      longitude REAL NOT NULL, radius REAL NOT NULL, dwell INTEGER, state TEXT NOT NULL,
      dwell_told INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (uid, identifier)) WITHOUT ROWID;
    CREATE TABLE events (
      uid INTEGER NOT NULL, sequence INTEGER NOT NULL, boot TEXT NOT NULL, event TEXT NOT NULL,
      PRIMARY KEY (uid, sequence)) WITHOUT ROWID;
    CREATE TABLE event_counters (uid INTEGER PRIMARY KEY, last INTEGER NOT NULL);
    INSERT INTO regions VALUES (1000, 'home', 46, -30, 100, 5000, 'inside', 1);
    INSERT INTO events VALUES (1000, 3, 'a', '{"sequence":3,"identifier":"home","kind":"enter",\
    "latitude":46.0001,"longitude":-30}');
    INSERT INTO event_counters VALUES (1000, 3);
    PRAGMA user_version = 1;
    """

  private func version() throws -> Int64? {
    try database().prepare("PRAGMA user_version").first { row in
      row.integer(0) ?? -1
    }
  }

  @Test("A store of the first version is taken up with all that is in it")
  func migration() throws {
    try database().execute(Self.firstVersion)
    var inside = Self.home
    inside.state = .inside
    #expect(
      try store.regions(boot: "a") == [
        StoredRegion(owner: Self.owner, region: inside, insideSince: nil, isDwellTold: true)
      ])
    let events = try store.events(of: Self.owner, after: 0, limit: 10, boot: "a")
    #expect(events.events.map(\.sequence) == [3] && events.missed == 2)
    #expect(try version() == 2)
    try store.store([Self.happening(Self.event(.exit))], boot: "a")
    #expect(try store.regions(boot: "a").map(\.insideSince) == [70])
  }

  @Test("A store of a newer version is refused, with what to do, and not touched")
  func newerVersion() throws {
    do { try store.addRegion(Self.home, owner: Self.owner) }
    try database().execute("PRAGMA user_version = 99")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.self) { try store.regions(boot: "a") }
    let text = error?.description ?? ""
    #expect(text.contains(path))
    #expect(text.contains("newer bearingd (version 99, this one knows 2)"))
    #expect(text.contains("move the file away"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try names().allSatisfy { !$0.contains("damaged") })
  }

  // MARK: Damage

  /// Ways in which a file can be damaged.
  enum Damage: CaseIterable {
    case notADatabase, headerGone, pageGone, cutShort
  }

  private func damage(_ kind: Damage) throws -> Data {
    let file = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: file)
    switch kind {
    case .notADatabase: bytes = Data("This is not what it was before.\n".utf8)
    case .headerGone: bytes.replaceSubrange(0..<100, with: Data(repeating: 0x55, count: 100))
    case .pageGone:
      bytes.replaceSubrange(4096..<8192, with: Data(repeating: 0x55, count: 4096))
    case .cutShort: bytes = bytes.prefix(bytes.count / 2)
    }
    try bytes.write(to: file)
    return bytes
  }

  @Test("A damaged file is set aside as it is and a fresh one started", arguments: Damage.allCases)
  func damaged(kind: Damage) throws {
    do {
      let store = store
      try store.addRegion(Self.home, owner: Self.owner)
      for _ in 0..<200 { try store.store([Self.happening(Self.event())], boot: "a") }
    }
    let bytes = try damage(kind)
    let fresh = store
    #expect(try fresh.regions(boot: "a").isEmpty)
    try fresh.addRegion(Self.home, owner: Self.owner)
    let kept = try names().filter { $0.hasPrefix("state.db.damaged-") && !$0.contains("-wal") }
      .filter { !$0.contains("-shm") }
    #expect(kept.count == 1)
    if let name = kept.first {
      let file = URL(fileURLWithPath: folder.path + "/" + name)
      #expect(try Data(contentsOf: file) == bytes)
    }
    #expect(try store.regions(boot: "a").map(\.region.identifier) == ["home"])
  }

  @Test("A file that turns out damaged while it is open is set aside, and the next use is fresh")
  func damagedWhileOpen() throws {
    let store = store
    try store.addRegion(Self.home, owner: Self.owner)
    for _ in 0..<200 { try store.store([Self.happening(Self.event())], boot: "a") }
    try database().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.seek(toOffset: 4096)
    try handle.write(contentsOf: Data(repeating: 0x55, count: size - 4096))
    try handle.close()
    // Another connection's change makes the open one read the file again.
    try? database().execute("PRAGMA user_version = 2")
    #expect(throws: StoreError.self) {
      _ = try store.events(of: Self.owner, after: 0, limit: 1000, boot: "a")
    }
    #expect(try store.regions(boot: "a").isEmpty)
    #expect(try names().contains { $0.hasPrefix("state.db.damaged-") })
  }
}
