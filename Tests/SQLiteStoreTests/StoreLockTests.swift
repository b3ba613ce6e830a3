import SQLiteStore
import TestSupport
import Testing

struct StoreLockTests {
  @Test(
    "a lock that was let go of is free, though a child that is being started has it open",
    arguments: [true, false])
  func letGo(isFolder: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "store.db")
    func lock() throws -> StoreLock {
      isFolder
        ? try StoreLock(folder: folder.path, timeout: 0)
        : try StoreLock(database: path, timeout: 0)
    }
    let first = try lock()
    let copies = OpenCopies(of: isFolder ? folder.path : path)
    #expect(copies.count == 1)
    #expect(throws: StoreError.self) { _ = try lock() }
    _ = consume first
    #expect(throws: Never.self) { _ = try lock() }
    withExtendedLifetime(copies) {}
  }
}
