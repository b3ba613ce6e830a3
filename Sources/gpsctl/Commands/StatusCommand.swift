internal import BearingClient
internal import BearingModel

extension Command {
  /// The daemon and its devices.
  static let status = Command(
    name: "status",
    summary: "the daemon, its devices and who uses them",
    discussion: "Starts no device. For everyone; the connections listed are those you may see.",
    examples: [
      Example("gpsctl status", "how things stand"),
      Example("gpsctl status --json | jq '.devices[].state'", "for a script"),
    ]
  ) { invocation throws(Failure) in
    let session = Session(invocation)
    // Only what the caller may see, and nothing where even that is refused.
    let clients = session.isJSON ? [] : (try? await session.client.clients()) ?? []
    try await session.show("io.bearing.daemon.GetStatus", as: DaemonStatus.self) { status in
      var parts = [
        "bearingd \(status.version), process \(status.pid), up \(Times.span(status.uptime)), "
          + (status.clients == 1 ? "1 connection" : "\(status.clients) connections")
      ]
      parts.append(devices(status.devices, style: session.style))
      // This very connection is not worth a table.
      let others = clients.filter { $0.stream != nil }
      if !others.isEmpty { parts.append(ClientTable(style: session.style).text(others)) }
      parts += status.warnings.map { warning in
        session.style.paint("warning: " + HelpText.fitted(warning, indent: 9), .yellow)
      }
      return parts.joined(separator: "\n\n")
    }
  }

  private static func devices(_ devices: [DeviceStatus], style: Style) -> String {
    var table = Table([
      ("DEVICE", .left), ("STATE", .left), ("STREAMS", .right), ("INSTANCE", .left),
      ("DETAIL", .left),
    ])
    for device in devices {
      table.add([
        .init(device.kind), .init(device.state, Style.colour(ofState: device.state)),
        "\(device.subscribers)", .init(device.instance),
        .init(detail(device)),
      ])
    }
    return table.text(style: style)
  }

  private static func detail(_ device: DeviceStatus) -> String {
    if !device.simulated || device.detail.hasPrefix("simulated") { return device.detail }
    return device.detail.isEmpty ? "simulated" : "simulated: \(device.detail)"
  }
}
