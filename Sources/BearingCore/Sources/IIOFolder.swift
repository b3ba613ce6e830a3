internal import CLinux
internal import Glibc

/// A sysfs tree, the machine's or a copy of one.
struct IIOTree: Sendable {
  /// Where it is mounted, such as /sys; without a slash at the end.
  let root: String

  /// Where its devices' nodes are, such as /dev; nil for a tree that comes without.
  let nodes: String?

  init(root: String, nodes: String? = nil) {
    self.nodes = nodes
    self.root = root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
  }

  /// The IIO devices, by number; triggers stand in the same folder and are left out.
  ///
  /// A tree without the folder has none: the kernel makes it with the first IIO driver.
  func devices() throws(SystemError) -> [IIOFolder] { try folders(prefix: Self.devicePrefix) }

  /// The triggers, by number.
  func triggers() throws(SystemError) -> [IIOFolder] { try folders(prefix: "trigger") }

  /// Whether the kernel could call a device so.
  static func isDevice(_ name: String) -> Bool { number(of: name, prefix: devicePrefix) != nil }

  private static let devicePrefix = "iio:device"

  private static func number(of name: String, prefix: String) -> Int? {
    name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
  }

  private func folders(prefix: String) throws(SystemError) -> [IIOFolder] {
    let folder = "\(root)/bus/iio/devices"
    let names: [String]
    do throws(SystemError) {
      names = try Files.names(in: folder)
    } catch {
      if error.isNotFound { return [] }
      throw error
    }
    return names.compactMap { name in
      Self.number(of: name, prefix: prefix).map { (name: name, number: $0) }
    }
    .sorted { $0.number < $1.number }
    .map { IIOFolder(tree: self, identifier: $0.name) }
  }
}

/// One device's folder of attributes.
struct IIOFolder: Sendable, Equatable {
  /// The kernel's name, such as iio:device0.
  let identifier: String
  private let treeRoot: String
  /// `path` with its links followed; nil when there was nothing.
  private let real: String?
  /// The folder under the bus, with the tree's root.
  let path: String
  /// The device's place below the tree's root, such as /devices/…/i2c-KIOX000A:00/iio:device0;
  /// nil in a tree whose bus folder holds no links.
  let place: String?
  /// The folder of the device that it belongs to, with the tree's root; nil as `place`.
  let parent: String?

  fileprivate init(tree: IIOTree, identifier: String) {
    self.identifier = identifier
    treeRoot = tree.root
    path = "\(tree.root)/bus/iio/devices/\(identifier)"
    real = Self.resolve(path)
    guard let root = Self.resolve(tree.root), let real, real.hasPrefix(root + "/devices/") else {
      place = nil
      parent = nil
      return
    }
    let place = String(real.dropFirst(root.count))
    self.place = place
    parent = tree.root + String(place[..<(place.lastIndex(of: "/") ?? place.endIndex)])
  }

  /// What tells it from every other device that is there.
  var spot: String { place ?? path }

  /// Whether it is still there, and not another device that has its name now.
  var isThere: Bool {
    real.map { Self.resolve(path) == $0 } ?? Files.exists(path)
  }

  /// Whether it has a file or folder of that name.
  func has(_ name: String) -> Bool { unsafe access("\(path)/\(name)", F_OK) == 0 }

  /// Whether the device that it belongs to has a file or folder of that name.
  func parentHas(_ name: String) -> Bool {
    guard let parent else { return false }
    return unsafe access("\(parent)/\(name)", F_OK) == 0
  }

  /// What the nearest bus above it says of whether it can be unplugged; nil when none does.
  var removable: String? {
    guard var folder = parent else { return nil }
    while folder.count > treeRoot.count {
      if let bytes = try? Files.read("\(folder)/removable", atMost: 4096) {
        return String(decoding: NumberText.trimmed(bytes), as: UTF8.self)
      }
      folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
    }
    return nil
  }

  /// The bytes of an attribute; the kernel gives one page at most. A driver may take seconds.
  func bytes(_ name: String) throws(SystemError) -> [UInt8] {
    try Files.read("\(path)/\(name)", atMost: 4096, mayBlock: true)
  }

  /// The line of an attribute, without the blanks around it.
  ///
  /// Some attributes end in a NUL behind the newline (current_timestamp_clock, Linux 6.1).
  func text(_ name: String) throws(SystemError) -> String {
    let line = try bytes(name).prefix { $0 != 0 }
    return String(decoding: NumberText.trimmed(line), as: UTF8.self)
  }

  /// Writes a line into an attribute.
  func write(_ text: String, to name: String) throws(SystemError) {
    let file = "\(path)/\(name)"
    let attempt = "write \(text.isEmpty ? "nothing" : text) to \(file)"
    let descriptor = unsafe clinux_open(file, O_WRONLY | O_TRUNC, 0)
    guard descriptor >= 0 else { throw SystemError(attempt) }
    defer { close(descriptor) }
    // In one go: a driver takes each write for a whole value.
    let line = Array("\(text)\n".utf8)
    let count = unsafe Glibc.write(descriptor, line, line.count)
    guard count < line.count else { return }
    throw SystemError(attempt, code: count < 0 ? errno : EIO)
  }

  /// The real path, links followed; nil when there is none.
  private static func resolve(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}

/// Reads a device's attributes and keeps what is wrong with them, for people.
struct IIOAttributes {
  let folder: IIOFolder
  /// What could not be read or understood, each with the name of its file.
  private(set) var warnings: [String] = []
  private let progress: IIOProgress?

  /// Of the device in that folder; `progress` is told of each file.
  init(_ folder: IIOFolder, progress: IIOProgress? = nil) {
    self.folder = folder
    self.progress = progress
  }

  /// What an attribute gave.
  enum Reading<Value> {
    /// None of the names is there.
    case absent
    /// The first one that is there has this value.
    case value(Value)
    /// The first one that is there cannot be read or understood; the warnings' last says why.
    case bad(reason: String)

    /// The value, if there is one.
    var value: Value? {
      if case .value(let value) = self { value } else { nil }
    }
  }

  /// Reads the first of `names` that the device has.
  mutating func read<Value>(
    _ names: [String], _ parse: ([UInt8]) throws(TextProblem) -> Value
  ) -> Reading<Value> {
    guard let name = names.first(where: folder.has) else { return .absent }
    progress?.note(file: "\(folder.path)/\(name)")
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try folder.bytes(name)
    } catch {
      warn("cannot \(error)")
      return .bad(reason: "cannot \(error)")
    }
    do throws(TextProblem) {
      return .value(try parse(bytes))
    } catch {
      let reason = "\(folder.path)/\(name): \(error.reason)"
      warn(reason)
      return .bad(reason: reason)
    }
  }

  /// Reads the first of `names` that the device has as a line of text; nil when it is empty.
  mutating func text(_ names: [String]) -> String? {
    let text = read(names) { bytes in String(decoding: NumberText.trimmed(bytes), as: UTF8.self) }
    guard let text = text.value, !text.isEmpty else { return nil }
    return text
  }

  /// Reads the first of `names` that the device has as a number; nil when there is none.
  mutating func number(_ names: [String]) -> Double? {
    read(names) { bytes throws(TextProblem) in try NumberText.decimal(bytes) }.value
  }

  /// Keeps a warning, once.
  mutating func warn(_ reason: String) {
    if !warnings.contains(reason) { warnings.append(reason) }
  }
}
