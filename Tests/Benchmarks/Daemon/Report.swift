import CBenchmarks
import Foundation
import Glibc

/// What kept a benchmark from being done.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The table, printed row by row as it comes.
struct Report {
  private var start: Int64 = 0
  private let begin = bench_now()

  init() {
    print("load \(Self.load), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) processors\n")
    print("| | bearingd | beside | | ratio |\n|---|---:|---|---:|---:|")
  }

  /// The next rows are of this benchmark.
  mutating func begin(_ name: String) {
    print("| **\(name)** (load \(Self.load)) | | | | |")
    fflush(nil)
  }

  /// One figure beside another of the same unit; the ratio is ours by theirs.
  mutating func row(
    _ what: String, _ ours: Double, _ unit: String, beside: String, _ theirs: Double
  ) {
    let ratio = theirs == 0 ? "" : Self.text(ours / theirs)
    print(
      "| \(what) | \(Self.text(ours)) \(unit) | \(beside) | \(Self.text(theirs)) \(unit) | \(ratio) |"
    )
    fflush(nil)
  }

  /// The last line.
  func end() {
    let seconds = Double(bench_now() - begin) / 1e9
    print("\n\(Self.text(seconds)) s, load \(Self.load)")
  }

  private static var load: String {
    let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    return text.split(separator: " ").first.map(String.init) ?? "?"
  }

  /// Three figures that count.
  private static func text(_ number: Double) -> String {
    guard number.isFinite else { return "none" }
    let decimals = number == 0 ? 0 : max(0, 2 - Int(log10(abs(number)).rounded(.down)))
    return String(format: "%.\(min(decimals, 4))f", number)
  }
}

extension [Double] {
  /// The value that this share of the values is not above; NaN of none.
  func quantile(_ share: Double) -> Double {
    let sorted = sorted()
    guard let last = sorted.indices.last else { return .nan }
    return sorted[Swift.min(last, Int((Double(count) * share).rounded(.up)) - 1)]
  }
}
