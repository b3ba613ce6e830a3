import Foundation
import Preferences
import TestSupport
import Testing

struct KeyValueContainerTests {
  /// Writes a value in each storage and expects it back, or what `UserDefaults` keeps of it.
  private func expectBack<T: Codable & Equatable>(
    _ value: T, keptByUserDefaults: T? = nil, default defaultValue: T, in kind: StorageKind
  ) throws {
    let kept = kind == .userDefaults ? keptByUserDefaults ?? value : value
    let sample = try kind.make()
    let container = KeyValueContainer(
      storage: sample.storage, key: "key", defaultValue: defaultValue)
    #expect(try container.read() == defaultValue)
    #expect(try container.isDefault())
    try container.write(value)
    #expect(try container.read() == kept)
    sample.readAnew()
    #expect(try container.read() == kept)
    #expect(container.value == kept)
    #expect(try !container.isDefault())
    try container.reset()
    #expect(try container.read() == defaultValue)
    #expect(try container.isDefault())
  }

  @Test(
    "a value of each type is read as it was written, in each storage",
    arguments: StorageKind.available)
  func types(kind: StorageKind) throws {
    try expectBack(true, default: false, in: kind)
    try expectBack(false, default: true, in: kind)
    try expectBack(9_007_199_254_740_993, default: 0, in: kind)
    try expectBack(Int64.min, default: 0, in: kind)
    try expectBack(UInt8.max, default: 1, in: kind)
    try expectBack(0.1 + 0.2, default: 1, in: kind)
    try expectBack(5.0, default: 1, in: kind)
    try expectBack(Float(0.1), default: 1, in: kind)
    try expectBack("", default: "none", in: kind)
    try expectBack("Zürich 🧭 \"\\\n", default: "", in: kind)
    try expectBack(Data([0, 1, 255]), default: Data(), in: kind)
    try expectBack(
      Date(timeIntervalSince1970: 1_700_000_000.5),
      keptByUserDefaults: Date(timeIntervalSince1970: 1_700_000_000), default: .distantPast,
      in: kind)
    try expectBack(
      [Date(timeIntervalSince1970: -0.25)],
      keptByUserDefaults: [Date(timeIntervalSince1970: -1)], default: [], in: kind)
    try expectBack([1, 2, 3], default: [], in: kind)
    try expectBack(["a": ["b": 1.5]], default: [:], in: kind)
    try expectBack(
      Place.zurich, default: Place(name: "", latitude: 0, visits: 0, tags: [:]), in: kind)
    try expectBack([Place.zurich, Place.zurich], default: [], in: kind)
  }

  @Test("-0.0 keeps its sign, where the storage has one", arguments: StorageKind.available)
  func negativeZero(kind: StorageKind) throws {
    let sign: FloatingPointSign = kind == .userDefaults ? .plus : .minus
    let sample = try kind.make()
    let zero = KeyValueContainer(storage: sample.storage, key: "zero", defaultValue: 1.0)
    try zero.write(-0.0)
    #expect(try zero.read().sign == sign && zero.read() == 0)
    let zeros = KeyValueContainer(storage: sample.storage, key: "zeros", defaultValue: [Float]())
    try zeros.write([-0.0, 1])
    #expect(try zeros.read().map(\.sign) == [sign, .plus])
    sample.readAnew()
    #expect(try zero.read().sign == sign && zero.read() == 0)
    #expect(try zeros.read().map(\.sign) == [sign, .plus])
  }

  @Test(
    "a value that could not be read again is refused, and the old one stays",
    arguments: StorageKind.available.filter { ![.plain, .userDefaults].contains($0) })
  func unreadable(kind: StorageKind) throws {
    let sample = try kind.make()
    let amounts = KeyValueContainer(
      storage: sample.storage, key: "amounts", defaultValue: [Decimal]())
    try amounts.write([Decimal(0.5)])
    let error = #expect(throws: StorageError.self) { try amounts.write([1, .nan]) }
    #expect("\(String(describing: error))".contains("amounts"))
    #expect(throws: StorageError.self) { try amounts.update { $0.append(.nan) } }
    #expect(try amounts.read() == [Decimal(0.5)])
  }

  @Test(
    "keys that differ in how an accent is written are two, in each storage of the library",
    arguments: StorageKind.available.filter { $0 != .plain })
  func accents(kind: StorageKind) throws {
    let sample = try kind.make()
    defer { withExtendedLifetime(sample) {} }
    let storage = sample.storage
    try storage.setValue(1, forKey: "\u{e9}")
    #expect(try storage.value(forKey: "e\u{301}") as Int? == nil)
    try storage.setValue(2, forKey: "e\u{301}")
    #expect(try storage.value(forKey: "\u{e9}") as Int? == 1)
    #expect(try storage.value(forKey: "e\u{301}") as Int? == 2)
    if let encoded = storage as? any EncodedStorage {
      #expect(try encoded.keys().map { Array($0.utf8) } == [[0x65, 0xcc, 0x81], [0xc3, 0xa9]])
    }
  }
}
