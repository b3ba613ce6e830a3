import Testing

@testable import BearingCore

@Suite struct HeartbeatTests {
  private static let year: Int64 = 365 * 86_400_000

  /// What a call asks for and what its user prefers, then prefers, in milliseconds; and what holds
  /// before and after.
  @Test(
    arguments: [
      (nil, 0, 5000, 0, 5000), (nil, 5000, 0, 5000, 0), (nil, 20, 30, 100, 100),
      (0, 5000, 6000, 0, 0), (2000, 5000, 0, 2000, 2000), (1, 0, 0, 100, 100),
      (year, 0, 0, year, year), (year + 1, 0, 0, 0, 0), (nil, year + 1, 7, 0, 100),
    ] as [(Int64?, Int64, Int64, Int64, Int64)])
  func `what a call says stays, what it leaves out follows the preference`(
    asked: Int64?, preferred: Int64, later: Int64, before: Int64, after: Int64
  ) {
    func preferences(_ milliseconds: Int64) -> StreamPreferences {
      StreamPreferences(heartbeat: milliseconds * Nanoseconds.millisecond)
    }
    var heartbeat = Heartbeat(
      asked.map { $0 * Nanoseconds.millisecond }, else: preferences(preferred))
    #expect(heartbeat.interval == before * Nanoseconds.millisecond)
    heartbeat.prefer(preferences(later))
    #expect(heartbeat.interval == after * Nanoseconds.millisecond)
  }
}
