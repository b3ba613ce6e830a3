import Foundation
import Testing

@testable import BearingCore

@Suite struct JournalTests {
  @Test(arguments: ["systemd/bearingd.catalog", "docs/service.md"])
  func `each kind of message is explained`(file: String) throws {
    let path = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../\(file)")
    let text = try String(contentsOf: path.standardized, encoding: .utf8)
    let explained = text.matches(of: /(?m)^(?:-- |\| `)([0-9a-f]{32})\b/).map { String($0.1) }
    #expect(explained.sorted() == Journal.Kind.all.map(\.identifier).sorted())
  }
}
