internal import BearingClient
internal import Varlink

extension Option {
  static let accuracy = Option("accuracy", .distance, "largest horizontal accuracy that will do")
  static let timeout = Option("timeout", .duration, "end after this long")
  static let maxAge = Option("max-age", .duration, "take a fix that is there and at most this old")
  static let bestEffort = Option(
    "best-effort", .flag, "take the most accurate one when the time is over")
}

/// As long as the daemon waits for a position at most.
private let longestTimeout: Duration = .seconds(600)

extension Command {
  /// One position.
  static let fix = Command(
    name: "fix",
    summary: "one position",
    discussion: """
      Starts the receiver, waits for a position that is accurate enough (30 s if --timeout does not
      say otherwise, at most 10 minutes), prints it and lets the receiver rest again. Exit status 3:
      there was none in time.
      """,
    options: [.accuracy, .timeout, .maxAge, .bestEffort, .units, .coordinates],
    examples: [
      Example("gpsctl fix", "the next position"),
      Example("gpsctl fix --accuracy 10m --timeout 1m", "one that is good to 10 m"),
      Example("gpsctl fix --max-age 1h --best-effort", "what can be had without much waiting"),
      Example("gpsctl fix --json | jq .fix.latitude", "for a script"),
      Example("gpsctl fix --coordinates utm --units nautical", "for a chart"),
    ]
  ) { invocation throws(Failure) in
    let timeout = invocation.duration(.timeout)
    if let timeout, timeout > longestTimeout {
      throw .usage("--timeout \(Times.span(timeout)): expected at most 10m")
    }
    let text = await FixText(invocation)
    try await Session(invocation).show(
      "io.bearing.location.GetFix",
      [
        "accuracy": invocation.number(.accuracy).map { .double($0) },
        "timeout": .milliseconds(timeout),
        "maxAge": .milliseconds(invocation.duration(.maxAge)),
        "bestEffort": invocation.has(.bestEffort) ? true : nil,
      ],
      patience: (timeout ?? .seconds(30)) + BearingClient.patience, as: OneShotFix.self
    ) { answer in
      let note = answer.isBestEffort ? "\n(the best that came in time)" : ""
      return text.block(answer.fix, age: answer.age) + note
    }
  }
}
