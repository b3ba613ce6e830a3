import BearingModel
import Foundation
import Testing

/// Numbers and texts as they go over the wire.
@Suite struct JSONWriterTests {
  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      (-0.0, 9, "0.0"), (0.0, 4, "0.0"), (-4e-10, 9, "0.0"), (-6e-10, 9, "-0.000000001"),
      (46.123456789, 9, "46.123456789"), (-179.9999999996, 9, "-180.0"),
      (179.9999999994, 9, "179.999999999"),
      (0.9999999999, 9, "1.0"), (1.5, 0, "2.0"), (-0.25, 4, "-0.25"), (9.80665, 7, "9.80665"),
      (100.0, 4, "100.0"), (10.01, 4, "10.01"), (9.5e9, 9, "9500000000.0"),
      (1234567890123.25, 2, "1234567890123.25"), (1e300, 4, "1e+300"), (-1e300, 4, "-1e+300"),
      (.nan, 4, "null"), (.infinity, 4, "null"), (-.infinity, 4, "null"),
    ] as [(Double, Int, String)])
  func `a number has so many places, no sign at 0, and is never NaN or infinite`(
    number: Double, places: Int, expected: String
  ) {
    #expect(text { $0.value(number, decimals: places) } == expected)
  }

  @Test(arguments: [(180.0, 9), (10_000, 4), (100, 7)])
  func `a number is read as what it was, to its last place`(most: Double, places: Int) throws {
    let half = pow(10, -Double(places)) / 2
    for step in -1000...1000 {
      // In steps that no power of ten divides.
      let number = most * sin(Double(step))
      let json = text { writer in writer.array([number]) { $0.value($1, decimals: places) } }
      let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Double]
      let error = try abs(#require(read?.first) - number)
      #expect(error <= half + 4 * most.ulp, "\(json)")
    }
  }

  @Test(arguments: ["", "Zürich 🧭", "\"\\/", "a\nb\t\u{0}\u{1f}", "e\u{301}", "\u{2028}"])
  func `a text is read as what it was`(string: String) throws {
    let json = text { writer in writer.array([string]) { $0.value($1) } }
    let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String]
    #expect(read?.first?.unicodeScalars.elementsEqual(string.unicodeScalars) == true)
  }

  @Test(arguments: [Int.min, -1, 0, 1, .max])
  func `a whole number is written whole`(integer: Int) {
    #expect(text { $0.value(integer) } == "\(integer)")
  }
}
