import Glibc

/// The files of a machine, below a folder that stands for its root.
struct Tree: Sendable {
  /// What of a file decides who may use it.
  struct Rights: Equatable, Sendable {
    let group: UInt32
    let mode: UInt32

    /// Whether the members of a group, or everybody, may read and write.
    func allow(_ group: UInt32?) -> Bool {
      mode & 0o006 == 0o006 || (group == self.group && mode & 0o060 == 0o060)
    }

    /// Whether the members of a group, or everybody, may write.
    func allowWriting(_ group: UInt32?) -> Bool {
      mode & 0o002 != 0 || (group == self.group && mode & 0o020 != 0)
    }
  }

  private static let largestFile = 1 << 20

  /// Empty for the machine itself.
  let root: String

  /// Whether something has that name, be it a link that leads nowhere here, or may have it, in a
  /// folder that this user may not look into.
  func has(_ path: String) -> Bool {
    var information = stat()
    return unsafe lstat(root + path, &information) == 0 || errno == EACCES
  }

  /// Who may use a file; nil when it is not there.
  func rights(of path: String) -> Rights? {
    var information = stat()
    guard unsafe stat(root + path, &information) == 0 else { return nil }
    return Rights(group: information.st_gid, mode: information.st_mode)
  }

  /// A file's text; nil when it cannot be read.
  func text(of path: String) -> String? {
    guard let bytes = try? InputFile.read(root + path, upTo: Self.largestFile) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The names in a folder, sorted; none when it cannot be read.
  func names(in path: String) -> [String] {
    guard let folder = unsafe opendir(root + path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The number of a group in the tree's own file of groups; nil when it has none.
  func group(_ name: String) -> UInt32? { groupFields(name).flatMap { UInt32($0[2]) } }

  /// The members that the file of groups names for a group.
  func members(of group: String) -> [String] {
    groupFields(group)?[3].split(separator: ",").map(String.init) ?? []
  }

  private func groupFields(_ name: String) -> [Substring]? {
    text(of: "/etc/group")?.split(separator: "\n")
      .map { $0.split(separator: ":", omittingEmptySubsequences: false) }
      .first { $0.count == 4 && $0[0] == name }
  }
}
