internal import BearingClient
internal import BearingModel
internal import Varlink

extension Command {
  /// How the display is held.
  static let orientation = Command(
    name: "orientation",
    summary: "how the display is held",
    discussion: """
      Starts the sensor when it rests, and waits for it (5 s if --timeout does not say otherwise).
      Exit status 3: it gave nothing that can be relied on in time.
      """,
    options: [.sensor, .timeout],
    examples: [
      Example("gpsctl orientation", "such as: leftUp, vertical"),
      Example("gpsctl watch orientation", "each change"),
    ]
  ) { invocation throws(Failure) in
    let session = Session(invocation)
    let first = FirstReply(
      session: session, name: "orientation", timeout: invocation.duration(.timeout) ?? .seconds(5))
    let stream = WatchStream.orientation
    let reply = try await first.of(stream.method, stream.parameters(invocation)) {
      reply throws(Failure) in
      let update = try session.decode(reply, as: OrientationUpdate.self)
      if update.state == .noSensor { throw Failure(.failed, "there is no accelerometer") }
      return update.state == .live && update.orientation != .undefined
    }
    try session.print(reply, as: OrientationUpdate.self) { update in
      "\(update.orientation.rawValue), \(update.tilt.rawValue)"
    }
  }
}
