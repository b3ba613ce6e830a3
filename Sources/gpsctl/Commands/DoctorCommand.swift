internal import BearingClient
internal import BearingModel
internal import Varlink
import Glibc

extension Command {
  /// What is wrong on this machine.
  static let doctor = Command(
    name: "doctor",
    summary: "what keeps positions and samples from you, and what mends it",
    discussion: """
      Looks at the daemon's socket, at your groups, at gpsd with its receivers, at ways around
      the rules of access, and at accelerometers; starts no device and changes nothing. Exit
      status 1: something is wrong. For each thing it says what, why that matters, and a command.
      """,
    examples: [
      Example("gpsctl doctor", "when nothing comes"),
      Example("gpsctl doctor --json | jq -r .remedy", "the commands alone"),
    ]
  ) { invocation throws(Failure) in
    let session = Session(invocation)
    let devices = (try? await session.client.status().devices) ?? []
    let doctor = Doctor(
      tree: Tree(root: ""), socket: session.client.socket,
      user: Doctor.User(
        name: Users.name(of: Int(getuid())), uid: getuid(), groups: Users.ownGroups),
      answer: await answer(session.client),
      simulated: Set(devices.filter(\.simulated).map(\.kind)))
    let findings = doctor.findings
    if findings.isEmpty {
      if !session.isJSON { try StandardStreams.writeOutput("Nothing is wrong.\n") }
      return
    }
    let text = findings.map { session.isJSON ? $0.json : $0.text(session.style) }
    try StandardStreams.writeOutput(
      text.joined(separator: session.isJSON ? "\n" : "\n\n") + "\n")
    let count = findings.count == 1 ? "1 thing is" : "\(findings.count) things are"
    throw Failure(.failed, "\(count) wrong")
  }

  private static func answer(_ client: BearingClient) async -> Doctor.Answer {
    do throws(BearingError) {
      _ = try await client.lastKnown()
      return .granted
    } catch {
      switch error {
      case .denied(let reason, let remedy): return .denied(reason: reason, remedy: remedy)
      case .unreachable(_, let reason), .connectionLost(let reason): return .unreachable(reason)
      default: return .unreachable(error.description)
      }
    }
  }
}

extension Finding {
  /// What is wrong, why that matters, and the command, which stays one line to copy.
  func text(_ style: Style) -> String {
    style.paint(HelpText.fitted(problem, indent: 0), .red)
      + "\n  why:  \(HelpText.fitted(reason, indent: 8))\n  mend: \(remedy)"
  }

  /// One JSON object.
  var json: String {
    "\(JSON.object(["problem": .string(problem), "reason": .string(reason), "remedy": .string(remedy)]))"
  }
}
