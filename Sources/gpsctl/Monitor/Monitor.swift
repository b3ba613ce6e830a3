internal import BearingClient
internal import BearingModel

/// `gpsctl monitor` while it runs: the daemon's streams fill a board, and the main thread draws
/// from it and reads keys.
@MainActor
struct Monitor {
  /// Between two pictures at least; data that comes faster shares one.
  private static let frame: Duration = .milliseconds(100)
  /// Between two pictures at most: ages go on when nothing else does.
  private static let tick: Duration = .milliseconds(200)

  private let board: Board
  private let glyphs: Glyphs
  /// How things were to be written when that was last looked at.
  private var text: FixText
  private var state: MonitorState

  init(board: Board, text: FixText, glyphs: Glyphs) {
    self.board = board
    self.glyphs = glyphs
    self.text = text
    state = MonitorState(
      settings: MonitorSettings(units: text.units, coordinates: text.coordinates))
  }

  /// A preference that changes comes before what keys have chosen.
  private mutating func follow(_ new: FixText) {
    if new.units != text.units { state.settings.units = new.units }
    if new.coordinates != text.coordinates { state.settings.coordinates = new.coordinates }
    text = new
  }

  /// Shows what is on the board until the person or a signal ends it; the signal, if it was one.
  mutating func run(on terminal: borrowing Terminal) async -> Int32? {
    var isDue = true
    var lastPicture = now
    while true {
      let sinceLast = now - lastPicture
      if isDue && sinceLast >= Self.frame || sinceLast >= Self.tick || lastPicture == .zero {
        state.readings = await board.readings
        follow(await board.text)
        lastPicture = now
        isDue = false
        terminal.show(Scene(state, now: now, glyphs: glyphs).picture(terminal.size))
      }
      let wait = (isDue ? Self.frame : Self.tick) - (now - lastPicture)
      switch terminal.wait(atMost: wait) {
      case .timeOver: break
      case .woken: isDue = true
      case .resized: lastPicture = .zero
      case .ended(let signal): return signal
      case .key(let key):
        state.readings = await board.readings
        if state.take(key, at: now) == .quit { return nil }
        lastPicture = .zero
      }
    }
  }

  private var now: Duration { board.start.duration(to: .now) }
}

/// What the daemon has told, for the picture; filled by the streams' tasks.
///
/// It keeps the newest alone: a terminal that takes no picture for an hour costs no memory.
actor Board {
  private(set) var readings = Readings()
  /// How places, lengths and speeds are to be written.
  private(set) var text: FixText
  /// From where the monitor's clock counts; this clock goes on while the machine sleeps.
  let start = ContinuousClock.now

  init(text: FixText) { self.text = text }

  private var now: Duration { start.duration(to: .now) }

  /// Takes what the person prefers now.
  func prefer(_ preferences: [Preference]) {
    text.prefer(preferences)
    Terminal.wake()
  }

  /// Changes the readings and lets the picture know.
  func take(_ change: @Sendable (inout Readings, Duration) -> Void) {
    change(&readings, now)
    Terminal.wake()
  }
}

/// The daemon's streams that a monitor follows.
struct MonitorStreams: Sendable {
  /// A daemon that is well repeats itself this often when there is nothing new.
  private static let heartbeat: Duration = .seconds(1)
  /// Samples a second, and how long they may wait for each other: a picture shows several.
  private static let rate = 20.0
  private static let latency: Duration = .milliseconds(100)

  let client: BearingClient
  let sensor: String?
  let board: Board

  /// Follows all streams until the task is cancelled.
  func follow() async {
    await withTaskGroup { group in
      if await board.text.hasPreferences { group.addTask { await followPreferences() } }
      group.addTask {
        await follow(
          client.locationUpdates(
            minInterval: .zero, distanceFilter: 0, heartbeat: Self.heartbeat), .location
        ) { $0.take($1, at: $2) }
      }
      group.addTask {
        await follow(client.skyUpdates(heartbeat: Self.heartbeat), .sky) { $0.take($1, at: $2) }
      }
      group.addTask {
        await follow(
          client.accelerationUpdates(
            rate: Self.rate, sensor: sensor, maxLatency: Self.latency, heartbeat: Self.heartbeat),
          .acceleration
        ) { $0.take($1, at: $2) }
      }
      group.addTask {
        await follow(
          client.orientationUpdates(sensor: sensor, heartbeat: Self.heartbeat), .orientation
        ) { $0.take($1, at: $2) }
      }
    }
  }

  /// A daemon that does not say what is preferred is left alone.
  private func followPreferences() async {
    do {
      for try await event in client.preferenceUpdates() {
        if let update = event.update { await board.prefer(update.preferences) }
      }
    } catch {}
  }

  private func follow<Update>(
    _ stream: BearingStream<Update>, _ feed: Readings.Feed,
    _ take: @escaping @Sendable (inout Readings, StreamEvent<Update>, Duration) -> Void
  ) async {
    do {
      for try await event in stream {
        await board.take { take(&$0, event, $1) }
      }
    } catch {
      await board.take { readings, _ in readings.end(feed, because: error) }
    }
  }
}
