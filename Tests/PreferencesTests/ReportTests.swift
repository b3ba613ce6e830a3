import Foundation
import Preferences
import TestSupport
import Testing

/// What `value` does, which cannot throw, and where it says so.
@Suite(.serialized)
struct ReportTests {
  private func reports(of body: () throws -> Void) rethrows -> [String] {
    let seen = Seen<String>()
    StorageReport.send { seen.add($0.description) }
    defer { StorageReport.send { _ in } }
    try body()
    return seen.all
  }

  @Test(
    "a value that cannot be read gives the default, one that cannot be written leaves the old; both are reported"
  )
  func failures() throws {
    let storage = MemoryStorage()
    try storage.setValue("ten", forKey: "limit")
    let limit = KeyValueContainer(storage: storage, key: "limit", defaultValue: 10)
    let reading = reports { #expect(limit.value == 10) }
    #expect(reading.contains { $0.hasPrefix("cannot read the value of \"limit\" as Int") })
    #expect(try storage.value(forKey: "limit") == "ten", "left as it is")

    let fixed = LayeredStorage(forced: storage, user: MemoryStorage())
    let name = KeyValueContainer(storage: fixed, key: "limit", defaultValue: "")
    let writing = reports { name.value = "eleven" }
    #expect(writing.contains("cannot write the value of \"limit\": the administrator has fixed it"))
    #expect(name.value == "ten")
  }

  @Test("a file that is set aside is reported with its new name and what could be kept")
  func setAside() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Data(count: 5000), to: "a.preferences")
    var value: Int? = 1
    let reports = try reports { value = try PersistentStorage(path: path).value(forKey: "a") }
    #expect(value == nil)
    let report = try #require(reports.first { $0.contains(path) })
    let aside = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first {
        $0.contains("damaged")
      })
    #expect(report.contains(aside))
    #expect(report.contains("0 keys could be kept"))
  }
}
