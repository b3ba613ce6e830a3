extension Command {
  /// The daemon's counters.
  static let metrics = Command(
    name: "metrics",
    summary: "the daemon's counters, in Prometheus' text format",
    discussion: "For root and the group bearing-admin. No counter holds a position.",
    examples: [
      Example("gpsctl metrics | grep _dropped", "what slow readers have lost")
    ]
  ) { invocation throws(Failure) in
    struct Reply: Decodable { var text: String }
    try await Session(invocation).show("io.bearing.daemon.GetMetrics", as: Reply.self) { reply in
      reply.text.hasSuffix("\n") ? String(reply.text.dropLast()) : reply.text
    }
  }
}
