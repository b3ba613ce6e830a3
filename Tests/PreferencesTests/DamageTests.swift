import Foundation
import Preferences
import SQLiteStore
import TestSupport
import Testing

/// What becomes of a preferences file that power losses, editors and full disks were at.
@Suite(.serialized)
struct DamageTests {
  private static let tool = ProgramRun.path(of: "preferences-tool")

  private let folder: TemporaryFolder
  private var path: String { folder.path + "/a.preferences" }
  private let good: [String: Int64] = ["big": 9_007_199_254_740_993, "count": 7]

  init() throws {
    folder = try TemporaryFolder()
    let storage = PersistentStorage(path: path)
    try storage.setValue(1.5, forKey: "reportInterval")
    try storage.setValue(true, forKey: "enabled")
    try storage.setValue("Zürich", forKey: "name")
    for (key, value) in good { try storage.setValue(value, forKey: key) }
  }

  /// The ways a file was found damaged, by the names they have in bug reports.
  enum Damage: String, CaseIterable, Sendable {
    case empty, nul, cut, byteOrderMark, noise, header, mark, otherText

    /// Whether the pages that hold the values are whole.
    var leavesValues: Bool { [.byteOrderMark, .header, .mark].contains(self) }

    func apply(_ good: Data) -> Data {
      switch self {
      case .empty: Data()
      case .nul: Data(count: good.count)
      case .cut: good.prefix(good.count / 2 + 100)
      case .byteOrderMark: Data([0xef, 0xbb, 0xbf]) + good
      case .noise: Data((0..<good.count).map { UInt8(truncatingIfNeeded: $0 * $0 * 31 + 7) })
      case .header: Data(count: 100) + good.dropFirst(100)
      // The header's "application id".
      case .mark: good.prefix(68) + Data(count: 4) + good.dropFirst(72)
      case .otherText: Data("[Settings]\nname=Zürich\n".utf8)
      }
    }
  }

  @Test(
    "a damaged file is set aside, reported, and costs only what stood in the damage",
    arguments: Damage.allCases)
  func damaged(damage: Damage) throws {
    let before = damage.apply(try Data(contentsOf: URL(fileURLWithPath: path)))
    try before.write(to: URL(fileURLWithPath: path))
    let run = try ProgramRun.run(Self.tool, ["get", path, "name"])
    #expect(run.status == 0)
    #expect(run.lines == [damage.leavesValues ? "Zürich" : "(none)"])
    #expect(run.errors.contains("were damaged"), "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let aside = try #require(names.first { $0.contains("damaged") })
    #expect(names.sorted() == ["a.preferences", "a.preferences-journal", aside])
    #expect(run.errors.contains(aside))
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(aside)")) == before)

    let storage = PersistentStorage(path: path)
    for (key, value) in good {
      #expect(try storage.value(forKey: key) == (damage.leavesValues ? value : nil))
    }
    try storage.setValue("after", forKey: "name")
    let list = try ProgramRun.run(Self.tool, ["list", path])
    #expect(list.lines.last == "whole")
    #expect(list.errors == "", "it is reported once")
  }

  @Test("damage costs no key but those in the damaged bytes")
  func partly() throws {
    let storage = PersistentStorage(path: path)
    let long = String(repeating: "x", count: 300)
    for number in 0..<200 { try storage.setValue("\(number) \(long)", forKey: "key \(number)") }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let page = 4096
    #expect(bytes.count > 12 * page)
    bytes.replaceSubrange(7 * page..<8 * page, with: Data(count: page))
    // Under another name: an open connection has the pages in memory still.
    let other = try folder.write(bytes, to: "b.preferences")
    let damaged = PersistentStorage(path: other)
    var kept = 0
    for number in 0..<200 {
      let value: String? = try damaged.value(forKey: "key \(number)")
      if let value {
        #expect(value == "\(number) \(long)")
        kept += 1
      }
    }
    // A page has some 12 of these rows.
    #expect(kept >= 180 && kept < 200, "\(kept)")
    #expect(try Database(path: other, mode: .read).damage() == nil)
  }

  @Test("a file that is damaged while it is open is set aside by the next use")
  func whileOpen() throws {
    let storage = PersistentStorage(path: path)
    #expect(try storage.value(forKey: "name") == "Zürich")
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 0)
    try handle.close()
    #expect(try storage.value(forKey: "name") as String? == nil)
    try storage.setValue("after", forKey: "name")
    #expect(try storage.value(forKey: "name") == "after")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains { $0.hasPrefix("a.preferences.damaged-") })
  }

  @Test(
    "several processes that find the same damage set one file aside and lose nothing they write",
    arguments: 0..<5)
  func together(time: Int) async throws {
    try Data(count: 8192).write(to: URL(fileURLWithPath: path))
    let path = path
    try await withThrowingTaskGroup(of: ProgramRun.self) { group in
      for number in 0..<6 {
        group.addTask { try ProgramRun.run(Self.tool, ["set", path, "key \(number)", "x"]) }
      }
      for try await run in group { #expect(run.status == 0, "\(run.errors)") }
    }
    #expect(try PersistentStorage(path: path).keys() == (0..<6).map { "key \($0)" })
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.filter { $0.contains("damaged") }.count == 1)
  }

  @Test("what a killed maker left is cleared up by the next")
  func leftover() throws {
    try FileManager.default.removeItem(atPath: path)
    try folder.write("half a fi", to: "a.preferences.new")
    try folder.write("old journal", to: "a.preferences-journal")
    try PersistentStorage(path: path).setValue(1, forKey: "a")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["a.preferences", "a.preferences-journal"])
    #expect(try PersistentStorage(path: path).value(forKey: "a") == 1)
  }

  @Test(
    "what another program's journal has left beside a file that was removed is not played into a new one"
  )
  func leftoverLog() throws {
    let name = "a.preferences"
    do {
      try PersistentStorage(path: path).setValue(1, forKey: "a")
      let log = try Database(path: path, mode: .readWrite, durability: .consistency)
      try log.execute("UPDATE preferences SET value = '2'")
      for end in ["-wal", "-shm"] {
        try folder.write(Data(contentsOf: file(end)), to: name + ".kept" + end)
      }
    }
    try FileManager.default.removeItem(at: file(""))
    for end in ["-wal", "-shm"] {
      try FileManager.default.moveItem(at: file(".kept" + end), to: file(end))
    }
    let storage = PersistentStorage(path: path)
    try storage.setValue(3, forKey: "b")
    #expect(try storage.keys() == ["b"])
    #expect(try PersistentStorage(path: path).value(forKey: "b") == 3)
  }

  private func file(_ end: String) -> URL { URL(fileURLWithPath: path + end) }

  @Test("two damaged files of the same second are both kept")
  func twice() throws {
    for _ in 0..<3 {
      try Data(count: 4096).write(to: URL(fileURLWithPath: path))
      let storage = PersistentStorage(path: path)
      try storage.setValue(1, forKey: "a")
      #expect(try storage.value(forKey: "a") == 1)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.filter { $0.contains("damaged") }.count == 3)
  }
}
