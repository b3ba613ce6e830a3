import BearingClient
import BearingModel
import Foundation
import TestSupport
import Testing

/// What a client lives through with a real daemon: its death, and being slow itself.
@Suite(.timeLimit(.minutes(3))) struct ClientEnduranceTests {
  /// Tries again soon, and waits for a daemon that is only starting.
  private static let patient = ReconnectPolicy(
    initialDelay: .milliseconds(10), maximumDelay: .milliseconds(100),
    waitsForFirstConnection: true)

  private let folder: TemporaryFolder
  private var client: BearingClient {
    BearingClient(socket: folder.path + "/io.bearing", reconnection: Self.patient)
  }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n", to: "bearingd.conf")
  }

  private func startDaemon() throws -> ChildProcess {
    try ChildProcess(
      ProgramRun.path(of: "bearingd"), ["--config", folder.path + "/bearingd.conf"],
      environment: [
        "RUNTIME_DIRECTORY": folder.path, "STATE_DIRECTORY": folder.path, "NOTIFY_SOCKET": "",
      ])
  }

  @Test func `a stream outlives the daemon that is killed and started again`() async throws {
    var daemon = try startDaemon()
    var events = client.locationUpdates().makeAsyncIterator()
    var told: [String] = []
    /// Goes on to the next live fix, noting what is told of the connection on the way.
    func nextFix() async throws -> Fix? {
      while let event = try await events.next() {
        switch event {
        case .interrupted: told.append("interrupted")
        case .resumed: told.append("resumed")
        case .update(let update):
          if update.state == .live, let fix = update.fix { return fix }
        }
      }
      return nil
    }
    #expect(try await nextFix() != nil)
    told = []  // the start may have been waited for
    daemon.send(SIGKILL)
    #expect(daemon.wait() == .signal(SIGKILL))
    daemon = try startDaemon()
    // A fix that came before the death may still be on its way.
    while told.count < 2 { #expect(try await nextFix() != nil) }
    #expect(told == ["interrupted", "resumed"])
    daemon.send(SIGTERM)
    #expect(daemon.wait() == .exit(0))
  }

  @Test func `a slow reader loses samples, is told how many, and costs others none`() async throws {
    let daemon = try startDaemon()
    let rate = 1000.0
    var slow = client.accelerationUpdates(rate: rate).makeAsyncIterator()
    var last = 0
    while last == 0 { last = try await slow.next()?.update?.samples.last?.sequence ?? 0 }

    // Does not read until the daemon says that something was lost, which a fast reader waits for.
    for try await sample in client.accelerations(rate: rate) where sample.sequence % 500 == 0 {
      if try await client.clients().contains(where: { $0.dropped > 0 }) { break }
    }
    var lost = 0
    var gaps = 0
    while lost == 0 {
      let update = try #require(try await slow.next()?.update)
      lost += update.dropped
      for sample in update.samples {
        gaps += sample.sequence - last - 1
        last = sample.sequence
      }
    }
    #expect(gaps == lost)
    daemon.send(SIGTERM)
    daemon.wait()
  }

  @Test func `a stream of what happens at regions goes on over a restart, and misses nothing`()
    async throws
  {
    let gpsd = try GpsdFake()
    let first = try DaemonProcess(gpsd.configuration)
    let client = BearingClient(
      socket: first.socket, reconnection: ReconnectPolicy(initialDelay: .milliseconds(10)))
    _ = try await client.addRegion("home", latitude: 47, longitude: 8.5, radius: 50)
    let (stream, told) = AsyncStream.makeStream(of: RegionEvent.self)
    let reading = Task {
      for try await event in client.regionEvents() { told.yield(event) }
    }
    defer { reading.cancel() }
    var events = stream.makeAsyncIterator()
    var shuttle = RegionTests.Shuttle(receiver: try gpsd.acceptDaemon())
    // The stream begins with what is new: it has to be there before something happens.
    let deadline = Date() + DaemonProcess.patience
    var isThere = false
    while !isThere, Date() < deadline {
      await Task.yield()
      isThere = try await client.clients().contains { $0.stream == "io.bearing.regions.Subscribe" }
    }
    try #require(isThere)
    shuttle.stay(inside: true)
    #expect(await events.next()?.kind == .enter)
    first.kill()
    let second = try DaemonProcess(gpsd.configuration, in: first.folder)
    shuttle = RegionTests.Shuttle(receiver: try gpsd.acceptDaemon(), second: 100)
    shuttle.stay(inside: false)
    shuttle.stay(inside: true)
    #expect(await events.next()?.sequence == 2)
    #expect(await events.next()?.sequence == 3)
    second.stop()
  }
}
