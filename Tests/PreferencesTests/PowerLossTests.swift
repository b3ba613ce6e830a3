import Foundation
import Preferences
import TestSupport
import Testing

/// A power loss at every moment of a run of writes: what was acknowledged is on the disk.
struct PowerLossTests {
  /// Whether a process may be traced here; sandboxes may forbid it.
  static let canTrace: Bool = {
    let run = try? ProgramRun.run("/usr/bin/env", ["strace", "-o", "/dev/null", "true"])
    return run?.status == 0
  }()

  private static let times = 6

  /// What the tool does to files while it counts, in order.
  private func trace(_ folder: TemporaryFolder) throws -> [DiskOperation] {
    let calls = "openat,pwrite64,write,ftruncate,fdatasync,fsync,unlink,rename,mkdir"
    let log = folder.path + "/trace"
    let disk = folder.path + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    let run = try ProgramRun.run(
      "/usr/bin/env",
      [
        "strace", "-a", "1", "-xx", "-s", "1000000", "-e", "trace=\(calls)", "-o", log,
        ProgramRun.path(of: "preferences-tool"), "count", disk + "/a.preferences", "total",
        "\(Self.times)",
      ])
    try #require(run.status == 0, "\(run.errors)")
    var reader = TraceReader(folder: disk)
    return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      .compactMap { reader.operation(of: $0) }
  }

  /// Power losses after each operation, each with several outcomes, that do not keep the promise.
  private func brokenPromises(_ operations: [DiskOperation]) throws -> (
    tried: Int, broken: [String]
  ) {
    let ground = try TemporaryFolder()
    var disk = DiskModel()
    var acknowledged = 0
    var tried = 0
    var broken: [String] = []
    var generator = SystemRandomNumberGenerator()
    for (step, operation) in operations.enumerated() {
      disk.apply(operation)
      if case .acknowledge(let number) = operation { acknowledged = number }
      let outcomes: [[String: [UInt8]]] = [
        disk.afterPowerLoss(names: { _ in 0 }, luck: { _ in .nothing }),
        disk.afterPowerLoss(names: { $0 }, luck: { _ in .all }),
        disk.afterPowerLoss(names: { $0 }, luck: { _ in .nothing }),
        disk.afterPowerLoss(names: { $0 }, luck: { _ in .sectors }),
        disk.afterPowerLoss(
          names: { .random(in: 0...$0, using: &generator) },
          luck: { _ in DiskModel.Luck.allCases.randomElement(using: &generator) ?? .all }),
      ]
      for files in outcomes {
        tried += 1
        let folder = "\(tried)"
        for (path, bytes) in files {
          let name = path.split(separator: "/").last.map(String.init) ?? path
          try ground.write(Data(bytes), to: "\(folder)/\(name)")
        }
        let storage = PersistentStorage(path: "\(ground.path)/\(folder)/a.preferences")
        let found = Result { try storage.value(forKey: "total") as Int? ?? 0 }
        // The one that was under way may have been kept already.
        guard case .success(let total) = found, (acknowledged...acknowledged + 1).contains(total)
        else {
          broken.append("after step \(step), \(acknowledged) acknowledged: \(found)")
          continue
        }
      }
    }
    return (tried, broken)
  }

  @Test(
    "a value that was acknowledged is there after a power loss at any moment",
    .enabled(if: canTrace))
  func promise() throws {
    let folder = try TemporaryFolder()
    let operations = try trace(folder)
    #expect(
      operations.filter { if case .acknowledge = $0 { true } else { false } }.count == Self.times)
    let (tried, broken) = try brokenPromises(operations)
    #expect(tried > 300)
    #expect(broken == [])
  }

  @Test(
    "on a disk that waits for nothing the same writes break the promise", .enabled(if: canTrace))
  func control() throws {
    let folder = try TemporaryFolder()
    let operations = try trace(folder).filter { if case .sync = $0 { false } else { true } }
    let (_, broken) = try brokenPromises(operations)
    #expect(!broken.isEmpty)
  }
}

/// Reads strace's lines, with every string in hexadecimal (`-xx`).
private struct TraceReader {
  /// Only what happens in here counts.
  let folder: String
  private var paths: [Int: String] = [:]

  init(folder: String) {
    self.folder = folder
  }

  mutating func operation(of line: Substring) -> DiskOperation? {
    guard let open = line.firstIndex(of: "("),
      let equals = line.range(of: ") = ", options: .backwards)
    else { return nil }
    let result = Int(line[equals.upperBound...].prefix { $0.isNumber || $0 == "-" }) ?? -1
    let call = line[..<open]
    let arguments = line[line.index(after: open)..<equals.lowerBound]
      .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard result >= 0 else { return nil }
    switch call {
    case "openat":
      let path = text(arguments[1])
      paths[result] = path.hasPrefix(folder) ? path : nil
      guard path.hasPrefix(folder + "/"), arguments[2].contains("O_CREAT") else { return nil }
      return .create(path)
    case "rename": return inFolder(text(arguments[0])).map { .rename($0, text(arguments[1])) }
    case "unlink": return inFolder(text(arguments[0])).map { .unlink($0) }
    case "write" where arguments[0] == "1":
      return Int(text(arguments[1]).trimmingCharacters(in: .whitespacesAndNewlines))
        .map { .acknowledge($0) }
    default:
      guard let path = paths[Int(arguments[0]) ?? -1] else { return nil }
      switch call {
      case "pwrite64":
        return .write(path, offset: Int(arguments[3]) ?? 0, bytes(arguments[1]))
      case "ftruncate": return .truncate(path, Int(arguments[1]) ?? 0)
      case "fsync", "fdatasync": return .sync(path)
      default: return nil
      }
    }
  }

  private func inFolder(_ path: String) -> String? {
    path.hasPrefix(folder) ? path : nil
  }

  /// `"\x2f\x74"`: the bytes.
  private func bytes(_ argument: String) -> [UInt8] {
    argument.split(separator: "\\x").compactMap { UInt8($0.prefix(2), radix: 16) }
  }

  private func text(_ argument: String) -> String {
    String(decoding: bytes(argument), as: UTF8.self)
  }
}
