import Foundation
import TestSupport
import Testing

/// Streams over the death of the daemon, with a program that does what systemd does.
@Suite struct HandoverTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Handover")

  private func run(_ script: String, _ arguments: String...) throws -> String {
    let run = try ProgramRun.run(
      "/usr/bin/python3",
      [Self.folder.appending(path: script).path, ProgramRun.path(of: "bearingd")] + arguments,
      within: 300)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    return run.output
  }

  @Test func `streams go on over kill -9 at random moments, whole and with their losses told`()
    throws
  {
    #expect(try run("handover.py").contains("8 streams went on"))
  }

  @Test(
    arguments: [
      "filters",  // They hold, also when they have let nothing pass yet.
      "quick",  // Streams go on over processes that end as soon as they are ready.
      "limits",  // Streams beyond a limit that is lower now go on, and count.
      "losses",  // What was lost is counted once.
      "regions",  // A reader that is behind misses no event.
      "layouts",  // What is kept of them in another form is ignored.
    ])
  func `what a stream has does not end with the daemon`(part: String) throws {
    #expect(try run("takeover.py", part).contains("\(part): as it is to be"))
  }
}
