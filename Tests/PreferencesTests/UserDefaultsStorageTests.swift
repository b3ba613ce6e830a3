import Foundation
import Preferences
import PreferencesUserDefaults
import TestSupport
import Testing

/// A value of any number of levels.
private struct Chain: Codable, Equatable, Sendable {
  var rest: [Chain]
}

struct UserDefaultsStorageTests {
  private let sample: SampleStorage
  private let plain: UserDefaults

  init() throws {
    sample = try StorageKind.userDefaults.make()
    plain = try #require(UserDefaults(suiteName: sample.name))
  }

  private func container<T: Codable>(_ type: T.Type, _ key: String) -> KeyValueContainer<T?> {
    KeyValueContainer(storage: sample.storage, key: key)
  }

  @Test("what plain code has written is read through a container")
  func fromPlain() throws {
    plain.set(true, forKey: "bool")
    plain.set(42, forKey: "int")
    plain.set(2.5, forKey: "double")
    plain.set(Float(0.25), forKey: "float")
    plain.set("Zürich", forKey: "string")
    plain.set(Data([1, 2]), forKey: "data")
    plain.set(Date(timeIntervalSince1970: 1000), forKey: "date")
    plain.set(["a", "b"], forKey: "array")
    plain.set(["a": 1], forKey: "dictionary")
    #expect(plain.synchronize())
    #expect(try container(Bool.self, "bool").read() == true)
    #expect(try container(Int.self, "int").read() == 42)
    #expect(try container(Double.self, "double").read() == 2.5)
    #expect(try container(Float.self, "float").read() == 0.25)
    #expect(try container(String.self, "string").read() == "Zürich")
    #expect(try container(Data.self, "data").read() == Data([1, 2]))
    #expect(try container(Date.self, "date").read() == Date(timeIntervalSince1970: 1000))
    #expect(try container([String].self, "array").read() == ["a", "b"])
    #expect(try container([String: Int].self, "dictionary").read() == ["a": 1])
  }

  @Test("what a container has written is read by plain code")
  func toPlain() throws {
    try container(Bool.self, "bool").write(true)
    try container(Int.self, "int").write(9_007_199_254_740_993)
    try container(Double.self, "double").write(2.5)
    try container(String.self, "string").write("Zürich")
    try container(Data.self, "data").write(Data([1, 2]))
    try container(Date.self, "date").write(Date(timeIntervalSince1970: 1000))
    try container([String].self, "array").write(["a", "b"])
    try container([String: Int].self, "dictionary").write(["a": 1])
    let plain = try #require(UserDefaults(suiteName: sample.name))
    #expect(plain.bool(forKey: "bool"))
    #expect(plain.integer(forKey: "int") == 9_007_199_254_740_993)
    #expect(plain.double(forKey: "double") == 2.5)
    #expect(plain.string(forKey: "string") == "Zürich")
    #expect(plain.data(forKey: "data") == Data([1, 2]))
    #expect(plain.object(forKey: "date") as? Date == Date(timeIntervalSince1970: 1000))
    #expect(plain.stringArray(forKey: "array") == ["a", "b"])
    #expect(plain.dictionary(forKey: "dictionary") as? [String: Int] == ["a": 1])
  }

  @Test("a structure is a dictionary to plain code, both ways")
  func structures() throws {
    let place = Place.zurich
    try container(Place.self, "place").write(place)
    let plain = try #require(UserDefaults(suiteName: sample.name))
    let dictionary = try #require(plain.dictionary(forKey: "place"))
    #expect(dictionary["name"] as? String == place.name)
    #expect(dictionary["latitude"] as? Double == place.latitude)
    #expect(dictionary["visits"] as? Int == Int(place.visits))
    #expect(dictionary["tags"] as? [String: [Int]] == place.tags)
    plain.set(
      ["name": "Bern", "latitude": 46.9, "visits": 3, "note": "Bär", "tags": ["x": [7]]],
      forKey: "place")
    #expect(plain.synchronize())
    let read = try container(Place.self, "place").read()
    #expect(read == Place(name: "Bern", latitude: 46.9, visits: 3, note: "Bär", tags: ["x": [7]]))
  }

