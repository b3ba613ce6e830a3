import Foundation
import TestSupport
import Testing

@testable import BearingCore

@Suite struct DirectoriesTests {
  private func directories(uid: UInt32, _ environment: [String: String]) -> [String] {
    let found = Directories(uid: uid, home: "/home/of-database") { environment[$0] }
    return [found.runtime, found.state, found.configuration]
  }

  @Test func rootHasTheSystemsFolders() {
    #expect(directories(uid: 0, [:]) == ["/run/bearingd", "/var/lib/bearingd", "/etc/bearingd"])
    #expect(
      directories(uid: 0, ["HOME": "/root", "XDG_RUNTIME_DIR": "/run/user/0"])
        == ["/run/bearingd", "/var/lib/bearingd", "/etc/bearingd"])
  }

  @Test func systemdsFoldersComeFirstAndOfAListTheFirst() {
    let environment = [
      "RUNTIME_DIRECTORY": "/run/a:/run/b", "STATE_DIRECTORY": "/var/lib/a",
      "CONFIGURATION_DIRECTORY": "/etc/a", "XDG_RUNTIME_DIR": "/x", "XDG_STATE_HOME": "/x",
      "XDG_CONFIG_HOME": "/x",
    ]
    #expect(directories(uid: 0, environment) == ["/run/a", "/var/lib/a", "/etc/a"])
    #expect(directories(uid: 1000, environment) == ["/run/a", "/var/lib/a", "/etc/a"])
  }

  @Test func aUserHasTheXDGFolders() {
    let environment = [
      "XDG_RUNTIME_DIR": "/run/user/7", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c",
    ]
    #expect(
      directories(uid: 7, environment) == ["/run/user/7/bearingd", "/s/bearingd", "/c/bearingd"])
  }

  @Test(arguments: [
    ([:], "/home/of-database"),
    (["HOME": "/home/ada"], "/home/ada"),
    (
      ["HOME": "", "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "relative", "XDG_CONFIG_HOME": "."],
      "/home/of-database"
    ),
  ]) func aUserWithoutThemHasTheirDefaults(environment: [String: String], home: String) {
    #expect(
      directories(uid: 7, environment)
        == ["/run/user/7/bearingd", "\(home)/.local/state/bearingd", "\(home)/.config/bearingd"])
  }

  @Test func makesWhatIsMissingAndLeavesWhatIsThere() throws {
    let folder = try TemporaryFolder()
    try folder.write("kept", to: "state/deep/file")
    let directories = Directories(uid: 7, home: "/") {
      [
        "RUNTIME_DIRECTORY": folder.path + "/run/a/b",
        "STATE_DIRECTORY": folder.path + "/state/deep",
      ][$0]
    }
    try directories.create()
    try directories.create()
    var isFolder: ObjCBool = false
    #expect(FileManager.default.fileExists(atPath: directories.runtime, isDirectory: &isFolder))
    #expect(isFolder.boolValue)
    #expect(try String(contentsOfFile: directories.state + "/file", encoding: .utf8) == "kept")
  }

  @Test func saysWhichFolderItCouldNotMake() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "file")
    let directories = Directories(uid: 7, home: "/") { _ in file }
    // The path is there but is no folder; one below it cannot be made.
    let below = Directories(uid: 7, home: "/") { _ in file + "/below" }
    try directories.create()
    #expect(throws: SystemError("make the folder \(file)/below", code: ENOTDIR)) {
      try below.create()
    }
  }
}
