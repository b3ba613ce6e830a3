import Foundation
import SQLiteStore
import TestSupport
import Testing

/// On real file systems of their own, which a mount namespace gives: a disk that is full, one that may
/// only be read, and a folder that may not be written.
struct FullDiskTests {
  private static let tool = ProgramRun.path(of: "preferences-tool")

  /// Runs a script in a new mount namespace, with the tool as $TOOL and an empty folder as $DISK.
  private func run(_ script: String, _ folder: TemporaryFolder) throws -> ProgramRun {
    try ProgramRun.run(
      "/usr/bin/unshare", ["--map-root-user", "--mount", "sh", "-eu", "-c", script],
      environment: ["TOOL": Self.tool, "DISK": folder.path])
  }

  /// Whether the machine lets a process have a mount namespace; containers may not.
  static let canMount: Bool = {
    let run = try? ProgramRun.run(
      "/usr/bin/unshare",
      ["--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /mnt"])
    return run?.status == 0
  }()

  @Test("on a full disk a set is an error, and the old value stays", .enabled(if: canMount))
  func full() throws {
    let folder = try TemporaryFolder()
    let run = try run(
      """
      mount -t tmpfs -o size=64k none "$DISK"
      "$TOOL" set "$DISK/a.preferences" name Zürich
      "$TOOL" set "$DISK/a.preferences" other kept
      cat /dev/zero >"$DISK/filling" 2>/dev/null || true
      "$TOOL" set "$DISK/a.preferences" name "$(head -c 5000 /dev/zero | tr '\\0' x)" && echo "no error"
      "$TOOL" set "$DISK/a.preferences" name new && echo "no error for a short one"
      "$TOOL" get "$DISK/a.preferences" name
      "$TOOL" list "$DISK/a.preferences"
      "$TOOL" set "$DISK/b.preferences" name new && echo "no error for a new file"
      ls "$DISK"
      rm "$DISK/filling"
      "$TOOL" set "$DISK/a.preferences" name after
      "$TOOL" get "$DISK/a.preferences" name
      ls "$DISK"
      """, folder)
    #expect(
      run.lines == [
        "Zürich", "name", "other", "whole", "a.preferences", "a.preferences-journal", "filling",
        "after", "a.preferences", "a.preferences-journal",
      ], "\(run.errors)")
    #expect(run.errors.contains("free some space"), "\(run.errors)")
    #expect(run.status == 0)
  }

  @Test(
    "on a disk that may only be read, values are read and a set is an error", .enabled(if: canMount)
  )
  func readOnly() throws {
    let folder = try TemporaryFolder()
    let run = try run(
      """
      mount -t tmpfs -o size=64k none "$DISK"
      "$TOOL" set "$DISK/a.preferences" name Zürich
      mount -o remount,bind,ro "$DISK"
      "$TOOL" set "$DISK/a.preferences" name new && echo "no error"
      "$TOOL" get "$DISK/a.preferences" name
      "$TOOL" list "$DISK/a.preferences"
      "$TOOL" get "$DISK/b.preferences" name
      "$TOOL" set "$DISK/b.preferences" name new && echo "no error for a new file"
      mount -o remount,bind,rw "$DISK"
      "$TOOL" set "$DISK/a.preferences" name after
      "$TOOL" get "$DISK/a.preferences" name
      """, folder)
    #expect(run.lines == ["Zürich", "name", "whole", "(none)", "after"], "\(run.errors)")
    #expect(run.errors.contains("permissions"), "\(run.errors)")
    #expect(run.status == 0)
  }

  /// Whether the user nobody can run the tool: Swift's libraries may be out of its reach.
  static let canRunAsNobody: Bool = {
    if geteuid() != 0 { return true }
    guard let folder = try? TemporaryFolder() else { return false }
    let run = try? FullDiskTests().asNobody("\"$TOOL\" path suite", folder)
    return run?.status == 0
  }()

  @Test(
    "in a folder of someone else's, values are read and a set is an error",
    .enabled(if: canRunAsNobody))
  func othersFolder() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.preferences"
    #expect(try ProgramRun.run(Self.tool, ["set", path, "name", "Zürich"]).status == 0)
    let run = try asNobody(
      """
      "$TOOL" set "$DISK/a.preferences" name new && echo "no error"
      "$TOOL" get "$DISK/a.preferences" name
      "$TOOL" set "$DISK/b.preferences" name new && echo "no error for a new file"
      true
      """, folder)
    #expect(run.lines == ["Zürich"], "\(run.errors)")
    #expect(run.errors.contains("permissions"), "\(run.errors)")
    #expect(try ProgramRun.run(Self.tool, ["get", path, "name"]).lines == ["Zürich"])
  }

  @Test(
    "what a killed writer has left half-done hides nothing from those who may not undo it",
    .enabled(if: canRunAsNobody))
  func interruptedWriter() throws {
    let (folder, writers) = (try TemporaryFolder(), try TemporaryFolder())
    let files = ["a.preferences", "a.preferences-journal"]
    do {
      let path = writers.path + "/" + files[0]
      #expect(try ProgramRun.run(Self.tool, ["set", path, "name", "Zürich"]).status == 0)
      let writer = try Database(path: path, mode: .readWrite)
      // So much that some of it is in the file before it is all.
      try writer.execute(
        """
        PRAGMA cache_size = 1; BEGIN; UPDATE preferences SET value = '"half"';
        WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 2000)
        INSERT INTO preferences SELECT 'key ' || i, '"some text"' FROM number;
        """)
      for file in files {
        try FileManager.default.copyItem(
          atPath: writers.path + "/" + file, toPath: folder.path + "/" + file)
      }
    }
    let run = try asNobody(
      """
      "$TOOL" get "$DISK/a.preferences" name
      "$TOOL" set "$DISK/a.preferences" name new && echo "no error"
      true
      """, folder)
    #expect(run.lines == ["Zürich"], "\(run.errors)")
    #expect(run.errors.contains("killed half-way"), "\(run.errors)")
    for file in files { chmod(folder.path + "/" + file, 0o644) }
    let list = try ProgramRun.run(Self.tool, ["list", folder.path + "/" + files[0]])
    #expect(list.lines == ["name", "whole"], "\(list.errors)")
  }

  @Test(
    "in a folder of someone else's, a set of a UserDefaultsStorage leaves the old value too",
    .enabled(if: canRunAsNobody))
  func othersUserDefaults() throws {
    let folder = try TemporaryFolder()
    let made = try ProgramRun.run(
      Self.tool, ["default", "a", "name", "Zürich"],
      environment: ["XDG_CONFIG_HOME": folder.path])
    #expect(made.lines == ["(none)", "Zürich"], "\(made.errors)")
    chmod(folder.path + "/a.plist", 0o444)
    let run = try asNobody(
      """
      export XDG_CONFIG_HOME="$DISK"
      "$TOOL" default a name new
      "$TOOL" default b name new
      """, folder)
    #expect(run.lines == ["Zürich", "Zürich", "(none)", "(none)"], "\(run.errors)")
    #expect(run.errors.contains("cannot write the defaults of a"), "\(run.errors)")
  }

  /// Runs a script as a user who may read everything in the folder and write nothing.
  private func asNobody(_ script: String, _ folder: TemporaryFolder) throws -> ProgramRun {
    let environment = ["DISK": folder.path, "TOOL": folder.path + "/tool"]
    try ProgramFile.copy(Self.tool, to: folder.path + "/tool")
    for name in ["a.preferences", "a.preferences-journal"] {
      chmod("\(folder.path)/\(name)", 0o444)
    }
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    let shell = ["sh", "-eu", "-c", script]
    if geteuid() != 0 { return try ProgramRun.run("/usr/bin/env", shell, environment: environment) }
    return try ProgramRun.run(
      "/usr/bin/setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"] + shell,
      environment: environment)
  }
}
