import Foundation
import TestSupport
import Testing

/// `make install` and `make uninstall`.
@Suite struct InstallChecks {
  /// Paths of files in a folder, in order.
  private static func files(in folder: String) throws -> [String] {
    let find = try ProgramRun.run("/usr/bin/find", [folder, "!", "-type", "d", "-printf", "%P\n"])
    return find.lines.sorted()
  }

  @Test(arguments: ["/usr/local", "/usr"])
  func whatIsInstalledIsRemovedAgainButForTheConfiguration(prefix: String) throws {
    // The project with programs that only print something in place of the release's.
    let folder = try TemporaryFolder()
    try folder.makeFolder(".build/release")
    for name in ["bearingd", "gpsctl"] {
      try ProgramFile.write(
        "#!/bin/sh\necho \"$@\"\n", to: "\(folder.path)/.build/release/\(name)")
    }
    for name in ["Makefile", "config", "docs", "systemd"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/" + name, withDestinationPath: SourceFile.root.path + "/" + name)
    }
    let root = folder.path + "/root"
    func make(_ target: String) throws {
      let run = try ProgramRun.run(
        "/usr/bin/make",
        ["-C", folder.path, "--silent", target, "DESTDIR=\(root)", "PREFIX=\(prefix)"])
      #expect(run.status == 0, "\(run.errors)")
    }
    try make("install")
    let installed = try Self.files(in: root)
    let own = String(prefix.dropFirst())
    for name in [
      "\(own)/sbin/bearingd", "\(own)/bin/gpsctl", "\(own)/lib/systemd/system/bearingd.service",
      "\(own)/lib/systemd/system/bearingd.socket", "\(own)/share/man/man1/gpsctl.1",
      "\(own)/share/bash-completion/completions/gpsctl", "etc/bearingd/bearingd.conf",
    ] {
      #expect(installed.contains(name), "\(installed)")
    }
    let unit = try String(
      contentsOfFile: "\(root)\(prefix)/lib/systemd/system/bearingd.service", encoding: .utf8)
    #expect(unit.contains("\nExecStart=\(prefix)/sbin/bearingd"))

    let configuration = "\(root)/etc/bearingd/bearingd.conf"
    try Data("# mine\n".utf8).write(to: URL(fileURLWithPath: configuration))
    try make("install")
    #expect(try Self.files(in: root) == installed)
    #expect(try String(contentsOfFile: configuration, encoding: .utf8) == "# mine\n")

    try make("uninstall")
    #expect(try Self.files(in: root) == ["etc/bearingd/bearingd.conf"])
  }
}
