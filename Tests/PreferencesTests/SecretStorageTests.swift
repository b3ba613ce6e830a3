import Foundation
import Preferences
import TestSupport
import Testing

@Suite(.enabled(if: StorageKind.keyringWorks, "the kernel's keyrings are not allowed here"))
final class SecretStorageTests {
  private let folder: TemporaryFolder
  private let service = "bearing-test-\(UUID().uuidString)"

  init() throws {
    folder = try TemporaryFolder()
  }

  deinit {
    Keyrings.forget(service)
  }

  private func storage(_ keyring: SecretStorage.Keyring = .process) -> SecretStorage {
    SecretStorage(service: service, keyring: keyring, credentialsFolder: folder.path)
  }

  @Test("a secret is in the kernel's keyring alone, and not in plain sight of other services")
  func keyring() throws {
    let secret = storage()
    try secret.setValue("s3cr3t", forKey: "token")
    #expect(try secret.value(forKey: "token") == "s3cr3t")
    #expect(try storage().value(forKey: "token") == "s3cr3t", "another object of the service")
    let other = SecretStorage(service: "\(service)-other", keyring: .process)
    #expect(try other.value(forKey: "token") as String? == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("a secret of the user's is there for other threads, and gone after a reset")
  func userKeyring() throws {
    let secret = storage(.user)
    try secret.setValue("s3cr3t", forKey: "token")
    let seen = Seen<String?>()
    Thread { seen.add(try? secret.value(forKey: "token")) }.start()
    #expect(seen.wait { $0 == ["s3cr3t"] })
    #expect(try secret.keys() == ["token"])
    try secret.setValue(nil as String?, forKey: "token")
    #expect(try secret.value(forKey: "token") as String? == nil)
    #expect(try secret.keys() == [])
  }

  @Test("a secret longer than a page comes back whole")
  func long() throws {
    let text = String(repeating: "0123456789", count: 500)
    try storage().setValue(text, forKey: "long")
    #expect(try storage().value(forKey: "long") == text)
  }

  @Test("a secret that the kernel cannot hold is refused, and the old one stays")
  func tooLong() throws {
    let secret = storage()
    try secret.setValue("short", forKey: "token")
    let error = #expect(throws: StorageError.self) {
      try secret.setValue(String(repeating: "x", count: 40_000), forKey: "token")
    }
    #expect(error?.description.contains("token") == true)
    #expect(try secret.value(forKey: "token") == "short")
  }

  @Test("a credential is read as the text, the bytes or the JSON that the administrator wrote")
  func credential() throws {
    try folder.write("pass word\n", to: "password")
    try folder.write(Data([0, 1, 2, 10]), to: "key")
    try folder.write("{\"port\": 2947}", to: "server")
    try folder.write("42\n", to: "number")
    let secret = storage()
    #expect(try secret.value(forKey: "password") == "pass word")
    #expect(try secret.value(forKey: "key") == [UInt8]([0, 1, 2, 10]))
    #expect(try secret.value(forKey: "key") == Data([0, 1, 2, 10]))
    #expect(try secret.value(forKey: "server") == ["port": 2947])
    #expect(try secret.value(forKey: "number") == 42)
    #expect(try secret.value(forKey: "number") == "42")
    #expect(try secret.keys() == ["key", "number", "password", "server"])
  }

  @Test("a secret that is written counts before the credential, which stays as it is")
  func overCredential() throws {
    try folder.write("old", to: "password")
    let secret = storage()
    let container: KeyValueContainer<String?> = secret.makeContainer(key: "password")
    try container.write("new")
    #expect(try container.read() == "new")
    try container.reset()
    #expect(try container.read() == "old")
    #expect(try String(contentsOfFile: folder.path + "/password", encoding: .utf8) == "old")
  }

  @Test("a change begins with the credential while nothing is written over it")
  func updateOverCredential() throws {
    try folder.write("5\n", to: "count")
    let secret = storage()
    let count: KeyValueContainer<Int> = secret.makeContainer(key: "count", default: 0)
    #expect(try count.update { $0 += 1 } == 6)
    #expect(try count.update { $0 += 1 } == 7)
    try count.reset()
    #expect(try count.update { $0 += 1 } == 6)
  }

