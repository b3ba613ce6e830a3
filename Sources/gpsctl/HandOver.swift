/// Hands calls that are meant for gpsd's program of the same name over to it.
///
/// gpsd's gpsctl has options and device paths only, ours has commands; so the first argument tells
/// them apart.
struct HandOver {
  /// What the package renames gpsd's program to, beside ours.
  static let divertedName = "gpsctl.gpsd"

  /// Whether the arguments after the program's name are in the form of gpsd's program.
  static func isForGpsd(_ arguments: [String]) -> Bool {
    guard let first = arguments.first else { return false }
    let name = first.split(separator: "=", maxSplits: 1).first.map(String.init) ?? first
    if name.hasPrefix("-") {
      return !(Option.common + [.version]).contains { "--" + $0.name == name }
    }
    return first.contains("/")  // a device: /dev/ttyUSB0, tcp://host:port
  }

  /// Becomes gpsd's program, with the same arguments; returns only to tell why it could not.
  static func run(_ arguments: [String]) -> Failure {
    guard let program = gpsdProgram() else {
      return Failure(
        .failed,
        """
        "\(arguments.joined(separator: " "))" is a call for gpsd's own gpsctl, which is neither \
        \(divertedName) beside this program or in /usr/bin, nor another gpsctl on PATH; install \
        gpsd's clients (Debian: gpsd-clients or gpsd), or see gpsctl --help for this one
        """)
    }
    let error = Programs.become(program, arguments: ["gpsctl"] + arguments)
    return Failure(
      .failed,
      "gpsd's gpsctl, \(program), cannot be started: \(StandardStreams.describe(error))")
  }

  /// The diverted program, or the next gpsctl on PATH.
  ///
  /// Only entries of PATH behind this program's own are looked at, so that two copies of it never
  /// hand a call to each other for ever.
  static func gpsdProgram() -> String? {
    let own = Programs.own
    func isOther(_ path: String) -> Bool {
      guard let identity = Programs.identity(of: path) else { return false }
      return identity != own
    }
    let folder = Programs.ownPath?.dropLastComponent()
    let diverted = [folder, "/usr/bin"].compactMap { $0 }.map { "\($0)/\(divertedName)" }
    if let program = diverted.first(where: isOther) { return program }
    let path = StandardStreams.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    var candidates = path.split(separator: ":").map { "\($0)/gpsctl" }
    if let index = candidates.lastIndex(where: { Programs.identity(of: $0) == own }) {
      candidates.removeFirst(index + 1)
    }
    return candidates.first(where: isOther)
  }
}

extension String {
  /// A path without its last part.
  fileprivate func dropLastComponent() -> String {
    lastIndex(of: "/").map { String(self[..<$0]) } ?? "."
  }
}
