import Foundation

/// What the kernel tells of a running daemon.
extension DaemonProcess {
  /// Looks again and again until something holds of which nobody is told; false when it does not in
  /// time, or the daemon has ended.
  public func waitUntil(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Date() + Self.patience
    while try !condition() {
      if Date() > deadline || hasEnded(within: 0.01) { return try condition() }
    }
    return true
  }

  /// How many descriptors it has open.
  public var descriptorCount: Int { descriptors.count }

  /// The number that its next descriptor gets.
  public var nextDescriptor: Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []
    let numbers = Set(names.compactMap(Int.init))
    return (0...numbers.count).first { !numbers.contains($0) } ?? 0
  }

  /// What its descriptors are, such as `socket:[123]` or a file's path.
  public var descriptors: [String] {
    let folder = "/proc/\(pid)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
  }

  /// How many Unix sockets it has that are there for long: connections, and what has a path.
  ///
  /// A message to the service manager goes out on a socket of its own, which is none of these: it is
  /// there for that moment, at any time.
  public var lastingSocketCount: Int {
    // Num RefCount Protocol Flags Type St Inode Path
    let rows = Self.kernelText("/proc/\(pid)/net/unix").split(separator: "\n").dropFirst()
      .map { $0.split(separator: " ") }
    let stream = "0001"
    let lasting = Set(
      rows.filter { $0.count > 7 || ($0.count == 7 && $0[4] == stream) }.map { "socket:[\($0[6])]" }
    )
    return descriptors.count { lasting.contains($0) }
  }

  /// Its resident memory in bytes.
  public var residentBytes: Int { (statusNumber("VmRSS", of: "/proc/\(pid)/status") ?? 0) * 1024 }

  /// The names of its threads.
  public var threads: [String] {
    threadFolders.map { Self.kernelText($0 + "/comm") }
      .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
  }

  /// A file of the kernel's; empty when it is not there.
  ///
  /// Read to its end: of a file without a size String takes no more than what the first read gives.
  public static func kernelText(_ path: String) -> String {
    let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd()
    return String(decoding: bytes ?? Data(), as: UTF8.self)
  }

  /// How many threads it has.
  public var threadCount: Int { threads.count }

  /// How often its threads gave the processor away or lost it, since its start.
  public var contextSwitches: Int {
    threadFolders.reduce(0) { sum, folder in
      sum + (statusNumber("voluntary_ctxt_switches", of: folder + "/status") ?? 0)
        + (statusNumber("nonvoluntary_ctxt_switches", of: folder + "/status") ?? 0)
    }
  }

  /// Seconds of processor time that it has used.
  public var processorSeconds: Double {
    let text = Self.kernelText("/proc/\(pid)/stat")
    // utime and stime are fields 14 and 15; the name, field 2, may hold blanks.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return 0
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private var threadFolders: [String] {
    let folder = "/proc/\(pid)/task"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map {
      "\(folder)/\($0)"
    }
  }

  private func statusNumber(_ name: String, of file: String) -> Int? {
    let text = Self.kernelText(file)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line.flatMap {
      Int($0.split(separator: ":")[1].split(whereSeparator: \.isWhitespace)[0])
    }
  }
}
