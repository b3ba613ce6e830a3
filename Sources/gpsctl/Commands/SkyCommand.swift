internal import BearingClient
internal import BearingModel

extension Command {
  /// The satellites in view.
  static let sky = Command(
    name: "sky",
    summary: "the satellites in view",
    discussion: """
      Starts the receiver when it rests, and waits for it (30 s if --timeout does not say
      otherwise). Exit status 3: it told of no satellites in time.
      """,
    options: [.maxAge, .timeout],
    examples: [
      Example("gpsctl sky", "what the receiver sees"),
      Example("gpsctl sky --json | jq '[.sky.satellites[] | select(.used)] | length'", "how many"),
    ]
  ) { invocation throws(Failure) in
    let session = Session(invocation)
    let maxAge = invocation.duration(.maxAge) ?? .seconds(5)
    let first = FirstReply(
      session: session, name: "satellites", timeout: invocation.duration(.timeout) ?? .seconds(30))
    let reply = try await first.of("io.bearing.location.SubscribeSky") { reply throws(Failure) in
      let update = try session.decode(reply, as: SkyUpdate.self)
      return update.sky != nil && update.age ?? .zero <= maxAge
    }
    try session.print(reply, as: SkyUpdate.self) { update in
      guard let sky = update.sky else { return session.style.state(update.state.rawValue) }
      let state = "  (\(session.style.state(update.state.rawValue)))\n\n"
      let room = StandardStreams.outputColumns.map { $0 - update.state.rawValue.count - 4 }
      return SkyText.summary(sky).text(columns: room) + state
        + SkyText.table(sky, style: session.style)
    }
  }
}
