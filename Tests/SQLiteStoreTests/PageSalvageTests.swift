import Foundation
import SQLiteStore
import TestSupport
import Testing

struct PageSalvageTests {
  /// A database with enough rows for several levels of pages, some of them longer than a page.
  private func makeFile() throws -> (bytes: [UInt8], rows: [String: SQLiteValue]) {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store.db"
    var rows: [String: SQLiteValue] = [:]
    do {
      let database = try Database(path: path)
      try database.execute("CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID")
      let insert = try database.prepare("INSERT INTO t VALUES (?, ?)")
      try database.transaction { () throws(StoreError) in
        for number in 0..<600 {
          let value: SQLiteValue =
            switch number % 5 {
            case 0: .null
            case 1: .text(String(repeating: "value \(number) ", count: number))
            case 2: .integer(Int64(number - 300) * 70_000_000_001)
            case 3: .real(Double(number) / 7)
            default: .blob([UInt8](repeating: UInt8(number % 256), count: 10 * number))
            }
          rows["key \(number)"] = value
          try insert.run(.text("key \(number)"), value)
        }
      }
    }
    return (try StoreFile.contents(of: path), rows)
  }

  private func read(_ bytes: [UInt8]) -> [String: SQLiteValue] {
    var found: [String: SQLiteValue] = [:]
    for row in PageSalvage(bytes).rows(columns: 2) {
      guard case .text(let key) = row[0] else { continue }
      found[key] = row[1]
    }
    return found
  }

  @Test("every row of a whole file is found")
  func whole() throws {
    let (bytes, rows) = try makeFile()
    #expect(read(bytes) == rows)
  }

  @Test("a lost header costs no row")
  func header() throws {
    var (bytes, rows) = try makeFile()
    bytes.replaceSubrange(0..<4096, with: repeatElement(0, count: 4096))
    #expect(read(bytes) == rows)
  }

  @Test("bytes put before the header cost no row")
  func byteOrderMark() throws {
    let (bytes, rows) = try makeFile()
    #expect(read([0xef, 0xbb, 0xbf] + bytes) == rows)
  }

  @Test("what is left of a cut file is found, and nothing that was not there")
  func cut() throws {
    let (bytes, rows) = try makeFile()
    for length in stride(from: 0, through: bytes.count, by: 20_001) {
      let found = read(Array(bytes.prefix(length)))
      for (key, value) in found { #expect(rows[key] == value) }
    }
    let half = read(Array(bytes.prefix(bytes.count / 2)))
    #expect(half.count > 100 && half.count < rows.count)
  }

  @Test("a page of noise costs the rows on it and no other")
  func noise() throws {
    var (bytes, rows) = try makeFile()
    var generator = SystemRandomNumberGenerator()
    let page = 5
    for index in page * 4096..<(page + 1) * 4096 {
      bytes[index] = .random(in: 0...255, using: &generator)
    }
    let found = read(bytes)
    #expect(found.count > rows.count * 8 / 10)
  }

  @Test("no bytes make it crash")
  func anyBytes() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var bytes = Array("SQLite format 3\0".utf8)
      let count = Int.random(in: 0...9000, using: &generator)
      for _ in 0..<count { bytes.append(.random(in: 0...255, using: &generator)) }
      if bytes.count > 4200 {
        bytes[16] = 2
        bytes[17] = 0
        for start in stride(from: 512, to: bytes.count - 16, by: 512) {
          bytes[start] = [0x0a, 0x02].randomElement(using: &generator) ?? 0
        }
      }
      _ = PageSalvage(bytes).rows(columns: 2)
    }
  }
}