  @Test("a credential is found under a previous name of its key")
  func renamedCredential() throws {
    try folder.write("sesame", to: "old")
    let secret = storage()
    let container: KeyValueContainer<String?> = secret.makeContainer(
      key: "new", previousKeys: ["older", "old"])
    #expect(try container.read() == "sesame")
    #expect(try !container.isDefault())
    try container.write("written")
    #expect(try container.read() == "written")
    let layered = LayeredStorage(forced: storage(), user: MemoryStorage())
    let fixed: KeyValueContainer<String?> = layered.makeContainer(
      key: "newest", previousKeys: ["old"])
    #expect(try fixed.read() == "sesame")
    #expect(throws: StorageError.forced(key: "newest")) { try fixed.write("other") }
  }

  @Test("the line end behind a credential's text is left out, of either kind")
  func lineEnds() throws {
    for (name, text) in [("a", "päss\n"), ("b", "päss\r\n"), ("c", "päss"), ("d", "päss\n\n")] {
      try folder.write(text, to: name)
    }
    let read = try ["a", "b", "c", "d"].map { try storage().value(forKey: $0) as String? }
    #expect(read == ["päss", "päss", "päss", "päss\n"])
  }

  @Test("an empty credential is an empty text or no bytes, and no JSON")
  func emptyCredential() throws {
    try folder.write("", to: "empty")
    let secret = storage()
    #expect(try secret.value(forKey: "empty") == "")
    #expect(try secret.value(forKey: "empty") == [UInt8]())
    #expect(throws: StorageError.self) { try secret.value(forKey: "empty") as [Int]? }
  }

  @Test("keys are listed up to the longest, and a longer one is refused with the limit")
  func longKeys() throws {
    let secret = storage()
    let longest = String(repeating: "k", count: 4094 - service.utf8.count)
    try secret.setValue(1, forKey: longest)
    #expect(try secret.keys() == [longest])
    let error = #expect(throws: StorageError.self) { try secret.setValue(1, forKey: longest + "k") }
    #expect(error?.description.contains("4,094") == true)
  }

  @Test("no key leads out of the credentials' folder")
  func outside() throws {
    try folder.write("secret", to: "inner/x")
    let inner = SecretStorage(
      service: service, keyring: .process, credentialsFolder: folder.path + "/inner")
    try folder.write("outer", to: "y")
    for key in ["../y", "inner/x", "", ".", "/etc/hostname"] {
      #expect(try inner.value(forKey: key) as String? == nil)
    }
  }

  @Test("a credential that is not what was asked for says so")
  func undecodable() throws {
    try folder.write("many", to: "number")
    let error = #expect(throws: StorageError.self) { try storage().value(forKey: "number") as Int? }
    guard case .undecodable("number", "Int", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("changes by others are told when the program looks for them")
  func observation() throws {
    let secret = storage()
    let seen = Seen<String>()
    let container = KeyValueContainer(storage: secret, key: "token", defaultValue: "none")
    let observation = try container.observe { seen.add($0) }
    try storage().setValue("by another", forKey: "token")
    #expect(seen.all == [])
    secret.processChanges()
    #expect(seen.all == ["by another"])
    observation.cancel()
  }

  @Test("a key with a NUL is refused: it is not taken for the one that ends there")
  func keyWithNUL() throws {
    let secret = storage()
    try secret.setValue("s3cr3t", forKey: "token")
    #expect(throws: StorageError.self) { try secret.value(forKey: "token\0x") as String? }
    #expect(throws: StorageError.self) { try secret.setValue("other", forKey: "token\0x") }
    #expect(try secret.value(forKey: "token") == "s3cr3t")
  }

  @Test("keys are listed also when they begin with a mark that combines with what is before them")
  func combiningKeys() throws {
    let secret = storage()
    try secret.setValue("s3cr3t", forKey: "\u{301}x")
    #expect(try secret.keys() == ["\u{301}x"])
  }
}
