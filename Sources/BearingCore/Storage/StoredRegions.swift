internal import BearingModel
internal import FoundationEssentials
internal import SQLiteStore

/// A region as the store keeps it.
struct StoredRegion: Sendable, Equatable {
  var owner: UInt32
  var region: Region
  /// Microseconds on CLOCK_BOOTTIME when the stay that goes on began; nil when there is none, or it
  /// began in another boot.
  var insideSince: Int?
  /// Whether the stay that goes on had its dwell event.
  var isDwellTold: Bool
}

/// What happened to one region, to be stored as one change: the state and the event together.
struct RegionHappening: Sendable, Equatable {
  var owner: UInt32
  var state: RegionState
  /// Microseconds on CLOCK_BOOTTIME; nil while it is not inside.
  var insideSince: Int?
  var isDwellTold: Bool
  /// Without its sequence, which the store gives; nil for a change that is not told.
  var event: RegionEvent?
  var identifier: String
}

/// What a user has asked for.
enum RegionEdit: Sendable {
  case add(Region, owner: UInt32)
  case remove(String, owner: UInt32)
}

/// What is stored as one change, in this order.
struct RegionChange: Sendable {
  /// Regions that a store which has begun afresh is to have again; one that it has stays as it is.
  var restored: [StoredRegion] = []
  var edits: [RegionEdit] = []
  var happenings: [RegionHappening] = []
}

/// A piece of a user's events.
struct StoredEvents: Sendable, Equatable {
  /// In order, the oldest first.
  var events: [RegionEvent]
  /// Events of this piece that are gone.
  var missed: Int
  /// The sequence up to which this is all there is.
  var last: Int
  /// Whether there may be more after it.
  var hasMore: Bool
}

/// What the store keeps of regions and their events.
extension StateStore {
  /// Events that are kept for each user.
  static var keptEvents: Int { 1000 }
  /// Of sequences, which no user's come near: more is what a byte that changed on the disk has made.
  static var mostSequence: Int64 { 1 << 53 }

  func regions(boot: String) throws(StoreError) -> [StoredRegion] {
    try withDatabase { (database: borrowing Database) throws(StoreError) in
      try database.prepare(
        """
        SELECT uid, identifier, latitude, longitude, radius, dwell, state, dwell_told, inside_since,
          boot FROM regions ORDER BY uid, identifier
        """
      ).all { (row: borrowing Row) in
        StoredRegion(
          owner: UInt32(clamping: row.integer(0) ?? 0),
          region: Region(
            identifier: row.text(1) ?? "", latitude: row.real(2) ?? 0, longitude: row.real(3) ?? 0,
            radius: row.real(4) ?? 0, dwell: row.integer(5).map { Int($0) },
            state: RegionState(rawValue: row.text(6) ?? "") ?? .unknown),
          insideSince: row.text(9) == boot ? row.integer(8).map { Int($0) } : nil,
          isDwellTold: row.integer(7) == 1)
      }
    }
  }

  /// Stores a change, all of it or nothing, and drops what is older than the events that are kept.
  func write(_ change: RegionChange, boot: String) throws(StoreError) {
    try withDatabase { (database: borrowing Database) throws(StoreError) in
      try database.transaction { () throws(StoreError) in
        for stored in change.restored {
          try Self.insert(stored, boot: boot, into: database, otherwise: "IGNORE")
        }
        for edit in change.edits {
          switch edit {
          case .add(let region, let owner):
            let added = StoredRegion(owner: owner, region: region, isDwellTold: false)
            try Self.insert(added, boot: boot, into: database, otherwise: "REPLACE")
          case .remove(let identifier, let owner):
            try database.prepare("DELETE FROM regions WHERE uid = ? AND identifier = ?")
              .run(.integer(Int64(owner)), .text(identifier))
          }
        }
        for happening in change.happenings {
          try Self.note(happening, boot: boot, in: database)
        }
      }
    }
  }

