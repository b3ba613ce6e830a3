import BearingModel
import Foundation

@testable import BearingCore

/// Fixes of a receiver near a circle, from a seeded generator: the same on every machine.
struct RegionSimulation {
  /// How the receiver's error goes from fix to fix.
  enum Noise {
    /// Each fix on its own.
    case white
    /// First-order autoregressive, wandering with a time constant of 60 s.
    case wandering
  }

  static let centre = (latitude: 46.0, longitude: -30.0)
  static let radius = 50.0
  /// The radius of 68 % of a circular normal distribution with standard deviation 1 an axis.
  static let radiusOf68 = 1.515

  private var random: SeededRandom
  private let sigma: Double
  private let noise: Noise
  private var east = 0.0
  private var north = 0.0

  init(seed: UInt64, sigma: Double, noise: Noise) {
    random = SeededRandom(seed: seed)
    self.sigma = sigma
    self.noise = noise
    if noise == .wandering { (east, north) = (sigma * random.normal(), sigma * random.normal()) }
  }

  /// The fix of a receiver that truly is that far north of the centre.
  mutating func fix(distance: Double) -> Fix {
    switch noise {
    case .white:
      (east, north) = (sigma * random.normal(), sigma * random.normal())
    case .wandering:
      let keep = exp(-1.0 / 60)
      let fresh = (1 - keep * keep).squareRoot() * sigma
      east = keep * east + fresh * random.normal()
      north = keep * north + fresh * random.normal()
    }
    var (x, y) = (east, north + distance)
    if random.uniform() < 0.002 {
      let direction = 2 * Double.pi * random.uniform()
      x += 200 * sin(direction)
      y += 200 * cos(direction)
    }
    let place = Geodesic.destination(
      fromLatitude: Self.centre.latitude, longitude: Self.centre.longitude,
      course: atan2(x, y) * 180 / .pi, distance: hypot(x, y))
    var fix = Fix(sequence: 1, latitude: place.latitude, longitude: place.longitude)
    fix.horizontalAccuracy = Self.radiusOf68 * sigma
    return fix
  }
}

/// SplitMix64 with the numbers that simulations need.
struct SeededRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// 0 up to 1.
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Mean 0, standard deviation 1, by Box and Muller.
  mutating func normal() -> Double {
    (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
  }
}
