internal import BearingClient
internal import BearingModel
internal import Varlink

extension Command {
  /// Why a stream got what it got.
  static let explain = Command(
    name: "explain",
    summary: "why a client's stream did or did not get its last positions",
    discussion: """
      CLIENT is the number that gpsctl clients shows. Each line is one position that the stream
      might have had: delivered, or held back by a filter, with what was compared, or by the
      queue, when the client had not read what came before. No line says where that was. Your own
      clients; any for root and the group bearing-admin.
      """,
    operands: .texts(["CLIENT"]),
    examples: [
      Example("gpsctl explain 12", "the last 16 positions of client 12"),
      Example("gpsctl explain 12 --json", "for a script"),
    ]
  ) { invocation throws(Failure) in
    let session = Session(invocation)
    let client = try ClientNumber.read(invocation)
    struct Reply: Decodable { var decisions: [FilterDecision] }
    let reply: JSON
    do throws(BearingError) {
      reply = try await session.client.call(
        "io.bearing.daemon.Explain", ["client": .int(Int64(client))])
    } catch {
      throw ClientNumber.failure(error, client)
    }
    try session.print(reply, as: Reply.self) { reply in
      DecisionTable(style: session.style).text(reply.decisions)
    }
  }
}

/// What filters said of positions, a line each.
struct DecisionTable {
  let style: Style

  func text(_ decisions: [FilterDecision]) -> String {
    if decisions.isEmpty {
      return "Nothing has come to its filters yet, or it has no stream of positions."
    }
    var table = Table([
      ("SEQUENCE", .right), ("", .left), ("FILTER", .left), ("WAS", .right), ("NEEDED", .right),
    ])
    for decision in decisions {
      table.add([
        "\(decision.sequence)",
        decision.passed ? .init("delivered", .green) : .init("held", .yellow),
        .init(decision.passed ? "" : decision.filter),
        .init(isCompared(decision) ? quantity(decision.value, decision.filter) : ""),
        .init(isCompared(decision) ? bound(decision) : ""),
      ])
    }
    return table.text(style: style)
  }

  /// What was dropped since the reader was behind was not compared with anything.
  private func isCompared(_ decision: FilterDecision) -> Bool {
    !decision.passed && decision.filter != "queue"
  }

  /// The filter for accuracy lets through what is below its limit, the others what is above.
  private func bound(_ decision: FilterDecision) -> String {
    let sign = decision.filter == "maximumAccuracy" ? "≤" : "≥"
    return "\(sign) \(quantity(decision.limit, decision.filter))"
  }

  private func quantity(_ value: Double?, _ filter: String) -> String {
    guard let value else { return "unknown" }
    return filter == "minInterval"
      ? "\(fixedPoint(value, decimals: 0)) ms" : "\(fixedPoint(value, decimals: 1)) m"
  }
}

/// The number of a client on the command line.
enum ClientNumber {
  static func read(_ invocation: Invocation) throws(Failure) -> Int {
    let text = invocation.operands.first ?? ""
    guard let number = Int(text), number > 0 else {
      throw .usage("\(text): expected a client's number, as gpsctl clients shows them")
    }
    return number
  }

  static func failure(_ error: BearingError, _ client: Int) -> Failure {
    guard case .other(let name, _) = error, name.hasSuffix(".ClientNotFound") else {
      return Failure(error)
    }
    return Failure(
      .failed,
      "there is no client \(client) that you may know of; gpsctl clients lists those there are")
  }
}
