internal import BearingClient
internal import BearingModel

extension Command {
  /// Where the device points.
  static let heading = Command(
    name: "heading",
    summary: "where the device points, by a compass or two antennas",
    discussion: """
      Starts the receiver when it rests, and waits for it (30 s if --timeout does not say
      otherwise). Where the device moves is the course that fix shows. Exit status 3: no receiver
      gave a heading in time.
      """,
    options: [.maxAge, .timeout],
    examples: [
      Example("gpsctl heading", "such as: 214.3° true"),
      Example("gpsctl watch heading --interval 1s", "each second"),
    ]
  ) { invocation throws(Failure) in
    let session = Session(invocation)
    let maxAge = invocation.duration(.maxAge) ?? .seconds(5)
    let first = FirstReply(
      session: session, name: "heading", timeout: invocation.duration(.timeout) ?? .seconds(30))
    let reply = try await first.of(WatchStream.heading.method) { reply throws(Failure) in
      let update = try session.decode(reply, as: HeadingUpdate.self)
      return update.heading != nil && update.age ?? .zero <= maxAge
    }
    try session.print(reply, as: HeadingUpdate.self) { update in
      update.heading.map(HeadingText.line) ?? session.style.state(update.state.rawValue)
    }
  }
}
