import Foundation
import Testing

@Suite struct MetricsTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../../..").standardized

  /// The names and kinds that the daemon's sources write.
  private static func written() throws -> Set<String> {
    let folder = root.appending(path: "Sources/BearingCore")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var found: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /\.(?:metric|single)\(\s*"([a-z_]+)", \.([a-z]+)/) {
        found.insert("bearingd_\(match.1) \(match.2)")
      }
    }
    return found
  }

  @Test func `the guide explains every metric that there is, and no other`() throws {
    let guide = try String(
      contentsOf: Self.root.appending(path: "docs/metrics.md"), encoding: .utf8)
    let rows = guide.matches(of: /(?m)^\| `([a-z_]+)` \| ([a-z]+) \| [^|]+ \|$/)
    let explained = Set(rows.map { "\($0.1) \($0.2)" })
    #expect(explained.count > 20)
    #expect(explained == (try Self.written()))
    // Alerts ask for metrics that exist.
    let names = Set(rows.map { $0.1 })
    for name in guide.matches(of: /(bearingd_[a-z_]+)/).map({ $0.1 }) {
      #expect(names.contains(name), "\(name)")
    }
  }
}
