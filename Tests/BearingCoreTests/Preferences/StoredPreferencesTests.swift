import Preferences
import TestSupport
import Testing
import Varlink

@testable import BearingCore

@Suite struct StoredPreferencesTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/bearingd.preferences" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func key(_ name: String) throws -> AnyPreferenceKey {
    try #require(PreferenceKeys.key(named: name))
  }

  @Test func whatWasSetIsThereForTheNextAndEachOwnerHasItsOwn() throws {
    let stored = StoredPreferences(path: path)
    #expect(try stored.load() == [:])
    try stored.set(5000, key("location.minInterval"), of: .user(1000))
    try stored.set(.null, key("acceleration.sensor"), of: .user(1000))
    try stored.set("utm", key("display.coordinates"), of: .machine)
    try stored.set(2.5, key("location.distanceFilter"), of: .user(0))
    try stored.set(1, key("stream.heartbeat"), of: .user(0))
    try stored.set(nil, key("stream.heartbeat"), of: .user(0))
    #expect(
      try StoredPreferences(path: path).load() == [
        .user(1000): ["location.minInterval": 5000, "acceleration.sensor": .null],
        .machine: ["display.coordinates": "utm"],
        .user(0): ["location.distanceFilter": 2.5],
      ])
  }

  @Test func whatAnotherVersionWroteDoesNoHarm() throws {
    let storage = PersistentStorage(path: path)
    try storage.setValue(-5, forKey: "7/location.minInterval")
    try storage.setValue("soon", forKey: "7/location.distanceFilter")
    try storage.setValue("cubits", forKey: "7/display.units")
    try storage.setValue(1, forKey: "7/location.future")
    try storage.setValue(1, forKey: "group/stream.heartbeat")
    try storage.setValue(1, forKey: "stream.heartbeat")
    try storage.setValue(9, forKey: "7/stream.heartbeat")
    #expect(try StoredPreferences(path: path).load() == [.user(7): ["stream.heartbeat": 9]])
  }

  @Test func whatCannotBeStoredIsToldAndChangesNothing() throws {
    let file = try folder.write("", to: "file")
    let stored = StoredPreferences(path: file + "/in/no/folder")
    #expect(throws: StorageError.self) {
      try stored.set(1, key("stream.heartbeat"), of: .machine)
    }
  }
}
