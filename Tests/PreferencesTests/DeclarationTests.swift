import Foundation
import Preferences
import TestSupport
import Testing

struct DeclarationTests {
  private static let head = """
    import Preferences
    extension PersistentStorage {
      var launchCount: KeyValueContainer<Int> { makeContainer(default: 0) }
      var userName: KeyValueContainer<String?> { makeContainer() }
    }
    func use(_ storage: PersistentStorage) throws {

    """

  @Test("what is right compiles")
  func control() throws {
    let text =
      Self.head + """
          storage.launchCount.value += 1
          storage.userName.value = nil
          storage.userName.value = "Ada"
          let count: Int = try storage.launchCount.read()
          try storage.launchCount.update { $0 += count }
        }
        extension MemoryStorage {
          var launchCount: KeyValueContainer<String> { makeContainer(default: "") }
        }
        """
    #expect(try CompileCheck.errors(in: text) == [])
  }

  @Test(
    "what is wrong does not compile",
    arguments: [
      ("storage.launchCount.value = \"5\" }", "cannot assign value of type 'String' to type 'Int'"),
      (
        "let name: Int? = storage.userName.value; _ = name }",
        "cannot assign value of type 'String?' to type 'Int?'"
      ),
      ("storage.launchCount.value = nil }", "'nil' cannot be assigned to type 'Int'"),
      (
        "}\nextension PersistentStorage { var launchCount: KeyValueContainer<Int> { makeContainer(default: 1) } }",
        "invalid redeclaration of 'launchCount'"
      ),
      (
        "}\nextension PersistentStorage { var noDefault: KeyValueContainer<Int> { makeContainer() } }",
        "cannot convert return expression of type 'KeyValueContainer<Wrapped?>' to return type"
      ),
      (
        "}\nstruct Opaque {}\nextension PersistentStorage { var opaque: KeyValueContainer<Opaque> { makeContainer(default: Opaque()) } }",
        "type 'Opaque' does not conform to protocol 'Decodable'"
      ),
    ])
  func refused(body: String, message: String) throws {
    let errors = try CompileCheck.errors(in: Self.head + body)
    #expect(errors.contains { $0.contains(message) }, "\(errors)")
  }

  /// Declared beside `Second`, whose container of the same name makes the same key.
  private struct First {
    static let line: UInt = #line + 2
    let storage: any KeyValueStorage
    var shared: KeyValueContainer<Int> { storage.makeContainer(default: 1) }
  }

  private struct Second {
    static let line: UInt = #line + 2
    let storage: any KeyValueStorage
    var shared: KeyValueContainer<Int> { storage.makeContainer(default: 2) }
  }

  @Test("a property's own name is the key")
  func key() throws {
    let storage = MemoryStorage()
    #expect(First(storage: storage).shared.key == "shared")
    First(storage: storage).shared.value = 7
    #expect(try storage.keys() == ["shared"])
  }

  @Test("the same key from another place is refused at first use, with both places named")
  func duplicate() throws {
    let storage = MemoryStorage()
    let first = First(storage: storage)
    let second = Second(storage: storage)
    try first.shared.write(5)
    for use in [
      { _ = try second.shared.read() }, { try second.shared.write(6) },
      { try second.shared.reset() },
      { try second.shared.update { $0 += 1 } }, { _ = try second.shared.observe { _ in } },
      { _ = try second.shared.isDefault() },
    ] as [() throws -> Void] {
      let error = #expect(throws: StorageError.self) { try use() }
      guard case .duplicateKey("shared", let one, let other)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(one.fileID == "PreferencesTests/DeclarationTests.swift")
      #expect(one.line == First.line)
      #expect(other.line == Second.line)
      #expect(error?.description.contains("\(one)") == true)
      #expect(error?.description.contains("\(other)") == true)
    }
    #expect(second.shared.value == 2, "the default, with a report")
    #expect(try first.shared.read() == 5, "the first goes on, and nothing was changed")
  }

  @Test("a container used any number of times is one declaration")
  func samePlace() throws {
    let storage = MemoryStorage()
    for number in 0..<3 { First(storage: storage).shared.value = number }
    #expect(try First(storage: storage).shared.read() == 2)
  }

  @Test("prefixes and other storages are other keys, but two objects on one file are not")
  func scopes() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.preferences"
    let plain = First(storage: PersistentStorage(path: path))
    let prefixed = Second(storage: PersistentStorage(path: path, keyPrefix: "second."))
    try plain.shared.write(5)
    try prefixed.shared.write(6)
    #expect(try plain.shared.read() == 5)
    #expect(try prefixed.shared.read() == 6)
    #expect(throws: StorageError.self) {
      try Second(storage: PersistentStorage(path: path)).shared.read()
    }
    #expect(try Second(storage: MemoryStorage()).shared.read() == 2)
  }
}
