import Foundation
import Preferences
import SQLiteStore
import TestSupport
import Testing

struct PersistentStorageTests {
  private static let tool = ProgramRun.path(of: "preferences-tool")

  private let folder: TemporaryFolder
  private var path: String { folder.path + "/a.preferences" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(
    "another file that is copied over an open one is read, though both were changed as often",
    arguments: [true, false])
  func copiedOver(isObserved: Bool) throws {
    let other = folder.path + "/b.preferences"
    let (storage, otherStorage) = (PersistentStorage(path: path), PersistentStorage(path: other))
    for number in 0..<3 {
      try storage.setValue(number, forKey: "number")
      try otherStorage.setValue(number + 100, forKey: "number")
    }
    #expect(try storage.value(forKey: "number") == 2)
    let seen = Seen<Int>()
    let container = KeyValueContainer(storage: storage, key: "number", defaultValue: 0)
    let observation = isObserved ? try container.observe { seen.add($0) } : nil
    let bytes = try Data(contentsOf: URL(fileURLWithPath: other))
    try FileHandle(forUpdating: URL(fileURLWithPath: path)).write(contentsOf: bytes)
    if isObserved { #expect(seen.wait { $0.last == 102 }) }
    #expect(try storage.value(forKey: "number") == 102)
    try storage.setValue(5, forKey: "second")
    #expect(
      try ProgramRun.run(Self.tool, ["list", path]).lines == ["number", "second", "whole"])
    observation?.cancel()
  }

  @Test("a relative path is of the folder in which the storage was made")
  func relativePath() throws {
    let folder = FileManager.default.currentDirectoryPath
    #expect(PersistentStorage(path: "a.preferences").path == folder + "/a.preferences")
    #expect(PersistentStorage(path: path).path == path)
  }

  @Test("a value that was put into the file as bytes, not as text, is read and changed too")
  func valueAsBytes() throws {
    let storage = PersistentStorage(path: path)
    try storage.setValue(5, forKey: "count")
    try Database(path: path, mode: .readWrite).execute("UPDATE preferences SET value = x'37'")
    try storage.updateValue(forKey: "count") { (old: Int?) in (old ?? 0) + 1 }
    #expect(try storage.value(forKey: "count") == 8)
  }

  @Test("there is one standard storage, and it is named after the program")
  func standard() throws {
    #expect(PersistentStorage.standard === PersistentStorage.standard)
    let name = ProcessInfo.processInfo.processName
    #expect(PersistentStorage.standard.path.hasSuffix("/\(name).preferences"))
  }

  @Test(
    "a suite's file is in the service's state folder, else in the user's configuration",
    arguments: [
      (["STATE_DIRECTORY": "/var/lib/x:/other", "XDG_CONFIG_HOME": "/c"], "/var/lib/x"),
      (["XDG_CONFIG_HOME": "/c"], "/c"),
      (["XDG_CONFIG_HOME": "relative", "HOME": "/tmp/somebody"], "/tmp/somebody/.config"),
      (["HOME": "/tmp/somebody"], "/tmp/somebody/.config"),
    ] as [([String: String], String)])
  func location(environment: [String: String], expected: String) throws {
    var blank = ["STATE_DIRECTORY": "", "XDG_CONFIG_HOME": ""]
    blank.merge(environment) { $1 }
    let run = try ProgramRun.run(Self.tool, ["path", "my/suite"], environment: blank)
    #expect(run.lines == ["\(expected)/my-suite.preferences"])
  }

  @Test("making a storage and reading touch no file; the first write makes it, for its owner alone")
  func lazy() throws {
    let storage = PersistentStorage(path: folder.path + "/deep/a.preferences")
    #expect(try storage.value(forKey: "name") as String? == nil)
    #expect(try storage.keys() == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    try storage.setValue("Ada", forKey: "name")
    let attributes = try FileManager.default.attributesOfItem(atPath: storage.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let shared = PersistentStorage(path: path, readers: .everybody)
    try shared.setValue("Ada", forKey: "name")
    let open = try FileManager.default.attributesOfItem(atPath: path)
    #expect(open[.posixPermissions] as? Int == 0o644)
  }

  @Test("prefixes share a file without seeing each other's keys")
  func prefixes() throws {
    let one = PersistentStorage(path: path, keyPrefix: "one.")
    let two = PersistentStorage(path: path, keyPrefix: "two.")
    try one.setValue(1, forKey: "k")
    try two.setValue(2, forKey: "k")
    #expect(try one.value(forKey: "k") == 1)
    #expect(try one.keys() == ["k"])
    #expect(try PersistentStorage(path: path).keys() == ["one.k", "two.k"])
  }

  @Test("values are plain JSON text in a plain table, whole numbers exact")
  func format() throws {
    let storage = PersistentStorage(path: path)
    try storage.setValue(9_007_199_254_740_993, forKey: "big")
    try storage.setValue(["Zürich/Bern"], forKey: "places")
    try storage.setValue([Double.nan, -.infinity], forKey: "odd")
    let database = try Database(path: path, mode: .read)
    let rows = try database.prepare("SELECT key, value FROM preferences ORDER BY key").all { row in
      [row.text(0), row.text(1)]
    }
    #expect(
      rows == [
        ["big", "9007199254740993"], ["odd", #"["nan","-inf"]"#], ["places", #"["Zürich/Bern"]"#],
      ])
    #expect(try (storage.value(forKey: "odd") as [Double]?)?[0].isNaN == true)
  }

  @Test("one value that cannot be read hides no other, and stays as it is")
  func undecodable() throws {
    let storage = PersistentStorage(path: path)
    for (key, value) in [("a", 1), ("b", 2), ("c", 3)] { try storage.setValue(value, forKey: key) }
    do {
      let database = try Database(path: path)
      try database.execute("UPDATE preferences SET value = '{\"half' WHERE key = 'b'")
    }
    let error = #expect(throws: StorageError.self) { try storage.value(forKey: "b") as Int? }
    guard case .undecodable("b", "Int", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try storage.value(forKey: "a") == 1)
    #expect(try storage.value(forKey: "c") == 3)
    #expect(try storage.keys() == ["a", "b", "c"])
    #expect(throws: StorageError.self) {
      try storage.updateValue(forKey: "b") { (old: Int?) in (old ?? 0) + 1 }
    }
    #expect(try storage.entry(forKey: "b") == .value(Array("{\"half".utf8)))
    try storage.setValue(4, forKey: "b")
    #expect(try storage.value(forKey: "b") == 4)
  }

  @Test("keys, and a form of file, of a newer version survive an older one's writing")
  func newerVersion() throws {
    try PersistentStorage(path: path).setValue(1, forKey: "old")
    do {
      let database = try Database(path: path)
      try database.execute(
        """
        INSERT INTO preferences VALUES ('new', '{"shape":[1,{"x":null}]}');
        CREATE TABLE extra (note TEXT);
        INSERT INTO extra VALUES ('kept');
        PRAGMA user_version = 99;
        """)
    }
    let storage = PersistentStorage(path: path)
    try storage.setValue(2, forKey: "old")
    try storage.setValue(nil as Int?, forKey: "old")
    try storage.setValue(3, forKey: "other")
    #expect(
      try storage.entry(forKey: "new") == .value(Array(#"{"shape":[1,{"x":null}]}"#.utf8)))
    let database = try Database(path: path, mode: .read)
    #expect(try database.prepare("SELECT note FROM extra").first { row in row.text(0) } == "kept")
    #expect(try database.prepare("PRAGMA user_version").first { row in row.integer(0) } == 99)
  }

  @Test("a database of something else is refused and left as it is")
  func foreign() throws {
    do {
      let database = try Database(path: path)
      try database.execute("CREATE TABLE accounts (name)")
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = #expect(throws: StorageError.self) {
      try PersistentStorage(path: path).setValue(1, forKey: "a")
    }
    #expect(error?.description.contains("something else") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test("several processes lose no change of the same value")
  func processes() async throws {
    let path = path
    let times = 40
    try await withThrowingTaskGroup(of: ProgramRun.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try ProgramRun.run(Self.tool, ["count", path, "total", "\(times)"], within: 120)
        }
      }
      for try await run in group { #expect(run.status == 0, "\(run.errors)") }
    }
    #expect(try PersistentStorage(path: path).value(forKey: "total") == 4 * times)
  }

  @Test("processes that make the file at the same time make one")
  func making() async throws {
    let path = folder.path + "/new/a.preferences"
    try await withThrowingTaskGroup(of: ProgramRun.self) { group in
      for number in 0..<6 {
        group.addTask { try ProgramRun.run(Self.tool, ["set", path, "key \(number)", "x"]) }
      }
      for try await run in group { #expect(run.status == 0, "\(run.errors)") }
    }
    #expect(try PersistentStorage(path: path).keys() == (0..<6).map { "key \($0)" })
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new").sorted()
    #expect(names == ["a.preferences", "a.preferences-journal"])
  }

  @Test("a file that is taken away is made again at the next write")
  func takenAway() throws {
    let storage = PersistentStorage(path: path)
    try storage.setValue(1, forKey: "a")
    try FileManager.default.removeItem(atPath: path)
    #expect(try storage.value(forKey: "a") as Int? == nil)
    try storage.setValue(2, forKey: "a")
    #expect(try storage.value(forKey: "a") == 2)
    let other = try ProgramRun.run(Self.tool, ["list", path])
    #expect(other.lines == ["a", "whole"])
  }

  @Test("what is no file, such as a device, is refused and left where it is")
  func notAFile() throws {
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, folder.path] {
      let storage = PersistentStorage(path: path)
      let error = #expect(throws: StorageError.self) {
        try storage.value(forKey: "a") as Int?
      }
      #expect(error?.description.contains("it is not a file") == true)
      #expect(throws: StorageError.self) { try storage.setValue(1, forKey: "a") }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pipe"])
    let attributes = try FileManager.default.attributesOfItem(atPath: pipe)
    #expect(attributes[.type] as? FileAttributeType != .typeRegular)
  }

  @Test("a path with a NUL is refused, and the file of the shorter name is left alone")
  func pathWithNUL() throws {
    let other = try folder.write(Data("another's".utf8), to: "a")
    let storage = PersistentStorage(path: other + "\0b")
    #expect(throws: StorageError.self) { try storage.value(forKey: "k") as Int? }
    #expect(throws: StorageError.self) { try storage.setValue(1, forKey: "k") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
    #expect(FileManager.default.contents(atPath: other) == Data("another's".utf8))
  }

  @Test("keys are listed whatever they begin with, also with a mark that combines with the prefix")
  func combiningKeys() throws {
    let storage = PersistentStorage(path: path, keyPrefix: "e")
    for key in ["\u{301}x", "plain", ""] { try storage.setValue(1, forKey: key) }
    #expect(try storage.keys() == ["", "plain", "\u{301}x"])
  }
}
