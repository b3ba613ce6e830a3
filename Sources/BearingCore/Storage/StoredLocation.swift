internal import BearingModel
internal import FoundationEssentials
internal import SQLiteStore

/// What the store keeps of location.
extension StateStore {
  /// The last fix, as it was written; its bootTimestamp only when it is of this boot.
  func lastFix(boot: String) throws(StoreError) -> Fix? {
    let found = try withDatabase { (database: borrowing Database) throws(StoreError) in
      try database.prepare("SELECT boot, fix FROM last_fix").first { (row: borrowing Row) in
        (boot: row.text(0), fix: row.text(1))
      }
    }
    guard let text = found?.fix else { return nil }
    do {
      var fix = try JSONDecoder().decode(Fix.self, from: Data(text.utf8))
      guard fix.canHaveBeen else {
        Journal.warning("the last fix that was stored is none and is left out", .storage)
        return nil
      }
      if found?.boot != boot { fix.bootTimestamp = nil }
      return fix
    } catch {
      Journal.warning(
        "the last fix that was stored cannot be read and is left out: \(error)", .storage)
      return nil
    }
  }

  func saveLastFix(_ fix: Fix, boot: String) throws(StoreError) {
    try withDatabase { (database: borrowing Database) throws(StoreError) in
      try database.prepare("INSERT OR REPLACE INTO last_fix (id, boot, fix) VALUES (1, ?, ?)")
        .run(.text(boot), .text(fix.json))
    }
  }

  /// The secret of approximate positions; drawn and stored at the first use.
  func approximateSecret() throws(StoreError) -> ApproximateView.Secret {
    let found = try withDatabase { (database: borrowing Database) throws(StoreError) in
      try database.prepare("SELECT shift, turn, phase, cell_row, cell_column FROM approximate")
        .first { (row: borrowing Row) in
          var secret = ApproximateView.Secret(
            grid: ApproximateGrid(shift: row.real(0) ?? -1, turn: row.real(1) ?? -1),
            phase: row.integer(2) ?? -1, cell: nil)
          if let cellRow = row.integer(3), let column = row.integer(4) {
            secret.cell = ApproximateGrid.Cell(row: Int(cellRow), column: Int(column))
          }
          return secret
        }
    }
    if let found {
      if found.isSound { return found }
      Journal.warning(
        "the stored secret of approximate positions is none: another is drawn", .storage)
    }
    let drawn = ApproximateView.Secret.drawn()
    try saveApproximateSecret(drawn)
    return drawn
  }

  func saveApproximateSecret(_ secret: ApproximateView.Secret) throws(StoreError) {
    try withDatabase { (database: borrowing Database) throws(StoreError) in
      try database.prepare(
        """
        INSERT OR REPLACE INTO approximate (id, shift, turn, phase, cell_row, cell_column)
        VALUES (1, ?, ?, ?, ?, ?)
        """
      ).run(
        .real(secret.grid.shift), .real(secret.grid.turn), .integer(secret.phase),
        secret.cell.map { .integer(Int64($0.row)) } ?? .null,
        secret.cell.map { .integer(Int64($0.column)) } ?? .null)
    }
  }
}

extension Fix {
  /// Whether it is on the globe, and has a sequence that others can follow: bytes on a disk can change.
  fileprivate var canHaveBeen: Bool {
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
      && (0...StateStore.mostSequence).contains(Int64(sequence))
  }
}

extension WireWritable {
  /// The value's form on the wire, which is also its form in the store.
  var json: String {
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
