import BearingModel
import Testing

@testable import BearingCore

@Suite struct ApproximateViewTests {
  private static let second: Int64 = 1_000_000_000

  /// Ticks, worked out by hand: the phase modulo the period, and every period from there.
  @Test(arguments: [
    (600, 0, 0, 600), (600, 0, 599, 600), (600, 0, 600, 1200), (600, 250, 0, 250),
    (600, 250, 250, 850), (600, 86_399, 0, 599), (1, 86_399, 5, 6), (7, 20, 100, 104),
  ]) func aTickComesEachPeriodAfterTheSecretPhase(
    period: Int64, phase: Int64, now: Int64, next: Int64
  ) {
    let secret = ApproximateView.Secret(
      grid: ApproximateGrid(shift: 0, turn: 0), phase: phase * Self.second, cell: nil)
    let view = ApproximateView(secret, period: period * Self.second)
    let tick = view.nextTick(after: BootTime(nanoseconds: now * Self.second))
    #expect(tick == BootTime(nanoseconds: next * Self.second))
  }

  /// What nobody has looked at for a period may have moved anywhere since.
  @Test(arguments: [(599, .live), (600, .lost), (100_000, .lost)] as [(Int64, LocationState)])
  func withoutAListenerWhatWasToldIsOfNowUntilTheNextTick(later: Int64, state: LocationState) {
    let secret = ApproximateView.Secret(
      grid: ApproximateGrid(shift: 0, turn: 0), phase: 0, cell: nil)
    var view = ApproximateView(secret, period: 600 * Self.second)
    let tick = BootTime(nanoseconds: 1200 * Self.second)
    _ = view.look(
      at: tick, state: .live, fix: Fix(sequence: 1, latitude: 47, longitude: 8))
    view.rest(at: tick + later * Self.second)
    #expect(view.state == state)
    #expect(view.tick == tick && view.fix != nil)
  }
}
