internal import BearingClient

/// Something that is wrong on this machine.
struct Finding: Equatable, Sendable {
  /// What is wrong.
  let problem: String
  /// Why that matters.
  let reason: String
  /// The command that mends it.
  let remedy: String
}

/// Looks for what keeps positions and samples from whoever runs it.
struct Doctor {
  /// What the daemon says to a call for the last position.
  enum Answer: Equatable, Sendable {
    case granted
    case denied(reason: String, remedy: String)
    case unreachable(String)
  }

  /// Who looks.
  struct User: Sendable {
    let name: String
    let uid: UInt32
    /// Those of the process.
    let groups: [UInt32]
  }

  let tree: Tree
  /// The path of the daemon's socket.
  let socket: String
  let user: User
  let answer: Answer
  /// The kinds of devices that the daemon only plays, in the wire's words.
  var simulated: Set<String> = []

  /// All that is wrong, what the rest depends on first.
  var findings: [Finding] {
    daemon + access + (usesGpsd ? gpsd : []) + (usesSensors ? sensors : [])
  }

  // MARK: The daemon

  private var daemon: [Finding] {
    guard tree.has(socket) else {
      return [
        Finding(
          problem: "the daemon's socket \(socket) is missing",
          reason: "no program can ask bearingd for anything there",
          remedy: isMachines
            ? "sudo systemctl enable --now bearingd.socket bearingd.service" : askMachines)
      ]
    }
    guard case .unreachable(let reason) = answer else { return [] }
    return [
      Finding(
        problem: "nobody answers at \(socket): \(reason)",
        reason: "no program of yours can ask bearingd for anything there",
        remedy: isMachines
          ? "sudo systemctl restart bearingd.socket bearingd.service" : askMachines)
    ]
  }

  /// Whether the socket is the one that systemd makes; another was named by whoever asks.
  private var isMachines: Bool { socket == SocketPath.system }

  private var askMachines: String {
    "gpsctl --socket \(SocketPath.system) doctor  # the socket of the machine's daemon"
  }

  private var access: [Finding] {
    if answer == .granted || user.uid == 0 { return [] }
    guard let group = tree.group("bearing") else {
      return [
        Finding(
          problem: "there is no group bearing", reason: "access is given by it",
          remedy: "sudo systemd-sysusers")
      ]
    }
    if tree.members(of: "bearing").contains(user.name), !user.groups.contains(group) {
      return [
        Finding(
          problem: "\(user.name) is in the group bearing, and this session began before that",
          reason: "a process has the groups of its user's login", remedy: "newgrp bearing")
      ]
    }
    if case .denied(let reason, let remedy) = answer {
      return [Finding(problem: reason, reason: "positions are refused to you", remedy: remedy)]
    }
    let known = ["bearing", "bearing-approximate"].compactMap(tree.group)
    if known.contains(where: user.groups.contains) { return [] }
    return [
      Finding(
        problem: "\(user.name) is not in the group bearing",
        reason: "positions are refused to you, unless the configuration has a rule for you",
        remedy: "sudo usermod -aG bearing \(user.name)  # then log in again")
    ]
  }

  // MARK: What is configured

  private var usesGpsd: Bool {
    if simulated.contains("location") { return false }
    let host = configured("GpsdHost", in: "Location") ?? "localhost"
    return configured("Source", in: "Location") ?? "gpsd" == "gpsd"
      && ["localhost", "127.0.0.1", "::1"].contains(host)
  }

  private var usesSensors: Bool {
    !simulated.contains("acceleration")
      && configured("Source", in: "Accelerometer") ?? "iio" == "iio"
  }

  /// The value that the daemon's configuration has for a key; nil when it stands nowhere.
  private func configured(_ key: String, in section: String) -> String? {
    let folder = "/etc/bearingd"
    let dropIns = tree.names(in: folder + "/bearingd.conf.d").filter { $0.hasSuffix(".conf") }
    let files = ["\(folder)/bearingd.conf"] + dropIns.map { "\(folder)/bearingd.conf.d/\($0)" }
    var value: String?
    for file in files {
      var isInside = false
      for line in (tree.text(of: file) ?? "").split(whereSeparator: \.isNewline) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          .map(Self.trimmed)
        if parts[0].hasPrefix("[") { isInside = parts[0] == "[\(section)]" }
        if isInside, parts.count == 2, parts[0] == key { value = parts[1] }
      }
    }
    return value?.isEmpty ?? true ? nil : value
  }

  /// Without the blanks around it, which mean nothing in a configuration.
  private static func trimmed(_ text: Substring) -> String {
    let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
    return String(text[..<end].drop(while: \.isWhitespace))
  }
}
