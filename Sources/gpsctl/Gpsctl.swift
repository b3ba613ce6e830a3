internal import BearingModel
import Glibc

/// `gpsctl`: what bearingd serves, for people and scripts.
@main
struct Gpsctl {
  /// Every command, as help lists them.
  static let commands: [Command] = [
    .status, .fix, .watch, .sky, .heading, .sensors, .orientation, .region, .monitor, .prefs,
    .clients, .explain, .metrics, .calibrate, .doctor, .completion,
  ]

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    StandardStreams.ignoreBrokenPipes()
    do throws(Failure) {
      if HandOver.isForGpsd(arguments) { throw HandOver.run(arguments) }
      StandardStreams.fillClosed()
      StandardStreams.quietenDispatch()
      try await run(arguments)
    } catch {
      StandardStreams.writeError("gpsctl: \(error.message)\n")
      exit(error.status.rawValue)
    }
  }

  private static func run(_ arguments: [String]) async throws(Failure) {
    let parser = ArgumentParser(commands: commands)
    let help = HelpText(commands: commands)
    if arguments.isEmpty {
      StandardStreams.writeError(help.overview + "\n")
      exit(ExitStatus.usage.rawValue)
    }
    switch try parser.parse(arguments) {
    case .version:
      try StandardStreams.writeOutput("gpsctl \(BearingVersion.text)\n")
    case .help(let path) where path.isEmpty:
      try StandardStreams.writeOutput(help.overview + "\n")
    case .help(let path):
      let text = help.text(of: try parser.command(at: path), at: path)
      try StandardStreams.writeOutput(text + "\n")
    case .run(let invocation):
      try await invocation.command.run(invocation)
    }
  }
}
