internal import BearingClient
internal import Varlink

/// What a command that talks to the daemon works with.
struct Session: Sendable {
  let client: BearingClient
  let isJSON: Bool
  let style = Style.ofOutput

  init(_ invocation: Invocation) {
    client = BearingClient(socket: invocation.text(.socket))
    isJSON = invocation.has(.json)
  }

  /// Calls a method and prints its reply: as it came, or for people.
  func show<Reply: Decodable>(
    _ method: String, _ parameters: [String: JSON?] = [:], patience: Duration? = nil,
    as type: Reply.Type, forPeople text: (Reply) -> String
  ) async throws(Failure) {
    let reply: JSON
    do {
      reply = try await client.call(
        method, .object(parameters.compactMapValues { $0 }),
        patience: patience ?? BearingClient.patience)
    } catch {
      throw Failure(error)
    }
    try print(reply, as: type, forPeople: text)
  }

  /// Prints a reply: as it came, or for people.
  func print<Reply: Decodable>(
    _ reply: JSON, as type: Reply.Type, forPeople text: (Reply) -> String
  ) throws(Failure) {
    if isJSON {
      try StandardStreams.writeOutput("\(reply)\n")
    } else {
      try StandardStreams.writeOutput(text(try decode(reply, as: type)) + "\n")
    }
  }

  /// A reply as a type of the model.
  func decode<Reply: Decodable>(_ reply: JSON, as type: Reply.Type) throws(Failure) -> Reply {
    do {
      return try reply.decode(type)
    } catch {
      throw Failure(BearingError.invalidReply(error.description))
    }
  }
}

extension Failure {
  /// The exit status and words for an error of the daemon or of the connection to it.
  init(_ error: BearingError) {
    let status: ExitStatus =
      switch error {
      case .unreachable, .connectionLost: .unreachable
      case .denied: .denied
      case .timeout: .noData
      case .invalidParameter: .usage
      default: .failed
      }
    let hint = if case .unreachable = error { "; see gpsctl doctor" } else { "" }
    self.init(status, error.description + hint)
  }
}

extension BearingStream.Iterator {
  /// The next event; what ends the stream before its time is the program's failure.
  mutating func nextEvent() async throws(gpsctl.Failure) -> StreamEvent<Update>? {
    do {
      return try await next()
    } catch {
      throw gpsctl.Failure(error)
    }
  }
}

extension JSON {
  /// A time in the wire's whole milliseconds; what is above 0 stays above 0.
  static func milliseconds(_ duration: Duration?) -> JSON? {
    duration.map { .int(Int64(($0 / .milliseconds(1)).rounded(.up))) }
  }
}
