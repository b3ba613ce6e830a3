import Foundation
import TestSupport
import Testing

@testable import BearingCore

@Suite struct InstanceLockTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private var lockFile: String { folder.path + "/lock" }

  private func failure() -> InstanceLock.Failure? {
    do throws(InstanceLock.Failure) {
      _ = try InstanceLock(runtimeDirectory: folder.path)
      return nil
    } catch {
      return error
    }
  }

  @Test func aSecondOneLearnsWhoHasIt() throws {
    let first = try InstanceLock(runtimeDirectory: folder.path)
    let failure = failure()
    #expect(failure == .held(pid: getpid(), path: lockFile))
    #expect(failure?.description.hasPrefix("already running (pid \(getpid()))") == true)
    withExtendedLifetime(first) {}
  }

  @Test func itIsFreeAgainWhenItsHolderIsGoneThoughAChildHasItOpen() throws {
    let lock = try InstanceLock(runtimeDirectory: folder.path)
    let copies = OpenCopies(of: lockFile)
    #expect(copies.count == 1)
    _ = consume lock
    #expect(failure() == nil)
    withExtendedLifetime(copies) {}
  }

  @Test func whatIsNoFileIsNotTakenForTheLock() {
    #expect(mkfifo(lockFile, 0o600) == 0)
    #expect(failure()?.description == "lock \(lockFile); remove it: Not a regular file")
  }

  @Test func aHolderThatWasKilledHoldsNothing() throws {
    let hold = """
      import fcntl, os, signal, sys
      file = open(sys.argv[1], "w")
      fcntl.flock(file, fcntl.LOCK_EX)
      file.write(f"{os.getpid()}\\n"); file.flush()
      os.write(1, b"held\\n")
      signal.pause()
      """
    let holder = try ChildProcess("/usr/bin/python3", ["-c", hold, lockFile])
    #expect(holder.output.availableData == Data("held\n".utf8))
    #expect(failure() == .held(pid: holder.pid, path: lockFile))
    holder.send(SIGKILL)
    holder.wait()
    #expect(failure() == nil)
  }

  @Test func onlyItsOwnerCanOpenTheFile() throws {
    let lock = try InstanceLock(runtimeDirectory: folder.path)
    let attributes = try FileManager.default.attributesOfItem(atPath: lockFile)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try String(contentsOfFile: lockFile, encoding: .utf8) == "\(getpid())\n")
    withExtendedLifetime(lock) {}
  }

  @Test func anOldLongerNumberIsReplaced() throws {
    try folder.write("123456789012\n", to: "lock")
    let lock = try InstanceLock(runtimeDirectory: folder.path)
    #expect(try String(contentsOfFile: lockFile, encoding: .utf8) == "\(getpid())\n")
    withExtendedLifetime(lock) {}
  }

  @Test func aHolderThatHasNotSaidItsNumberIsStillAHolder() throws {
    let lock = try InstanceLock(runtimeDirectory: folder.path)
    try FileHandle(forWritingTo: URL(fileURLWithPath: lockFile)).truncate(atOffset: 0)
    #expect(failure() == .held(pid: nil, path: lockFile))
    withExtendedLifetime(lock) {}
  }

  @Test func aLinkIsNotFollowed() throws {
    let target = try folder.write("precious", to: "target")
    try FileManager.default.createSymbolicLink(atPath: lockFile, withDestinationPath: target)
    #expect(failure() == .system(SystemError("open \(lockFile)", code: ELOOP)))
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
  }

  @Test func aFolderThatIsNotThereIsNamed() {
    #expect(throws: InstanceLock.Failure.system(SystemError("open /nowhere/lock", code: ENOENT))) {
      _ = try InstanceLock(runtimeDirectory: "/nowhere")
    }
  }

  @Test func itsHolderMayRemoveAStaleSocketAndNothingElse() throws {
    let lock = try InstanceLock(runtimeDirectory: folder.path)
    let socketPath = folder.path + "/s"
    try lock.removeStaleSocket(socketPath)
    try makeSocket(socketPath)
    try lock.removeStaleSocket(socketPath)
    #expect(!FileManager.default.fileExists(atPath: socketPath))
    let file = try folder.write("precious", to: "file")
    #expect(throws: SystemError("replace \(file), which is no socket", code: EEXIST)) {
      try lock.removeStaleSocket(file)
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
  }

  /// A bound socket that nobody listens on, as a killed daemon leaves it.
  private func makeSocket(_ path: String) throws {
    #expect(mknod(path, S_IFSOCK | 0o600, 0) == 0)
    #expect(FileManager.default.fileExists(atPath: path))
  }
}
