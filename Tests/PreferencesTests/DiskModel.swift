/// Something done to files, as a trace of system calls has it.
enum DiskOperation: Equatable {
  case create(String)
  case write(String, offset: Int, [UInt8])
  case truncate(String, Int)
  case rename(String, String)
  case unlink(String)
  /// The file's bytes, or the folder's names, are on the disk when it returns.
  case sync(String)
  /// The program has told its user that this number is kept.
  case acknowledge(Int)
}

/// A disk that may lose, at a power loss, whatever nobody waited for.
///
/// The bytes of a file are certain as of its last sync; each later write may be there, be missing, or be
/// there in some of its sectors. Names are certain as of their folder's last sync; of later changes the
/// first few are there, since file systems keep their order.
struct DiskModel {
  private static let sector = 512

  private struct File {
    var certain: [UInt8] = []
    var pending: [DiskOperation] = []
  }

  private var files: [Int: File] = [:]
  private var certainNames: [String: Int] = [:]
  private var pendingNames: [(folder: String, operation: DiskOperation, file: Int)] = []
  private var names: [String: Int] = [:]

  mutating func apply(_ operation: DiskOperation) {
    switch operation {
    case .create(let path):
      if names[path] != nil { return }
      let file = files.count
      files[file] = File()
      names[path] = file
      pendingNames.append((Self.folder(path), operation, file))
    case .write(let path, _, _), .truncate(let path, _):
      if let file = names[path] { files[file]?.pending.append(operation) }
    case .rename(let old, let new):
      guard let file = names.removeValue(forKey: old) else { return }
      names[new] = file
      pendingNames.append((Self.folder(new), operation, file))
    case .unlink(let path):
      guard let file = names.removeValue(forKey: path) else { return }
      pendingNames.append((Self.folder(path), operation, file))
    case .sync(let path):
      if let file = names[path] {
        files[file] = files[file].map { File(certain: Self.bytes($0) { _ in .all }) }
      } else {
        for (folder, operation, file) in pendingNames where folder == path {
          Self.apply(operation, file, to: &certainNames)
        }
        pendingNames.removeAll { $0.folder == path }
      }
    case .acknowledge: break
    }
  }

  /// How much of an uncertain write a power loss has left.
  enum Luck: CaseIterable {
    case all, nothing, sectors
  }

  /// What the disk has after a power loss now: the files' bytes by path.
  func afterPowerLoss(
    names count: (Int) -> Int, luck: (DiskOperation) -> Luck
  ) -> [String: [UInt8]] {
    var names = certainNames
    for (_, operation, file) in pendingNames.prefix(count(pendingNames.count)) {
      Self.apply(operation, file, to: &names)
    }
    return names.compactMapValues { files[$0].map { Self.bytes($0, luck) } }
  }

  private static func folder(_ path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  private static func apply(_ operation: DiskOperation, _ file: Int, to names: inout [String: Int])
  {
    switch operation {
    case .create(let path): names[path] = file
    case .unlink(let path): names[path] = nil
    case .rename(let old, let new):
      names[old] = nil
      names[new] = file
    default: break
    }
  }

  private static func bytes(_ file: File, _ luck: (DiskOperation) -> Luck) -> [UInt8] {
    var bytes = file.certain
    for operation in file.pending {
      let luck = luck(operation)
      switch operation {
      case .truncate(_, let size) where luck != .nothing:
        if bytes.count < size { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
        bytes.removeSubrange(size...)
      case .write(_, let offset, let written) where luck != .nothing:
        let end = offset + written.count
        if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
        for (index, byte) in written.enumerated() {
          let isEven = (offset + index) / sector % 2 == 0
          if luck == .all || isEven { bytes[offset + index] = byte }
        }
      default: break
      }
    }
    return bytes
  }
}
