import BearingModel
import Testing

@testable import BearingCore

@Suite struct AccelerationRateTests {
  /// `count` samples at `rate` hertz from `start` microseconds; x is the sample's number.
  static func samples(rate: Double, count: Int, start: Int) -> [AccelerationSample] {
    (0..<count).map { number in
      AccelerationSample(
        sequence: number + 1, bootTimestamp: start + Int((Double(number) * 1e6 / rate).rounded()),
        x: Double(number), y: 2, z: -1)
    }
  }

  @Test(
    "A stream at the sensor's rate or above gets every sample as it is",
    arguments: [100.0, 99.5, 1000.0])
  func passes(rate: Double) {
    var averager = RateAverager(rate: rate, sensorRate: 100)
    let samples = Self.samples(rate: 100, count: 50, start: 1_000_000)
    #expect(samples.compactMap { averager.add($0) } == samples)
    #expect(averager.actualRate(sensorRate: 100) == min(rate, 100))
  }

  @Test("The samples of a period are averaged, not dropped, and the period is a multiple of itself")
  func averages() {
    var averager = RateAverager(rate: 10, sensorRate: 100)
    // From 1.035 s: the first period ends at 1.1 s after 7 samples, the next ones have 10 each.
    let means = Self.samples(rate: 100, count: 40, start: 1_035_000).compactMap { averager.add($0) }
    #expect(means.map(\.x) == [3.0, 11.5, 21.5, 31.5])
    #expect(means.map(\.y) == [2, 2, 2, 2])
    #expect(means.map(\.sequence) == [7, 17, 27, 37])
    #expect(means.map(\.bootTimestamp) == [1_065_000, 1_150_000, 1_250_000, 1_350_000])
  }

  @Test("Streams of equal rate that began at different times give the same means")
  func sharesEncoding() {
    var first = RateAverager(rate: 25, sensorRate: 100)
    var second = RateAverager(rate: 25, sensorRate: 100)
    let samples = Self.samples(rate: 100, count: 100, start: 5_003_000)
    let firstMeans = samples.compactMap { first.add($0) }
    let secondMeans = samples[33...].compactMap { second.add($0) }
    #expect(secondMeans.dropFirst() == firstMeans.suffix(secondMeans.count - 1))
    // From 5.333 s to 5.993 s: the ends of the periods 133 to 148.
    #expect(secondMeans.count == 16)
  }

  @Test("Every sample counts once, whatever the ratio", arguments: [1.0, 7.0, 33.3, 60.0, 98.0])
  func conserves(rate: Double) {
    var averager = RateAverager(rate: rate, sensorRate: 100)
    var weighted = 0.0
    var last = 0
    for sample in Self.samples(rate: 100, count: 1000, start: 77) {
      guard let mean = averager.add(sample) else { continue }
      weighted += mean.x * Double(mean.sequence - last)
      last = mean.sequence
    }
    // The sum of 0 to last−1.
    #expect(abs(weighted - Double(last * (last - 1) / 2)) < 1e-6)
    #expect(Double(last) > 1000 - 100 / rate - 1)
  }

  @Test("When the sensor becomes faster for another stream, this one keeps its rate")
  func adapts() {
    var averager = RateAverager(rate: 50, sensorRate: nil)
    let slow = Self.samples(rate: 50, count: 10, start: 1_000_000)
    #expect(slow.compactMap { averager.add($0) } == slow)
    averager.adapt(sensorRate: 200)
    let fast = Self.samples(rate: 200, count: 41, start: 1_200_000).compactMap { averager.add($0) }
    #expect(fast.map(\.x) == (0..<10).map { Double($0) * 4 + 1.5 })
    averager.adapt(sensorRate: 50)
    #expect(slow.compactMap { averager.add($0) } == slow)
  }
}
