internal import BearingModel

extension Command {
  /// The daemon's connections.
  static let clients = Command(
    name: "clients",
    summary: "who is connected, with what stream, and how it fares",
    discussion: """
      Your own connections; all of them for root and the group bearing-admin. DROPPED counts what a
      client lost because it was slow.
      """,
    examples: [
      Example("gpsctl clients", "who uses what"),
      Example("gpsctl clients --json | jq '.clients[] | select(.dropped > 0)'", "who is slow"),
    ]
  ) { invocation throws(Failure) in
    struct Reply: Decodable { var clients: [ClientStatus] }
    let session = Session(invocation)
    try await session.show("io.bearing.daemon.ListClients", as: Reply.self) { reply in
      ClientTable(style: session.style).text(reply.clients)
    }
  }
}

/// Connections, a line each.
struct ClientTable {
  let style: Style

  func text(_ clients: [ClientStatus]) -> String {
    var table = Table([
      ("CLIENT", .right), ("USER", .right), ("PROCESS", .right), ("COMMAND", .left),
      ("STREAM", .left), ("PRECISION", .left), ("DELIVERED", .right), ("DROPPED", .right),
      ("QUEUED", .right),
    ])
    for client in clients {
      table.add([
        "\(client.identifier)", "\(client.uid)", "\(client.pid)", .init(client.command ?? "–"),
        .init(client.stream.map(shortened) ?? "–"), .init(client.precision),
        "\(client.delivered)", .init("\(client.dropped)", client.dropped > 0 ? .yellow : nil),
        "\(client.queuedBytes) B",
      ])
    }
    return table.text(style: style)
  }

  /// The method without what all the daemon's methods begin with.
  private func shortened(_ method: String) -> String {
    let prefix = "io.bearing."
    return method.hasPrefix(prefix) ? String(method.dropFirst(prefix.count)) : method
  }
}
