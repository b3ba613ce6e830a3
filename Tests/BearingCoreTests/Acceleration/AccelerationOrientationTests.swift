import BearingModel
import Foundation
import Testing

@testable import BearingCore

@Suite struct AccelerationOrientationTests {
  /// Samples of a sensor at `rate` hertz.
  final class Feed {
    var detector = OrientationDetector()
    var time = BootTime(nanoseconds: 1_000_000_000)
    let step: Int64

    init(rate: Double) { step = Int64(1e9 / rate) }

    func add(_ x: Double, _ y: Double, _ z: Double) -> Bool {
      time = time + step
      return detector.add(x: x, y: y, z: z, time: time)
    }
  }

  static func vectors(_ name: String) throws -> [(Double, Double, Double)] {
    let path = Fixtures.folder + "/acceleration/" + name
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let raw = line.split(separator: ",").compactMap { Double($0) }
      return (raw[0] * 0.009806, raw[1] * 0.009806, raw[2] * 0.009806)
    }
  }

  @Test(
    "The edge that points up reads positive, from the first sample",
    arguments: [
      (0.0, 9.8, 0.0, Orientation.normal, Tilt.vertical),
      (0.0, -9.8, 0.0, .bottomUp, .vertical),
      (-9.8, 0.0, 0.0, .leftUp, .vertical),
      (9.8, 0.0, 0.0, .rightUp, .vertical),
      (0.0, 0.0, 9.8, .undefined, .faceUp),
      (0.0, 0.0, -9.8, .undefined, .faceDown),
      (0.0, 7.7, 6.1, .normal, .tiltedUp),
      (0.0, 7.7, -6.1, .normal, .tiltedDown),
      (6.9, 6.9, 0.0, .undefined, .vertical),
      // 19.9° and 20.1°, 69.9° and 70.1° from vertical.
      (0.0, 9.4029, 3.4038, .normal, .vertical),
      (0.0, 9.3910, 3.4366, .normal, .tiltedUp),
      (0.0, 3.4366, 9.3910, .undefined, .tiltedUp),
      (0.0, 3.4038, 9.4029, .undefined, .faceUp),
      // 34.9° and 35.1° out of the plane of the other two.
      (5.7216, 0.0, 8.2017, .undefined, .tiltedUp),
      (5.7502, 0.0, 8.1817, .rightUp, .tiltedUp),
    ])
  func firstSample(x: Double, y: Double, z: Double, orientation: Orientation, tilt: Tilt) {
    let feed = Feed(rate: 10)
    #expect(feed.add(x, y, z))
    #expect(feed.detector.orientation == orientation)
    #expect(feed.detector.tilt == tilt)
    #expect(!feed.add(x, y, z))
  }

  @Test(
    "A vector that cannot be gravity changes nothing",
    arguments: [
      (0.0, 0.0, 0.0), (0.0, -4.8, 0.0), (0.0, -14.8, 0.0), (.nan, -9.8, 0.0),
      (-.infinity, 0.0, 0.0),
    ])
  func implausible(x: Double, y: Double, z: Double) {
    let fresh = Feed(rate: 10)
    #expect(!fresh.add(x, y, z))
    #expect(fresh.detector.tilt == .undefined)

    let feed = Feed(rate: 10)
    _ = feed.add(0, 9.8, 0)
    for _ in 0..<50 { #expect(!feed.add(x, y, z)) }
    #expect(feed.detector.orientation == .normal)
    // Nothing of it is left in the filter either.
    #expect(!feed.add(0, 9.8, 0))
    #expect(feed.detector.tilt == .vertical)
  }

  // The sample of the turn was computed by a model of the rule in another language.
  @Test(
    "Tremor at 45° makes no turn; the turn after it makes one",
    arguments: [(10.0, 159), (25.0, 161), (50.0, 164), (100.0, 169)])
  func tremor(rate: Double, turn: Int) throws {
    let feed = Feed(rate: rate)
    var turns: [Int] = []
    for (index, vector) in try Self.vectors("tremor-at-45.csv").enumerated() {
      let before = feed.detector.orientation
      _ = feed.add(vector.0, vector.1, vector.2)
      if feed.detector.orientation != before { turns.append(index) }
    }
    #expect(turns == [turn])
    #expect(feed.detector.orientation == .rightUp)
  }

  @Test("Noise on a table turns nothing, zeros count as nothing, face down keeps the edge")
  func flat() throws {
    let vectors = try Self.vectors("flat-and-zero.csv")
    let feed = Feed(rate: 2)
    for vector in vectors[0..<5] { _ = feed.add(vector.0, vector.1, vector.2) }
    #expect(feed.detector.orientation == .bottomUp)
    for vector in vectors[5...] {
      _ = feed.add(vector.0, vector.1, vector.2)
      #expect(feed.detector.orientation == .bottomUp)
    }
    #expect(feed.detector.tilt == .faceDown)

    let table = Feed(rate: 10)
    for vector in vectors[5..<17] { _ = table.add(vector.0, vector.1, vector.2) }
    #expect(table.detector.orientation == .undefined)
    #expect(table.detector.tilt == .faceUp)
  }

  @Test("A turn is seen after the time constant of the filter", arguments: [10.0, 100.0, 1000.0])
  func filterTime(rate: Double) {
    let feed = Feed(rate: rate)
    _ = feed.add(0, 9.8, 0)
    let start = feed.time
    while feed.detector.orientation == .normal, feed.time - start < 2_000_000_000 {
      _ = feed.add(9.8, 0, 0)
    }
    // The filtered vector is (1-e, e)·g with e = exp(-t/200 ms); the turn is when atan(e/(1-e)) <
    // 35°, thus e < 0.41183, t > 177.4 ms, seen at the next sample.
    let seen = Double(feed.time - start) / 1e6
    #expect(seen > 177.4 && seen <= 177.5 + 1000 / rate)
    #expect(feed.detector.orientation == .rightUp)
  }
}
