import Foundation

/// What a writer writes: it tells whether it is whole and which write it was.
struct Record: Codable {
  var writer: Int
  var number: Int
  /// Of any length, so that records grow and shrink.
  var filling: String
  /// Over the rest.
  var check: UInt64

  init(writer: Int, number: Int) {
    self.writer = writer
    self.number = number
    let letter = "abcdefghij".randomElement() ?? "a"
    filling = String(repeating: letter, count: .random(in: 0...3000))
    check = 0
    check = sum
  }

  var isWhole: Bool { check == sum }

  /// FNV-1a.
  private var sum: UInt64 {
    "\(writer) \(number) \(filling)".utf8.reduce(14_695_981_039_346_656_037) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
  }
}
