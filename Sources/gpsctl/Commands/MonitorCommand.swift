internal import BearingClient

extension Option {
  static let ascii = Option("ascii", .flag, "draw with ASCII characters alone")
}

extension Command {
  /// The live picture of everything.
  static let monitor = Command(
    name: "monitor",
    summary: "a live picture of position, sky and acceleration",
    discussion: """
      Shows where the machine is, how accurate and how old that is, the satellites with their
      signals, the acceleration as a graph, and how the device is held. It follows the terminal's
      size, from 40×12. When the daemon goes away it says so and tries again until it is back.

      Keys: q quit, space hold the picture, u units, f coordinates, + and - the graph's scale,
      ? help. Ctrl-C ends it too, Ctrl-Z stops it. Over ssh it needs a terminal: ssh -t.

      It draws in Unicode where the locale is UTF-8, else (and on the Linux console) in ASCII, and
      in colour where the terminal has it and NO_COLOR is not set.
      """,
    options: [.units, .coordinates, .sensor, .ascii],
    examples: [
      Example("gpsctl monitor", "everything, in metric units"),
      Example("gpsctl monitor --units nautical --coordinates dms", "as on board"),
      Example("gpsctl monitor --ascii", "for a font without Braille"),
    ],
    insteadOfJSON: "gpsctl watch --json"
  ) { invocation throws(Failure) in
    try await MonitorCommand(invocation).run()
  }
}

/// Runs the monitor from the check that there is a daemon to the terminal as it was before.
private struct MonitorCommand {
  private let client: BearingClient
  private let sensor: String?
  private let invocation: Invocation
  private let isASCII: Bool

  init(_ invocation: Invocation) {
    client = BearingClient(
      socket: invocation.text(.socket),
      reconnection: ReconnectPolicy(maximumDelay: .seconds(2), waitsForFirstConnection: true))
    sensor = invocation.text(.sensor)
    self.invocation = invocation
    isASCII = invocation.has(.ascii)
  }

  @MainActor
  func run() async throws(Failure) {
    try Terminal.check()
    // A daemon that is not there is told before the screen is taken.
    do {
      _ = try await client.status()
    } catch {
      throw Failure(error)
    }
    let abilities = Terminal.Abilities.ofOutput
    let board = Board(text: await FixText(invocation))
    let streams = MonitorStreams(client: client, sensor: sensor, board: board)
    let glyphs = abilities.isUTF8 && !isASCII ? Glyphs.unicode : .ascii
    var monitor = Monitor(board: board, text: await board.text, glyphs: glyphs)
    let signal = try await show(&monitor, streams, abilities)
    if let signal { Terminal.end(by: signal) }
  }

  /// Has the terminal for as long as it runs.
  @MainActor
  private func show(
    _ monitor: inout Monitor, _ streams: MonitorStreams, _ abilities: Terminal.Abilities
  ) async throws(Failure) -> Int32? {
    let terminal = try Terminal(abilities)
    let following = Task { await streams.follow() }
    let signal = await monitor.run(on: terminal)
    following.cancel()
    return signal
  }
}
