/// The rows that can still be read in what is left of a database file.
///
/// Reads the pages one by one by SQLite's documented file format and needs neither the header nor the
/// pages above them, so that damage costs what stood in the damaged bytes and nothing else. It finds
/// the rows of tables made WITHOUT ROWID (and of indexes, which look the same).
public struct PageSalvage {
  /// The size of a page where the header does not tell, in bytes: SQLite's default.
  private static let defaultPageSize = 4096
  private static let magic = Array("SQLite format 3\0".utf8)
  /// Bytes of the file's header, at the start of the first page.
  private static let fileHeader = 100
  /// How far into the file the header is looked for: an editor may have put a byte order mark first.
  private static let headerSearch = 64

  private let bytes: ArraySlice<UInt8>
  private let pageSize: Int

  /// Looks at a file's bytes.
  public init(_ file: [UInt8]) {
    let starts = 0..<min(Self.headerSearch, file.count)
    let start = starts.first { file[$0...].starts(with: Self.magic) }
    bytes = file[(start ?? 0)...]
    let size = bytes.count < 18 ? 0 : Int(bytes[bytes.startIndex + 16]) << 8
    let told = size | (bytes.count < 18 ? 0 : Int(bytes[bytes.startIndex + 17]))
    let isSound = start != nil && told >= 512 && told & (told - 1) == 0
    // A size of 65,536 is written as 1.
    pageSize = isSound ? told : (start != nil && told == 1 ? 65_536 : Self.defaultPageSize)
  }

  /// The rows of that many columns, in the order of the file's pages.
  public func rows(columns: Int) -> [[SQLiteValue]] {
    let pages = 1...max(1, (bytes.count + pageSize - 1) / pageSize)
    return pages.flatMap { page in rows(onPage: page).filter { $0.count == columns } }
  }

  private func rows(onPage page: Int) -> [[SQLiteValue]] {
    let header = page == 1 ? Self.fileHeader : 0
    // An interior page has, before each row, the number of the page below it.
    let prefix: Int
    switch byte(page, header) {
    case 0x0a: prefix = 0
    case 0x02: prefix = 4
    default: return []
    }
    guard let count = number(page, header + 3, bytes: 2), count <= pageSize / 2 else { return [] }
    let pointers = header + (prefix == 0 ? 8 : 12)
    return (0..<count).compactMap { index in
      guard let cell = number(page, pointers + 2 * index, bytes: 2),
        let payload = payload(page, cell + prefix)
      else { return nil }
      return Record.values(payload)
    }
  }

  /// A row's bytes: what stands in the page, then what overflowed into others.
  private func payload(_ page: Int, _ offset: Int) -> [UInt8]? {
    var cursor = offset
    let size = varint { () -> UInt8? in
      defer { cursor += 1 }
      return byte(page, cursor)
    }
    guard let size, size <= bytes.count else { return nil }
    // How much stays in the page, as the format defines it for index pages.
    let most = (pageSize - 12) * 64 / 255 - 23
    let least = (pageSize - 12) * 32 / 255 - 23
    let spread = least + (size - least) % (pageSize - 4)
    let local = size <= most ? size : (spread <= most ? spread : least)
    guard var payload = slice(page, cursor, local) else { return nil }
    var next = size > local ? number(page, cursor + local, bytes: 4) ?? 0 : 0
    while payload.count < size {
      let part = min(size - payload.count, pageSize - 4)
      guard next > 1, let more = slice(next, 4, part), let following = number(next, 0, bytes: 4)
      else { return nil }
      payload += more
      next = following
    }
    return payload
  }

  private func slice(_ page: Int, _ offset: Int, _ count: Int) -> [UInt8]? {
    let start = bytes.startIndex + (page - 1) * pageSize + offset
    guard offset >= 0, offset + count <= pageSize, start + count <= bytes.endIndex else {
      return nil
    }
    return Array(bytes[start..<start + count])
  }

  private func byte(_ page: Int, _ offset: Int) -> UInt8? {
    slice(page, offset, 1)?.first
  }

  private func number(_ page: Int, _ offset: Int, bytes count: Int) -> Int? {
    slice(page, offset, count)?.reduce(0) { $0 << 8 | Int($1) }
  }
}

/// A row as SQLite's record format has it.
private enum Record {
  /// The values; nil when these bytes are no record.
  static func values(_ record: [UInt8]) -> [SQLiteValue]? {
    var cursor = 0
    let next = { () -> UInt8? in
      defer { cursor += 1 }
      return cursor < record.count ? record[cursor] : nil
    }
    guard let headerSize = varint(next), headerSize <= record.count else { return nil }
    var kinds: [Int] = []
    while cursor < headerSize {
      guard let kind = varint(next) else { return nil }
      kinds.append(kind)
    }
    guard cursor == headerSize else { return nil }
    var body = record[headerSize...]
    var values: [SQLiteValue] = []
    for kind in kinds {
      guard let size = size(of: kind), size <= body.count,
        let value = value(of: kind, Array(body.prefix(size)))
      else { return nil }
      values.append(value)
      body = body.dropFirst(size)
    }
    return body.isEmpty ? values : nil
  }

  private static func size(of kind: Int) -> Int? {
    switch kind {
    case 0, 8, 9: 0
    case 1...4: kind
    case 5: 6
    case 6, 7: 8
    case 12...: (kind - 12) / 2
    default: nil
    }
  }

  private static func value(of kind: Int, _ bytes: [UInt8]) -> SQLiteValue? {
    switch kind {
    case 0: return .null
    case 8, 9: return .integer(Int64(kind - 8))
    case 1...6:
      let negative = bytes[0] & 0x80 != 0
      return .integer(bytes.reduce(negative ? -1 : 0) { $0 << 8 | Int64($1) })
    case 7: return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    case let kind where kind % 2 == 0: return .blob(bytes)
    default: return String(validating: bytes, as: UTF8.self).map(SQLiteValue.text)
    }
  }
}

/// SQLite's number of 1 to 9 bytes; nil when the bytes end, or when it is no size of anything.
private func varint(_ next: () -> UInt8?) -> Int? {
  var value = 0
  for _ in 0..<8 {
    guard let byte = next() else { return nil }
    value = value << 7 | Int(byte & 0x7f)
    if byte & 0x80 == 0 { return value }
  }
  return nil
}
