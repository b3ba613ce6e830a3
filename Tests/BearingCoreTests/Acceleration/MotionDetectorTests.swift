import BearingModel
import Foundation
import Testing

@testable import BearingCore

@Suite struct MotionDetectorTests {
  private static let gravity = 9.80665

  /// What is told while a signal at `rate` hertz goes through a detector, with the second of each.
  private static func motions(
    seconds: Double, rate: Double = 100, noise: Double = 0.02,
    _ signal: (Double) -> (Double, Double, Double)
  ) -> [(second: Double, motion: Motion)] {
    var detector = MotionDetector()
    var random = SeededRandom(seed: 7)
    var told: [(Double, Motion)] = []
    for index in 0..<Int(seconds * rate) {
      let second = Double(index) / rate
      let (x, y, z) = signal(second)
      let time = BootTime(nanoseconds: Int64(second * 1e9))
      let motions = detector.add(
        x: x + noise * random.normal(), y: y + noise * random.normal(),
        z: z + noise * random.normal(), at: time, rate: rate)
      told += motions.map { (second, $0) }
    }
    return told
  }

  @Test func aDeviceOnATableIsStillAfterTwoSeconds() {
    let told = Self.motions(seconds: 10) { _ in (0, 0, Self.gravity) }
    #expect(told.map(\.motion) == [.still])
    #expect(told.first.map { $0.second >= 2 && $0.second < 2.1 } ?? false)
  }

  @Test func aNoisySensorLearnsItsOwnNoise() {
    // 0.15 m/s² an axis is beyond four times the least noise: only its own floor says still.
    let told = Self.motions(seconds: 20, noise: 0.15) { _ in (0, 0, Self.gravity) }
    #expect(told.map(\.motion) == [.still])
  }

  @Test func aDeviceThatHasKnownNoRestIsMovingWhenNoSensorIsThatNoisy() {
    // A variance of 2 (m/s²)²: beyond four times 3 · 0.3².
    let told = Self.motions(seconds: 10) { (0, 2 * sin(2 * .pi * 2 * $0), Self.gravity) }
    #expect(told.map(\.motion) == [.moving])
  }

  @Test func walkingIsMovingAndStandingIsStillAgain() {
    let told = Self.motions(seconds: 20) { second in
      (5..<10).contains(second)
        ? (0, 2 * sin(2 * .pi * 2 * second), Self.gravity) : (0, 0, Self.gravity)
    }
    #expect(told.map(\.motion) == [.still, .moving, .still])
    #expect(told[1].second >= 5 && told[1].second < 5.5)
    #expect(told[2].second >= 11 && told[2].second <= 12.1)
  }

  @Test func aShakeIsToldOnceItHasTurnedThreeTimes() {
    let told = Self.motions(seconds: 6) { second in
      (3..<4).contains(second)
        ? (30 * sin(2 * .pi * 4 * second), 0, Self.gravity) : (0, 0, Self.gravity)
    }
    let first = told.first { $0.motion == .shake }
    #expect(first.map { $0.second > 3.2 && $0.second < 3.6 } ?? false, "\(told)")
  }

  @Test func aSwingBelowOneAndAHalfGIsNoShake() {
    let told = Self.motions(seconds: 6) { second in
      (3..<5).contains(second)
        ? (12 * sin(2 * .pi * 4 * second), 0, Self.gravity) : (0, 0, Self.gravity)
    }
    #expect(!told.contains { $0.motion == .shake })
  }

  @Test(arguments: [(0.3, 1), (0.15, 0)])
  func aFallIsToldOnceAfter160Milliseconds(length: Double, count: Int) {
    let told = Self.motions(seconds: 6) { second in
      second >= 3 && second < 3 + length ? (0, 0, 0.5) : (0, 0, Self.gravity)
    }
    let falls = told.filter { $0.motion == .freeFall }
    #expect(falls.count == count)
    if count == 1 { #expect(abs(falls[0].second - 3.16) < 0.011) }
  }

  @Test(arguments: [(0.03, 1), (0.08, 0)])
  func aTapIsAShortPeakAfterStill(length: Double, count: Int) {
    let told = Self.motions(seconds: 6) { second in
      second >= 3 && second < 3 + length - 1e-9 ? (0, 0, 2 * Self.gravity) : (0, 0, Self.gravity)
    }
    #expect(told.filter { $0.motion == .tap }.count == count)
  }

  @Test(arguments: [(50.0, 0), (100, 1), (200, 1)])
  func aSensorThatIsTooSlowForTapsTellsNone(rate: Double, count: Int) {
    let told = Self.motions(seconds: 6, rate: rate) { second in
      second > 2.985 && second < 3.005 ? (0, 0, 2 * Self.gravity) : (0, 0, Self.gravity)
    }
    #expect(told.filter { $0.motion == .tap }.count == count)
    #expect(told.first?.motion == .still)
  }

  @Test func aNoisySensorIsStillAgainAfterAGap() {
    // Two samples of its noise would be less than all that it is taken to have.
    var detector = MotionDetector()
    var random = SeededRandom(seed: 7)
    var told: [Motion] = []
    for start in [0.0, 30] {
      for index in 0..<2000 {
        let time = BootTime(nanoseconds: Int64((start + Double(index) / 100) * 1e9))
        told += detector.add(
          x: 0.15 * random.normal(), y: 0.15 * random.normal(),
          z: Self.gravity + 0.15 * random.normal(), at: time, rate: 100)
      }
    }
    #expect(told == [.still])
  }

  @Test func aPeakWhileWalkingIsNoTap() {
    let told = Self.motions(seconds: 8) { second in
      let sway = second < 3 ? 0 : 2 * sin(2 * .pi * 2 * second)
      return second >= 6 && second < 6.03 ? (0, sway, 2 * Self.gravity) : (0, sway, Self.gravity)
    }
    #expect(told.contains { $0.motion == .moving })
    #expect(!told.contains { $0.motion == .tap })
  }
}
