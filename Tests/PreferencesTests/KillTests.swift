import Foundation
import TestSupport
import Testing

/// Writers that are killed at random moments: what they had said to be kept is there.
struct KillTests {
  private struct Result: Decodable {
    var kills: Int
    var acknowledged: Int
    var lost: Int
    var torn: Int
  }

  /// `BEARING_KILLS` asks for more.
  private static let kills =
    ProcessInfo.processInfo.environment["BEARING_KILLS"].flatMap(Int.init) ?? 50
  /// A kill takes half a second on a machine that is busy with other tests.
  private static let secondsForAKill = 6.0

  @Test("after each kill -9 of three writers, every acknowledged value is there and none is torn")
  func preferences() throws {
    let folder = try TemporaryFolder()
    let run = try ProgramRun.run(
      ProgramRun.path(of: "preferences-tool"),
      ["kill-test", "preferences", folder.path + "/a.preferences", "\(Self.kills)"],
      within: Self.secondsForAKill * Double(Self.kills))
    try #require(run.status == 0, "\(run.errors)")
    let result = try JSONDecoder().decode(Result.self, from: Data(run.output.utf8))
    #expect(result.kills >= Self.kills)
    #expect(result.acknowledged > Self.kills)
    #expect(result.lost == 0)
    #expect(result.torn == 0)
    #expect(run.errors == "", "no writer met an error")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["a.preferences", "a.preferences-journal"])
    print("kill test: \(run.lines.first ?? "")")
  }
}
