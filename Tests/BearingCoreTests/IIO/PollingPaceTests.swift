import Testing

@testable import BearingCore

@Suite struct PollingPaceTests {
  static let millisecond: Int64 = 1_000_000

  /// Notes each of `times` in milliseconds; the rates that this led to.
  static func rates(_ wanted: Double, _ times: [Int64]) -> [Double] {
    var pace = PollingPace(wanted: wanted)
    return times.compactMap { time in pace.note(time * millisecond) ? pace.rate : nil }
  }

  @Test("A device that answers within the period is asked at the rate that is wanted")
  func fast() {
    #expect(Self.rates(100, Array(repeating: 9, count: 50)) == [])
  }

  @Test("One that takes longer each time is asked as fast as it answers, and that is said once")
  func slow() {
    // With a fifth of the time to spare.
    #expect(Self.rates(90, Array(repeating: 100, count: 50)) == [8])
    #expect(Self.rates(90, Array(repeating: 12, count: 50)) == [0.8 / 0.012])
  }

  @Test("Single slow answers change nothing")
  func hiccups() {
    #expect(Self.rates(100, (0..<50).map { $0 % 5 < 2 ? 2_300 : 1 }) == [])
  }

  @Test("Answers that vary a little keep the rate")
  func steady() {
    let times: [Int64] = (0..<200).map { 80 + ($0 * 7) % 20 }
    #expect(Self.rates(90, times).count == 1)
  }

  @Test("When it answers faster again it is asked faster again, up to what is wanted")
  func recovers() {
    let times: [Int64] = Array(repeating: 100, count: 5) + Array(repeating: 40, count: 5)
    #expect(Self.rates(90, times + Array(repeating: 1, count: 10)) == [8, 20, 90])
  }
}
