internal import BearingModel

/// What approximate callers are told, all of them the same: a cell's centre, looked at only at
/// fixed ticks, so that neither the moment of a change nor many questions tell more.
struct ApproximateView: Sendable {
  /// The phase is drawn for the longest interval between ticks, so that it serves any.
  private static var longestPeriod: Int64 { 86_400 * Nanoseconds.second }

  /// What is kept for the machine, over restarts too.
  struct Secret: Sendable, Equatable {
    /// The grid, whose origin is secret.
    var grid: ApproximateGrid
    /// Nanoseconds from the machine's start, modulo a day, to a tick; secret.
    var phase: Int64
    /// The cell that the machine is in; nil before the first tick with a fix.
    var cell: ApproximateGrid.Cell?

    /// A secret drawn from the system's random numbers.
    static func drawn() -> Secret {
      Secret(grid: .drawn(), phase: .random(in: 0..<ApproximateView.longestPeriod))
    }

    /// Whether it can have been drawn, and the cell is one of the grid's: bytes on a disk can change.
    var isSound: Bool {
      (0..<ApproximateGrid.cellSize).contains(grid.shift) && (0..<360).contains(grid.turn)
        && (0..<ApproximateView.longestPeriod).contains(phase)
        && cell.map(grid.contains) ?? true
    }
  }

  /// Nanoseconds from tick to tick.
  let period: Int64
  /// What is kept for the machine.
  private(set) var secret: Secret
  /// live or lost, as of the last tick.
  private(set) var state = LocationState.lost
  /// The fix of the last tick that had one; nil before.
  private(set) var fix: Fix?
  /// When that tick was.
  private(set) var tick: BootTime?

  init(_ secret: Secret, period: Int64) {
    self.secret = secret
    self.period = period
  }

  /// The first tick after `now`.
  func nextTick(after now: BootTime) -> BootTime {
    let phase = secret.phase % period
    let since = now.nanoseconds - phase
    let ticks = since >= 0 ? since / period + 1 : 0
    return BootTime(nanoseconds: phase + ticks * period)
  }

  /// Nobody has listened, so that no tick was looked at: what was told is of now no longer than to
  /// the tick that would have been the next.
  mutating func rest(at now: BootTime) {
    if let tick, now - tick >= period { state = .lost }
  }

  /// Looks at the position, at a tick; true when the cell is another.
  mutating func look(
    at tick: BootTime, state preciseState: LocationState, fix precise: Fix?
  ) -> Bool {
    guard preciseState == .live, let position = precise else {
      state = .lost
      return false
    }
    let before = secret.cell
    let cell = secret.grid.cell(
      latitude: position.latitude, longitude: position.longitude, previous: before)
    let centre = secret.grid.centre(of: cell)
    secret.cell = cell
    self.tick = tick
    state = .live
    var told = Fix(
      sequence: 0, latitude: centre.latitude, longitude: centre.longitude,
      simulated: position.simulated)
    told.bootTimestamp = tick.microseconds
    told.horizontalAccuracy = centre.accuracy
    told.accuracyBasis = .grid
    fix = told
    return cell != before
  }
}
