import Testing

@testable import BearingCore

@Suite struct IIOTextTests {
  @Test(
    "Numbers are read with the blanks and line ends around them",
    arguments: [
      ("0.009806\n", 0.009806), (" 0.009806 ", 0.009806), ("9.806e-3\r\n", 0.009806),
      ("-2048\n", -2048), ("+1.5", 1.5), (".5", 0.5), ("5.", 5), ("0.000009806", 9.806e-6),
      ("0.000598550\t\n", 0.00059855), ("1E2", 100), ("-0.0", 0),
    ])
  func decimals(text: String, value: Double) throws {
    #expect(try NumberText.decimal(text.utf8) == value)
  }

  @Test(
    "What is no decimal number is refused, not read up to where it ends",
    arguments: [
      "", "\n", "0,009806", "1 2", "0x10", "inf", "nan", "-", ".", "1e", "1e+", "1.2.3", "abc",
      "1\0", "\u{feff}1", "１", "--1", "1_000",
    ])
  func notDecimals(text: String) {
    #expect(throws: TextProblem("\(quoted(text.utf8)) is not a number")) {
      try NumberText.decimal(text.utf8)
    }
  }

  @Test("A number beyond every double is refused")
  func tooLarge() {
    #expect(throws: TextProblem("\"1e999\" is too large")) { try NumberText.decimal("1e999".utf8) }
  }

  @Test(
    "Whole numbers are read to the ends of 64 bits",
    arguments: [
      ("-4413\n", -4413), (" 40", 40), ("8 \r\n", 8), ("+7", 7), ("0", 0), ("-0", 0),
      ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
    ])
  func wholes(text: String, value: Int64) throws {
    #expect(try NumberText.whole(text.utf8) == value)
  }

  @Test(
    "What is no whole number is refused",
    arguments: [
      ("", "\"\" is not a whole number"), ("1.5", "\"1.5\" is not a whole number"),
      ("- 1", "\"- 1\" is not a whole number"), ("1\u{7}", "\"1?\" is not a whole number"),
      ("9223372036854775808", "\"9223372036854775808\" is too large"),
      ("-9223372036854775809", "\"-9223372036854775809\" is too large"),
    ])
  func notWholes(text: String, reason: String) {
    #expect(throws: TextProblem(reason)) { try NumberText.whole(text.utf8) }
  }

  @Test(
    "A scan type gives its layout",
    arguments: [
      ("le:s12/16>>4\n", false, true, 12, 16, 1, 4), ("be:s16/16>>0", true, true, 16, 16, 1, 0),
      ("le:u8/8>>0", false, false, 8, 8, 1, 0), ("le:s64/64>>0", false, true, 64, 64, 1, 0),
      ("be:u10/32X4>>22 ", true, false, 10, 32, 4, 22),
    ])
  func scanTypes(
    text: String, bigEndian: Bool, signed: Bool, bits: Int, storage: Int, repeats: Int, shift: Int
  ) throws {
    let type = try IIOScanType(parsing: text.utf8)
    #expect(type.isBigEndian == bigEndian && type.isSigned == signed && type.bits == bits)
    #expect(type.storageBits == storage && type.repeats == repeats && type.shift == shift)
  }

  @Test(
    "What is no scan type is refused",
    arguments: [
      "", "s12/16>>4", "le:12/16>>4", "le:s12/16", "le:s12/16>>4x", "le:s17/16>>0", "le:s0/16>>0",
      "le:s12/16>>5", "le:s12/15>>0", "xe:s12/16>>4", "le:s-12/16>>4", "le:s99999999999/16>>4",
      "le:s12/16X0>>4",
    ])
  func notScanTypes(text: String) {
    #expect(throws: TextProblem.self) { try IIOScanType(parsing: text.utf8) }
  }

  @Test(
    "A raw value outside a signed range gets its sign from its highest bit",
    arguments: [
      ("le:s16/32>>0", 65529, -7), ("le:s16/32>>0", 65408, -128), ("le:s16/32>>0", 32767, 32767),
      ("le:s16/32>>0", -32768, -32768), ("le:s12/16>>4", 2048, -2048), ("le:s12/16>>4", 4095, -1),
      ("le:s32/32>>0", -957_076, -957_076), ("le:s64/64>>0", Int64.min, Int64.min),
      ("le:u12/16>>0", 5000, 5000), ("le:s8/8>>0", 64, 64), ("le:s8/8>>0", 200, -56),
    ])
  func signExtension(type: String, raw: Int64, value: Int64) throws {
    #expect(try IIOScanType(parsing: type.utf8).value(of: raw) == value)
  }

  @Test(
    "Rates are read from lists with trailing blanks and from ranges",
    arguments: [
      ("12 26 52 104 208 416 833 \n", [12, 26, 52, 104, 208, 416, 833]),
      ("0.000000 12.500000 100.000000", [12.5, 100]), ("100 1 10", [1, 10, 100]),
      ("[1 1 5]", [1, 2, 3, 4, 5]), ("[10.0 0.1 1600]", [10, 1600]), ("[0 5 10]", [5, 10]),
      ("[0 0 10]", [10]),
    ])
  func rates(text: String, shown: [Double]) throws {
    #expect(try IIORates(parsing: text.utf8).shown == shown)
  }

  @Test(
    "What is no list of rates is refused",
    arguments: ["", "0", "[1 2]", "[5 1 1]", "-1", "1,5", "[1 1 5", "1e300"])
  func notRates(text: String) {
    #expect(throws: TextProblem.self) { try IIORates(parsing: text.utf8) }
  }

  @Test(
    "The slowest rate that is enough is chosen, in the driver's own words, else the fastest",
    arguments: [
      ("15.620000 31.260000 62.50000 125", 31.0, "31.260000"),
      ("15.620000 31.260000 62.50000 125", 62.5, "62.50000"),
      ("15.620000 31.260000 62.50000 125", 1.0, "15.620000"),
      ("15.620000 31.260000 62.50000 125", 400.0, "125"),
      ("[1 0.25 100]", 33.3, "33.500000"), ("[1 0.25 100]", 0.1, "1"),
      ("[1 0.25 100]", 1000, "100"),
      ("[0.5 0 100]", 33.3, "33.300000"),
    ])
  func nearest(text: String, wanted: Double, chosen: String) throws {
    #expect(try IIORates(parsing: text.utf8).nearest(atLeast: wanted)?.text == chosen)
  }

  @Test(
    "A matrix is read in every spelling that drivers and udev have",
    arguments: [
      "0, 1, 0; -1, 0, 0; 0, 0, 1", "0,1,0;-1,0,0;0,0,1", " 0, 1, 0 ; -1, 0, 0 ; 0, 0, 1  \n",
      "0.0000, 1.0000, 0.0000; -1.0000, 0.0000, 0.0000; 0.0000, 0.0000, 1.0000\r\n",
    ])
  func matrices(text: String) throws {
    let matrix = try MountMatrix(parsing: text.utf8)
    #expect(matrix.numbers == [0, 1, 0, -1, 0, 0, 0, 0, 1])
    // The rows dotted with the vector; the transpose would give (-2, 1, 3).
    #expect(matrix.apply(SIMD3(1, 2, 3)) == SIMD3(2, -1, 3))
  }

  @Test(
    "A matrix of no use is refused with what is wrong",
    arguments: [
      ("", "\"\" has 1 rows where a matrix has 3"),
      ("1,0,0;0,1,0", "\"1,0,0;0,1,0\" has 2 rows where a matrix has 3"),
      ("1,0;0,1,0;0,0,1", "\"1,0;0,1,0;0,0,1\" has a row of 2 numbers where a matrix has 3"),
      ("1,0,x;0,1,0;0,0,1", "\"x\" is not a number"),
      (
        "0, 0, 0; 0, 0, 0; 0, 0, 0",
        "\"0, 0, 0; 0, 0, 0; 0, 0, 0\" cannot be inverted: its rows span no space"
      ),
      (
        "1,2,3;2,4,6;0,0,1", "\"1,2,3;2,4,6;0,0,1\" cannot be inverted: its rows span no space"
      ),
    ])
  func notMatrices(text: String, reason: String) {
    #expect(throws: TextProblem(reason)) { try MountMatrix(parsing: text.utf8) }
  }

  @Test("Any bytes are read or refused, and what is read is in its range", arguments: 0..<8)
  func anyBytes(seed: UInt64) {
    var random = SplitMix(state: seed)
    let seeds = [
      "0.009806", "-4413", "le:s12/16>>4", "[1 0.25 100]", "12 26 52 ",
      "0, 1, 0; -1, 0, 0; 0, 0, 1",
      "be:u10/32X4>>22", "9223372036854775807", "1e308",
    ].map { Array($0.utf8) }
    for _ in 0..<3_000 {
      var bytes = seeds[Int(random.next() % UInt64(seeds.count))]
      for _ in 0...(random.next() % 4) {
        let place = Int(random.next() % UInt64(bytes.count + 1))
        switch random.next() % 3 {
        case 0: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 1 where place < bytes.count: bytes.remove(at: place)
        default: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
        }
      }
      if let value = try? NumberText.decimal(bytes) { #expect(value.isFinite) }
      if let value = try? NumberText.whole(bytes) {
        #expect(Int64(String(decoding: NumberText.trimmed(bytes), as: UTF8.self)) == value)
      }
      if let type = try? IIOScanType(parsing: bytes) {
        for raw in [Int64.min, -1, 0, 1, 65529, Int64.max] where type.isSigned {
          #expect(type.range.contains(type.value(of: raw)))
        }
      }
      if let rates = try? IIORates(parsing: bytes) {
        #expect(rates.shown.allSatisfy { $0 > 0 && $0 <= IIORates.fastest })
        #expect((rates.nearest(atLeast: 10)?.value ?? 0) > 0)
      }
      if let matrix = try? MountMatrix(parsing: bytes) {
        #expect(matrix.numbers.allSatisfy { $0.isFinite })
      }
    }
  }

  /// Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014.
  struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }
}
