import Foundation
import Preferences
import TestSupport
import Testing

/// Values that nobody thought of: the same ones in each run.
struct RandomValueTests {
  private static let values = 20

  @Test(
    "values of every kind are read as they were written, and no other key is harmed",
    arguments: StorageKind.available.filter { $0 != .plain })
  func values(kind: StorageKind) throws {
    let sample = try kind.make()
    let storage = sample.storage
    try storage.setValue(7, forKey: "other")
    for seed in 1...Self.values {
      var random = Random(seed: UInt64(seed))
      let mixed = Mixed(random: &random, levels: 2, wholeDates: kind == .userDefaults)
      // The kernel ends names at a NUL.
      let key = random.text().filter { !$0.unicodeScalars.contains("\0") }
      try storage.setValue(mixed, forKey: key)
      #expect(try storage.value(forKey: key) == mixed, "\(kind), \(seed)")
      sample.readAnew()
      #expect(try storage.value(forKey: key) == mixed, "\(kind), \(seed), from the file")
      try storage.setValue(nil as Mixed?, forKey: key)
      #expect(try storage.value(forKey: "other") == 7, "\(kind), \(seed)")
    }
  }
}

/// Something of each kind that a program may keep.
private struct Mixed: Codable, Equatable {
  var integers: [Int64] = []
  var unsigned: [UInt64] = []
  var bytes: [Int8] = []
  var doubles: [Double] = []
  var floats: [Float] = []
  var texts: [String] = []
  var data: [Data] = []
  var dates: [Date] = []
  var numbersByText: [String: Double] = [:]
  var textsByNumber: [Int: String] = [:]
  var decimals: [Decimal] = []
  var isOne: [Bool] = []
  var choice: Choice?
  var inner: [Mixed] = []

  enum Choice: Codable, Equatable {
    case nothing
    case one(Int)
    case two(name: String, Int?)
  }

  init(random: inout Random, levels: Int, wholeDates: Bool) {
    for _ in 0..<3 {
      let (bits, shift) = (random.next(), UInt64(random.below(64)))
      integers.append(Int64(bitPattern: bits) >> Int64(shift))
      unsigned.append(bits >> shift)
      bytes.append(Int8(truncatingIfNeeded: bits))
      // Any exponent, and the numbers too small to have one.
      let mantissa: UInt64 = 0x800f_ffff_ffff_ffff
      doubles += [bits, bits & mantissa].map(Double.init(bitPattern:)).filter { !$0.isNaN }
      floats += [Float(bitPattern: UInt32(truncatingIfNeeded: bits))].filter { !$0.isNaN }
      texts.append(random.text())
      data.append(Data((0..<random.below(100)).map { UInt8(truncatingIfNeeded: $0 &* 37) }))
      let seconds = Double(Int64(bitPattern: bits) >> Int64(shift | 11))
      dates.append(Date(timeIntervalSinceReferenceDate: wholeDates ? seconds : seconds / 7))
      numbersByText[random.text()] = Double(random.below(5))
      textsByNumber[Int(truncatingIfNeeded: bits)] = random.text()
      decimals.append(
        Decimal(sign: .minus, exponent: random.below(180) - 100, significand: Decimal(bits)))
      isOne.append(bits & 1 == 1)
    }
    let choices: [Choice?] = [nil, .nothing, .one(5), .two(name: random.text(), 1)]
    choice = choices[random.below(choices.count)]
    if levels > 0 {
      inner = (0..<random.below(3)).map { _ in
        Mixed(random: &random, levels: levels - 1, wholeDates: wholeDates)
      }
    }
  }
}

/// Numbers that look random (SplitMix64).
private struct Random {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// Up to seven characters: controls, ASCII, accents, marks that combine, anything.
  mutating func text() -> String {
    let ends: [UInt32] = [0x20, 0x80, 0x400, 0x1_0000, 0x11_0000]
    let scalars = (0..<below(8)).compactMap { _ in
      Unicode.Scalar(UInt32(below(Int(ends[below(ends.count)]))))
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
