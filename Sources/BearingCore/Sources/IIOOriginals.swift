internal import Glibc
internal import Locking

/// What sensors were set to before the daemon changed it, on file: a daemon that is killed cannot put
/// it back, and the next one does.
///
/// Each sensor has a file with a line for each setting, in the order in which they are put back:
/// the folder's identifier and place, the setting's name, and what it was.
public final class IIOOriginals: Sendable {
  private static let prefix = "settings."
  /// Bytes of a file at most.
  private static let mostBytes = 64 * Bytes.kibi

  private let folder: String
  /// The sensors that an earlier daemon has left changed, by identifier; false while they are so.
  private let left: [String: Guarded<Bool>]

  /// On files in that folder, which is to go with the machine's session.
  public init(folder: String) {
    self.folder = folder
    let names = ((try? Files.names(in: folder)) ?? []).filter { $0.hasPrefix(Self.prefix) }
    // Nothing else is the daemon's; and only names in ASCII are sure to differ as strings.
    let identifiers = names.map { String($0.dropFirst(Self.prefix.count)) }
      .filter(IIOTree.isDevice)
    left = Dictionary(uniqueKeysWithValues: identifiers.map { ($0, Guarded(false)) })
  }

  /// Puts back what an earlier daemon has left, on a thread of its own: a driver may take long.
  func putBackAll(in tree: IIOTree) {
    guard !left.isEmpty else { return }
    // Without the thread, each sensor is put back when it is used.
    try? PlainThread.start(name: "put back") { [self] in
      for identifier in left.keys { putBack(identifier, in: tree) }
    }
  }

  /// Puts back what an earlier daemon has left of that sensor; when another thread does, waits for it.
  func putBack(_ identifier: String, in tree: IIOTree) {
    left[identifier]?.withValue { isDone in
      guard !isDone else { return }
      isDone = true
      putBackNow(identifier, tree)
      forget(identifier)
    }
  }

  private func putBackNow(_ identifier: String, _ tree: IIOTree) {
    guard let bytes = try? Files.read(file(identifier), atMost: Self.mostBytes),
      let folders = try? tree.devices() + tree.triggers()
    else { return }
    // While it is open here, nobody else can begin to read the buffer.
    var node: IIOBufferNode?
    defer { withExtendedLifetime(node) {} }
    if let nodes = tree.nodes {
      do throws(SystemError) {
        node = try IIOBufferNode("\(nodes)/\(identifier)")
      } catch {
        // Who reads it already has set it as it is.
        if error.code == EBUSY { return }
      }
    }
    // What is behind the last newline was not written whole, and so nothing changed after it.
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast()
    {
      let parts = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      guard parts.count == 4,
        let folder = folders.first(where: {
          $0.identifier == parts[0] && $0.place ?? "" == parts[1]
        })
      else { continue }
      try? folder.write(parts[3], to: parts[2])
    }
  }

  /// Notes what a setting of a sensor was.
  func note(_ text: String, of name: String, in folder: IIOFolder, for identifier: String) {
    let line = "\(folder.identifier)\t\(folder.place ?? "")\t\(name)\t\(text)\n"
    // Where it cannot be noted, only a kill leaves it changed.
    try? Files.append(line, to: file(identifier))
  }

  /// The sensor is as it was.
  func forget(_ identifier: String) { Files.remove(file(identifier)) }

  private func file(_ identifier: String) -> String { "\(folder)/\(Self.prefix)\(identifier)" }
}