  private static func insert(
    _ stored: StoredRegion, boot: String, into database: borrowing Database, otherwise: String
  ) throws(StoreError) {
    let region = stored.region
    try database.prepare(
      """
      INSERT OR \(otherwise) INTO regions (uid, identifier, latitude, longitude, radius, dwell, state,
        dwell_told, inside_since, boot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      .integer(Int64(stored.owner)), .text(region.identifier), .real(region.latitude),
      .real(region.longitude), .real(region.radius),
      region.dwell.map { .integer(Int64($0)) } ?? .null, .text(region.state.rawValue),
      .integer(stored.isDwellTold ? 1 : 0), stored.insideSince.map { .integer(Int64($0)) } ?? .null,
      .text(boot))
  }

  private static func note(
    _ happening: RegionHappening, boot: String, in database: borrowing Database
  ) throws(StoreError) {
    try database.prepare(
      """
      UPDATE regions SET state = ?, dwell_told = ?, inside_since = ?, boot = ?
      WHERE uid = ? AND identifier = ?
      """
    ).run(
      .text(happening.state.rawValue), .integer(happening.isDwellTold ? 1 : 0),
      happening.insideSince.map { .integer(Int64($0)) } ?? .null, .text(boot),
      .integer(Int64(happening.owner)), .text(happening.identifier))
    if let event = happening.event {
      try append(event, owner: happening.owner, boot: boot, to: database)
    }
  }

  private static func append(
    _ event: RegionEvent, owner: UInt32, boot: String, to database: borrowing Database
  ) throws(StoreError) {
    let owner = Int64(owner)
    let last = try lastSequence(of: owner, in: database)
    var event = event
    event.sequence = last + 1
    try database.prepare("INSERT OR REPLACE INTO event_counters (uid, last) VALUES (?, ?)")
      .run(.integer(owner), .integer(Int64(event.sequence)))
    try database.prepare("INSERT INTO events (uid, sequence, boot, event) VALUES (?, ?, ?, ?)")
      .run(.integer(owner), .integer(Int64(event.sequence)), .text(boot), .text(event.json))
    try database.prepare("DELETE FROM events WHERE uid = ? AND sequence <= ?")
      .run(.integer(owner), .integer(Int64(event.sequence - keptEvents)))
  }

  private static func lastSequence(
    of owner: Int64, in database: borrowing Database
  ) throws(StoreError) -> Int {
    let found = try database.prepare(
      """
      SELECT coalesce(
        (SELECT last FROM event_counters WHERE uid = ?1 AND last BETWEEN 0 AND ?2),
        (SELECT max(sequence) FROM events WHERE uid = ?1 AND sequence BETWEEN 0 AND ?2), 0)
      """
    ).first(.integer(owner), .integer(mostSequence)) { (row: borrowing Row) in
      row.integer(0) ?? 0
    }
    return Int(found ?? 0)
  }

  /// A user's events after `sequence`, or with nil those that are still to come; `limit` at most.
  ///
  /// A sequence beyond the newest is one of a store that was lost: nothing of this one is known to
  /// whoever has it, so all is given.
  func events(
    of owner: UInt32, after sequence: Int?, limit: Int, boot: String
  ) throws(StoreError) -> StoredEvents {
    try withDatabase { (database: borrowing Database) throws(StoreError) in
      let newest = try Self.lastSequence(of: Int64(owner), in: database)
      let start = sequence.map { $0 > newest ? 0 : $0 } ?? newest
      let rows = try database.prepare(
        """
        SELECT sequence, boot, event FROM events WHERE uid = ? AND sequence > ? AND sequence <= ?
        ORDER BY sequence LIMIT ?
        """
      ).all(
        .integer(Int64(owner)), .integer(Int64(start)), .integer(Int64(newest)),
        .integer(Int64(limit))
      ) { (row: borrowing Row) in
        (sequence: Int(row.integer(0) ?? 0), event: Self.event(in: row, boot: boot))
      }
      let events = rows.compactMap(\.event)
      let last = rows.last?.sequence ?? start
      return StoredEvents(
        events: events, missed: max(0, last - start - events.count), last: last,
        hasMore: rows.count == limit)
    }
  }

  /// The event of a row; nil when it cannot be read.
  private static func event(in row: borrowing Row, boot: String) -> RegionEvent? {
    do {
      let text = row.text(2) ?? ""
      var event = try JSONDecoder().decode(RegionEvent.self, from: Data(text.utf8))
      if row.text(1) != boot { event.bootTimestamp = nil }
      return event
    } catch {
      Journal.warning("a stored event cannot be read and is left out: \(error)", .storage)
      return nil
    }
  }
}
