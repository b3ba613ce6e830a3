import Foundation
import SQLiteStore
import TestSupport
import Testing

struct StoreFileTests {
  @Test(
    "a file that is written to or replaced since it was looked at is found to change, and no other")
  func changes() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a"
    try folder.write("", to: "a")
    let empty = try #require(try StoreFile.status(of: path))
    #expect(try !StoreFile.changes(path, from: empty))
    try FileHandle(forUpdating: URL(fileURLWithPath: path)).write(contentsOf: Data([1]))
    #expect(try StoreFile.changes(path, from: empty))
    let whole = try #require(try StoreFile.status(of: path))
    #expect(try !StoreFile.changes(path, from: whole))
    try folder.write("b", to: "b")
    #expect(rename(folder.path + "/b", path) == 0)
    #expect(try StoreFile.changes(path, from: whole))
    try FileManager.default.removeItem(atPath: path)
    #expect(try StoreFile.changes(path, from: whole))
  }
}
