import Foundation
import Preferences
import TestSupport
import Testing

struct KeyValueContainerTests {
  /// Writes a value in each storage and expects it back.
  private func expectBack<T: Codable & Equatable>(
    _ value: T, default defaultValue: T, in kind: StorageKind
  ) throws {
    let sample = try kind.make()
    let container = KeyValueContainer(
      storage: sample.storage, key: "key", defaultValue: defaultValue)
    #expect(try container.read() == defaultValue)
    #expect(try container.isDefault())
    try container.write(value)
    #expect(try container.read() == value)
    #expect(container.value == value)
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
    try expectBack(Date(timeIntervalSince1970: 1_700_000_000.5), default: .distantPast, in: kind)
    try expectBack([1, 2, 3], default: [], in: kind)
    try expectBack(["a": ["b": 1.5]], default: [:], in: kind)
    try expectBack(
      Place.zurich, default: Place(name: "", latitude: 0, visits: 0, tags: [:]), in: kind)
    try expectBack([Place.zurich, Place.zurich], default: [], in: kind)
  }
}
