import Glibc

extension Option {
  static let count = Option("count", .count, "end after so many measurements")
}

extension Command {
  /// Streams, as they come.
  static let watch = Command(
    name: "watch",
    summary: "positions, samples, orientation and other streams as they come",
    discussion: """
      Watches the position when nothing is named. Goes on until it is interrupted, --count
      measurements came (states and repetitions do not count) or --timeout is over; then exit
      status 3 says that there was none, or fewer than --count. When the daemon goes away it is
      waited for: standard error says so, or with --json a line {"link":"interrupted"}, then
      {"link":"resumed"}. With --json and several streams each object has a member "stream".
      """,
    operands: .words(WatchStream.allCases.map(\.rawValue)),
    options: [
      .interval, .distance, .accuracy, .rate, .sensor, .since, .heartbeat, .count, .timeout,
      .units, .coordinates,
    ],
    examples: [
      Example("gpsctl watch", "the position, each time there is a new one"),
      Example("gpsctl watch location acceleration", "both"),
      Example("gpsctl watch --distance 50m --interval 10s", "every 50 m, at most every 10 s"),
      Example("gpsctl watch acceleration --rate 100 --json", "samples for a script"),
      Example("gpsctl watch orientation --json | while read -r line; do …", "on each rotation"),
      Example("gpsctl watch --heartbeat 5s --json", "a sign of life every 5 s"),
    ]
  ) { invocation throws(Failure) in
    try await Watch(invocation).runUntilReaderGoes()
  }
}

extension Watch {
  /// The same, and ends when nobody reads the output any more.
  func runUntilReaderGoes() async throws(Failure) {
    if StandardStreams.canReaderGo {
      StandardStreams.onReaderGone { exit(ExitStatus.done.rawValue) }
    }
    try await run()
  }
}