  @Test("a structure that plain code keeps as encoded data is read too")
  func encodedStructures() throws {
    plain.set(try JSONEncoder().encode(Place.zurich), forKey: "json")
    plain.set(try PropertyListEncoder().encode(Place.zurich), forKey: "list")
    #expect(plain.synchronize())
    #expect(try container(Place.self, "json").read() == .zurich)
    #expect(try container(Place.self, "list").read() == .zurich)
  }

  @Test("another process finds what was written, with no more ado")
  func written() throws {
    try container(String.self, "name").write("Ada")
    let file = try Data(contentsOf: URL(fileURLWithPath: UserDefaultsFile.path(sample.name)))
    let list = try PropertyListSerialization.propertyList(from: file, format: nil)
    #expect((list as? [String: Any])?["name"] as? String == "Ada")
  }

  @Test("threads that change a value by what it is lose no change of each other's")
  func updates() throws {
    let (threads, changes) = (4, 50)
    let storage = sample.storage
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      for _ in 0..<changes {
        try? storage.updateValue(forKey: "count") { (old: Int?) in (old ?? 0) + 1 }
      }
    }
    #expect(try container(Int.self, "count").read() == threads * changes)
  }

  @Test("nil and reset take the value away")
  func null() throws {
    try container(Int.self, "int").write(1)
    try container(Int.self, "int").write(nil)
    #expect(plain.object(forKey: "int") == nil)
    #expect(try container(Int.self, "int").isDefault())
  }

  @Test("a value of another type is an error and stays")
  func undecodable() throws {
    plain.set("five", forKey: "int")
    #expect(throws: StorageError.self) { try container(Int.self, "int").read() }
    #expect(plain.string(forKey: "int") == "five")
  }

  @Test("what a container, plain code or another program writes is told")
  func observed() throws {
    let seen = Seen<Int?>()
    let observation = try container(Int.self, "int").observe { seen.add($0) }
    plain.set(7, forKey: "int")
    #expect(plain.synchronize())
    #expect(seen.wait { $0 == [7] }, "\(seen.all)")
    try container(Int.self, "int").write(8)
    #expect(seen.wait { $0 == [7, 8] }, "\(seen.all)")
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["int": 9], format: .xml, options: 0)
    try list.write(to: URL(fileURLWithPath: UserDefaultsFile.path(sample.name)), options: .atomic)
    #expect(seen.wait { $0 == [7, 8, 9] }, "\(seen.all)")
    observation.cancel()
  }

  @Test("it is told also where HOME is another folder than the user's own")
  func observedInAnotherHome() throws {
    let home = try TemporaryFolder()
    let run = try ProgramRun.run(
      URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path,
      [
        "--testing-library", "swift-testing", "--filter",
        #"UserDefaultsStorageTests/observed\(\)"#,
      ],
      environment: ["HOME": home.path, "XDG_CONFIG_HOME": ""], within: 120)
    let said = run.output + run.errors
    #expect(run.status == 0 && said.contains("1 test in 1 suite passed"), "\(said)")
  }

  @Test("what a suite in a folder of its own is given by another program is told")
  func observedInFolder() throws {
    let suite = sample.name + "/inner"
    let file = URL(fileURLWithPath: UserDefaultsFile.path(suite))
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let storage = UserDefaultsStorage(suiteName: suite)
    try storage.setValue(7, forKey: "int")
    let seen = Seen<Int?>()
    let observation = try KeyValueContainer<Int?>(storage: storage, key: "int").observe {
      seen.add($0)
    }
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["int": 9], format: .xml, options: 0)
    try list.write(to: file, options: .atomic)
    #expect(seen.wait { $0 == [9] }, "\(seen.all)")
    observation.cancel()
  }

  @Test("what has no property list is refused, says why, and leaves the old value")
  func noNull() throws {
    try container([Int?].self, "list").write([1])
    try container([String: Int?].self, "dictionary").write(["a": 1])
    try container(String.self, "text").write("null")
    func refusal(_ write: () throws -> Void) -> String {
      do {
        try write()
        return "nothing"
      } catch {
        return "\(error)"
      }
    }
    for refusal in [
      refusal { try sample.storage.setValue([1, nil], forKey: "list") },
      refusal { try sample.storage.setValue(["a": 1, "b": nil], forKey: "dictionary") },
      refusal { try sample.storage.setValue("$null", forKey: "text") },
    ] {
      #expect(refusal.contains("has no nil inside an array or a dictionary"), "\(refusal)")
    }
    let plain = try #require(UserDefaults(suiteName: sample.name))
    #expect(plain.array(forKey: "list") as? [Int] == [1])
    #expect(plain.dictionary(forKey: "dictionary") as? [String: Int] == ["a": 1])
    #expect(plain.string(forKey: "text") == "null")
  }

  @Test(
    "a date that its file cannot have is refused, and every other value stays",
    arguments: [.infinity, -.infinity, .nan, 2e16, -1e300])
  func impossibleDates(seconds: Double) throws {
    let date = container(Date.self, "date")
    try container(Int.self, "other").write(7)
    let furthest = Date(timeIntervalSinceReferenceDate: -1e16)
    try date.write(furthest)
    #expect(throws: StorageError.self) {
      try date.write(Date(timeIntervalSinceReferenceDate: seconds))
    }
    #expect(throws: StorageError.self) {
      try sample.storage.setValue([Date(timeIntervalSinceReferenceDate: seconds)], forKey: "list")
    }
    sample.readAnew()
    #expect(try date.read() == furthest)
    #expect(try container(Int.self, "other").read() == 7)
  }

  @Test(
    "a number alone under a key that its file has a use for is refused, and every other value stays"
  )
  func archiveIdentifier() throws {
    try container(Int.self, "other").write(7)
    for write in [
      { try sample.storage.setValue(["CF$UID": 6], forKey: "dictionary") },
      { try sample.storage.setValue([["a": ["CF$UID": 0.5]]], forKey: "list") },
      { try sample.storage.setValue(UInt64.max, forKey: "CF$UID") },
    ] as [() throws -> Void] {
      let error = #expect(throws: StorageError.self) { try write() }
      #expect("\(String(describing: error))".contains("CF$UID"))
    }
    let truth = container([String: Bool].self, "truth")
    try truth.write(["CF$UID": true])
    let pair = container([String: Int].self, "pair")
    try pair.write(["CF$UID": 1, "a": 2])
    try container(String.self, "CF$UID").write("6")
    sample.readAnew()
    #expect(try container(Int.self, "other").read() == 7)
    #expect(try pair.read() == ["CF$UID": 1, "a": 2])
    #expect(try truth.read() == ["CF$UID": true])
    #expect(try container(String.self, "CF$UID").read() == "6")
  }

  @Test("a value of many levels is kept, and one of too many is refused")
  func nested() throws {
    func chain(_ levels: Int) -> Chain {
      (0..<levels).reduce(Chain(rest: [])) { chain, _ in Chain(rest: [chain]) }
    }
    let container = container(Chain.self, "chain")
    try container.write(chain(31))
    for levels in [32, 300] {
      let error = #expect(throws: StorageError.self) { try container.write(chain(levels)) }
      #expect("\(String(describing: error))".contains("at most 64"))
    }
    sample.readAnew()
    #expect(try container.read() == chain(31))
  }

  @Test("text of any kind is read from the file as it was written")
  func texts() throws {
    let texts = [
      "a\0b", "\u{1}\u{b}\u{1f}", "a\rb\r\nc\n", "<&>\"'", "]]>", "   ", "\u{7f}\u{85}\u{2028}",
      "\u{fffe}\u{ffff}\u{feff}", "e\u{301}\u{e9}",
    ]
    let list = container([String].self, "list")
    try list.write(texts)
    for text in texts { try container(String.self, "key " + text).write(text) }
    sample.readAnew()
    #expect(try list.read().map { $0.map { Array($0.utf8) } } == texts.map { Array($0.utf8) })
    for text in texts { #expect(try container(String.self, "key " + text).read() == text) }
  }
}
