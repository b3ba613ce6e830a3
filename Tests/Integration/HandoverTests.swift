import Foundation
import TestSupport
import Testing

/// Streams over the death of the daemon, with a program that does what systemd does.
@Suite struct HandoverTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Handover/handover.py").path

  @Test func `streams go on over kill -9 at random moments, whole and with their losses told`()
    throws
  {
    let run = try ProgramRun.run(
      "/usr/bin/python3", [Self.script, ProgramRun.path(of: "bearingd")], within: 300)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("8 streams went on"))
  }
}
