internal import BearingClient
internal import BearingModel
internal import Varlink

extension Option {
  static let dwell = Option("dwell", .duration, "tell also when it was that long inside")
}

extension Command {
  /// Circles that are watched.
  static let region = Command(
    name: "region",
    summary: "circles that are watched: enter, exit and dwell",
    discussion: """
      A region is watched for the user who added it, over restarts and reboots, until it is removed;
      the receiver runs as long as there is one. What happens while nobody watches is kept.
      """,
    examples: [
      Example("gpsctl region add home 46.948 7.4474 100m", "watch a circle"),
      Example("gpsctl region watch --since 0", "what has happened, and then what happens"),
    ],
    subcommands: [regionAdd, regionList, regionRemove, regionWatch])

  private static let regionAdd = Command(
    name: "add",
    summary: "watch a circle",
    discussion: """
      Latitude and longitude are in degrees, negative in the south and west; the radius is in metres
      unless it has another unit.
      """,
    operands: .texts(["NAME", "LATITUDE", "LONGITUDE", "RADIUS"]),
    options: [.dwell],
    examples: [
      Example("gpsctl region add home 46.948 7.4474 100m", "100 m around a place"),
      Example(
        "gpsctl region add harbour -33.8568 151.2153 0.5nmi --dwell 10m", "and staying there"),
    ]
  ) { invocation throws(Failure) in
    let name = invocation.operands[0].unicodeScalars
    guard (1...64).contains(name.count), !name.contains(where: Table.Cell.isControl) else {
      throw .usage("gpsctl region add: NAME: expected 1 to 64 characters, no control characters")
    }
    var centre: [Double] = []
    for ((name, most), text) in zip(
      [("LATITUDE", 90), ("LONGITUDE", 180)], invocation.operands[1...])
    {
      guard let degrees = Double(text), degrees.magnitude <= Double(most) else {
        throw .usage(
          "gpsctl region add: \(name) \(text): expected degrees from -\(most) to \(most), such as"
            + " -33.8568")
      }
      centre.append(degrees)
    }
    guard let radius = Quantity.distance(invocation.operands[3]), radius > 0, radius <= 20e6 else {
      throw .usage(
        "gpsctl region add: RADIUS \(invocation.operands[3]): expected a distance above 0 and up to"
          + " 20000km, such as 100m")
    }
    struct Reply: Decodable { var region: Region }
    let session = Session(invocation)
    try await session.show(
      "io.bearing.regions.Add",
      [
        "identifier": .string(invocation.operands[0]), "latitude": .double(centre[0]),
        "longitude": .double(centre[1]), "radius": .double(radius),
        "dwell": .milliseconds(invocation.duration(.dwell)),
      ], as: Reply.self
    ) { RegionTable(style: session.style).text([$0.region]) }
  }

  private static let regionList = Command(
    name: "list",
    summary: "your regions, and where the device is",
    examples: [Example("gpsctl region list", "what is watched")]
  ) { invocation throws(Failure) in
    struct Reply: Decodable { var regions: [Region] }
    let session = Session(invocation)
    try await session.show("io.bearing.regions.List", as: Reply.self) { reply in
      reply.regions.isEmpty
        ? "no regions" : RegionTable(style: session.style).text(reply.regions)
    }
  }

  private static let regionRemove = Command(
    name: "remove",
    summary: "end the watch of a circle",
    discussion: "The events that it had are kept.",
    operands: .texts(["NAME"]),
    examples: [Example("gpsctl region remove home", "watch it no more")]
  ) { invocation throws(Failure) in
    let session = Session(invocation)
    let reply: JSON
    do throws(BearingError) {
      reply = try await session.client.call(
        "io.bearing.regions.Remove", ["identifier": .string(invocation.operands[0])])
    } catch {
      throw Failure(error)
    }
    if session.isJSON { try StandardStreams.writeOutput("\(reply)\n") }
  }

  private static let regionWatch = Command(
    name: "watch",
    summary: "what happens at your regions, as it happens",
    discussion: """
      Each line begins with the event's sequence: with that as --since, another watch goes on behind
      it and misses nothing. The same as gpsctl watch regions.
      """,
    options: [.since, .heartbeat, .count, .timeout, .units, .coordinates],
    examples: [
      Example("gpsctl region watch", "from now on"),
      Example(
        "gpsctl region watch --since 0 --timeout 1s --json", "all that is kept, for a script"),
    ]
  ) { invocation throws(Failure) in
    try await Watch(invocation, of: .regions).runUntilReaderGoes()
  }
}

/// Regions, a line each.
private struct RegionTable {
  let style: Style

  func text(_ regions: [Region]) -> String {
    var table = Table([
      ("NAME", .left), ("LATITUDE", .right), ("LONGITUDE", .right), ("RADIUS", .right),
      ("DWELL", .right), ("DEVICE IS", .left),
    ])
    for region in regions {
      table.add([
        .init(region.identifier), .init(fixedPoint(region.latitude, decimals: 6)),
        .init(fixedPoint(region.longitude, decimals: 6)),
        .init(Units.metric.length(region.radius)),
        .init(region.dwell.map { Times.span(.milliseconds($0)) } ?? "–"),
        .init(region.state.rawValue, region.state == .inside ? .green : nil),
      ])
    }
    return table.text(style: style)
  }
}
