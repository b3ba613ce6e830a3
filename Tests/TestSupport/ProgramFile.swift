/// Programs that a test puts in place to have them run.
///
/// The test runner does not write them itself: a child that it starts at that moment for another test
/// has the file open for writing until it has become its own program, and so long nobody can run it
/// (ETXTBSY).
public enum ProgramFile {
  /// Copies a program, which everybody may run then.
  public static func copy(_ program: String, to path: String) throws {
    try run("cp \"$1\" \"$2\" && chmod 755 \"$2\"", [program, path])
  }

  /// Writes a script that everybody may run.
  public static func write(_ script: String, to path: String) throws {
    try run("printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"", [script, path])
  }

  private static func run(_ script: String, _ arguments: [String]) throws {
    let run = try ProgramRun.run("/bin/sh", ["-euc", script, "sh"] + arguments)
    guard run.status == 0 else { throw ChildProcess.Failure(description: run.errors) }
  }
}
