import BearingClient
import BearingModel
import Foundation
import TestSupport
import Testing
import Varlink

/// The client library, gpsctl and the examples with the real daemon on its simulated receiver.
@Suite(.timeLimit(.minutes(3))) struct DemoClientTests {
  private let daemon: DemoDaemon

  init() throws {
    daemon = try DemoDaemon()
  }

  private func gpsctl(_ arguments: String...) throws -> ProgramRun {
    try ProgramRun.run(
      ProgramRun.path(of: "gpsctl"), arguments, environment: ["BEARING_SOCKET": daemon.socket])
  }

  private func objects(_ run: ProgramRun) throws -> [JSON] {
    try run.lines.map { try JSON(parsing: Array($0.utf8)) }
  }

  @Test func `fixes rise by one and are simulated`() async throws {
    var fixes: [Fix] = []
    for try await fix in BearingClient(socket: daemon.socket).fixes(minInterval: .zero) {
      fixes.append(fix)
      if fixes.count == 3 { break }
    }
    let first = try #require(fixes.first)
    #expect(fixes.map(\.sequence) == [0, 1, 2].map { first.sequence + $0 })
    for fix in fixes {
      #expect(fix.simulated && fix.quality == .simulated && fix.dimensions == 3)
      #expect((-90...90).contains(fix.latitude) && (-180...180).contains(fix.longitude))
      #expect(fix.horizontalAccuracy ?? 0 > 0)
    }
  }

  @Test func `one fix, the last known one and the sky can be asked for`() async throws {
    let client = BearingClient(socket: daemon.socket)
    let answer = try await client.fix(accuracy: 100, timeout: .seconds(60))
    #expect(answer.fix.simulated && !answer.isBestEffort)
    let known = try await client.lastKnown()
    #expect(known.fix?.sequence ?? 0 >= answer.fix.sequence)
    let state = try await client.status().devices.first { $0.kind == "location" }
    #expect(state?.simulated == true)
    var sky: Sky?
    for try await event in client.skyUpdates() {
      sky = event.update?.sky
      if sky != nil { break }
    }
    #expect(sky?.visible == sky?.satellites.count)
    #expect(sky?.used == sky?.satellites.count { $0.used })
  }

  @Test func `samples come at the rate asked for, and the display has an orientation`() async throws
  {
    let client = BearingClient(socket: daemon.socket)
    #expect(try await client.sensors().sensors.map(\.simulated) == [true])
    var rate: Double?
    var samples: [AccelerationSample] = []
    for try await event in client.accelerationUpdates(rate: 50, maxLatency: .milliseconds(100)) {
      rate = event.update?.actualRate ?? rate
      samples += event.update?.samples ?? []
      if samples.count >= 20 { break }
    }
    #expect(rate == 50)
    let steps = zip(samples, samples.dropFirst()).map { $1.bootTimestamp - $0.bootTimestamp }
    #expect(steps.sorted()[steps.count / 2] == 20_000)
    for try await orientation in client.orientations() where orientation != .undefined {
      #expect([.normal, .bottomUp, .leftUp, .rightUp].contains(orientation))
      break
    }
    #expect(try await client.sample().sample.bootTimestamp > samples[0].bootTimestamp)
  }

  @Test func `a value that the daemon refuses is named`() async throws {
    var events = BearingClient(socket: daemon.socket).locationUpdates(distanceFilter: -1)
      .makeAsyncIterator()
    await #expect(throws: BearingError.invalidParameter("distanceFilter")) {
      try await events.next()
    }
  }

  @Test func `a stream tells that the daemon has gone`() async throws {
    let client = BearingClient(socket: daemon.socket, reconnection: .never)
    var events = client.locationUpdates().makeAsyncIterator()
    #expect(try await events.next()?.update != nil)
    daemon.stop()
    let error = await #expect(throws: BearingError.self) {
      while try await events.next() != nil {}
    }
    guard case .connectionLost = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `gpsctl shows the daemon, a fix and the satellites`() throws {
    let status = try gpsctl("status")
    #expect(status.status == 0 && status.errors == "")
    #expect(status.lines.contains { $0.hasPrefix("location ") && $0.contains("simulated") })
    #expect(status.lines.contains { $0.hasPrefix("acceleration ") })
    let orientation = try gpsctl("orientation")
    #expect(orientation.output.contains(/^(normal|bottomUp|leftUp|rightUp), \w+\n$/))
    #expect(try gpsctl("sensors").lines.contains("  location  display"))
    #expect(
      try gpsctl("watch", "acceleration", "--count", "5").lines.last?.hasSuffix("m/s²") == true)
    #expect(try gpsctl("metrics").lines.contains { $0.hasPrefix("bearingd_build_info{") })

    let fix = try objects(gpsctl("fix", "--json"))
    #expect(fix.count == 1)
    let latitude = try #require(fix[0]["fix"]?["latitude"]?.number)
    #expect((-90...90).contains(latitude))
    #expect(try gpsctl("fix", "--coordinates", "utm").lines.first?.contains(#/^\d+[C-X] /#) == true)

    let sky = try gpsctl("sky")
    #expect(sky.lines.first?.contains("satellites used") == true)
    #expect(sky.lines.contains { $0.hasPrefix("SYSTEM ") })
  }

  @Test func `gpsctl watches until it has counted enough`() throws {
    let run = try gpsctl("watch", "location", "sky", "--count", "3", "--json")
    #expect(run.status == 0)
    let streams = try objects(run).compactMap { $0["stream"]?.string }
    #expect(streams.count >= 3)
    #expect(Set(streams) == ["location", "sky"])
  }

  @Test func `gpsctl sees itself among the clients`() throws {
    let clients = try #require(try objects(gpsctl("clients", "--json")).first?["clients"]?.array)
    #expect(clients.contains { $0["command"] == "gpsctl" })
  }
}
