internal import BearingClient
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
      Example("gpsctl clients disconnect 12", "end one"),
    ],
    subcommands: [
      Command(
        name: "disconnect", summary: "end a client's connection",
        discussion: """
          A client has the groups that its user had when it connected: disconnect it for a change
          of groups to act. Most programs connect again by themselves.
          """,
        operands: .texts(["CLIENT"]),
        examples: [Example("gpsctl clients disconnect 12", "the one that gpsctl clients calls 12")]
      ) { invocation throws(Failure) in
        let client = try ClientNumber.read(invocation)
        do throws(BearingError) {
          try await Session(invocation).client.disconnect(client: client)
        } catch {
          throw ClientNumber.failure(error, client)
        }
      }
    ],
    runsAlone: true
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
    var table = Table(
      [
        ("CLIENT", .right), ("USER", .left), ("PROCESS", .right), ("COMMAND", .left),
        ("STREAM", .left), ("PRECISION", .left), ("DELIVERED", .right), ("DROPPED", .right),
        ("QUEUED", .right),
      ], expendable: ["PROCESS", "QUEUED", "PRECISION", "DELIVERED"])
    for client in clients {
      table.add([
        "\(client.identifier)", .init(Users.name(of: client.uid)), "\(client.pid)",
        .init(client.command ?? "–"),
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
