import Foundation
import TestSupport
import Testing

/// A shell that may not be installed where the tests run.
private func isInstalled(_ shell: String) -> Bool {
  FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)")
}

/// A folder with a shell's script, as an installation puts it.
private func script(_ shell: String) throws -> TemporaryFolder {
  let folder = try TemporaryFolder()
  let run = try ProgramRun.run(ProgramRun.path(of: "gpsctl"), ["completion", shell])
  try #require(run.status == 0 && run.errors == "")
  try folder.write(run.output, to: "script")
  return folder
}

/// What is offered, in any order, for a line that ends at the cursor.
private let offers: [(line: String, words: Set<String>)] = [
  ("gpsctl wa", ["watch"]),
  (
    "gpsctl watch ",
    ["location", "acceleration", "orientation", "motion", "sky", "heading", "regions"]
  ),
  ("gpsctl watch location s", ["sky"]),
  ("gpsctl watch sky --c", ["--count", "--coordinates"]),
  ("gpsctl watch sky --ma", []),
  ("gpsctl sky --ma", ["--max-age"]),
  ("gpsctl region ", ["add", "list", "remove", "watch"]),
  ("gpsctl region add --d", ["--dwell"]),
  ("gpsctl region watch --s", ["--since", "--socket"]),
  ("gpsctl fix --units ", ["metric", "imperial", "nautical"]),
  ("gpsctl fix --accuracy ", []),
  ("gpsctl --socket /x fi", ["fix"]),
  ("gpsctl --json orientation --s", ["--sensor", "--socket"]),
  ("gpsctl prefs ex", ["export"]),
  ("gpsctl monitor --js", []),
  ("gpsctl sensors --js", ["--json"]),
  ("gpsctl prefs get location.", ["location.minInterval", "location.distanceFilter"]),
  ("gpsctl prefs set --m", ["--machine"]),
  ("gpsctl --v", ["--version"]),
  ("gpsctl completion", []),
]

@Suite struct CompletionTests {
  @Test(.enabled(if: isInstalled("bash")), arguments: offers)
  func `bash completes commands, words, options and their values`(
    line: String, words: Set<String>
  ) throws {
    let folder = try script("bash")
    let program = """
      source "$1"
      COMP_WORDS=($2); [[ $2 == *" " ]] && COMP_WORDS+=("")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      $(complete -p gpsctl | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let run = try ProgramRun.run(
      "/usr/bin/bash", ["--norc", "-c", program, "bash", folder.path + "/script", line])
    #expect(run.errors == "")
    #expect(Set(run.lines) == words)
  }

  @Test(.enabled(if: isInstalled("fish")), arguments: offers)
  func `fish completes commands, words, options and their values`(
    line: String, words: Set<String>
  ) throws {
    let folder = try script("fish")
    let run = try ProgramRun.run(
      "/usr/bin/fish",
      [
        "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", folder.path + "/script", line,
      ],
      environment: ["HOME": folder.path])
    #expect(run.errors == "")
    #expect(Set(run.lines.map { String($0.prefix { $0 != "\t" }) }) == words)
  }

  /// What stands on the line after the keys are typed, each tab completing.
  @Test(
    .enabled(if: isInstalled("zsh")),
    arguments: [
      ("gpsctl wat\tloc\t--cou\t", "gpsctl watch location --count="),
      ("gpsctl watch location sk\t", "gpsctl watch location sky "),
      ("gpsctl fix --uni\tnau\t", "gpsctl fix --units=nautical "),
      ("gpsctl --soc\t/x fi\t--best\t", "gpsctl --socket=/x fix --best-effort "),
      ("gpsctl sky --ma\t", "gpsctl sky --max-age="),
      ("gpsctl pref\tset\tdisplay.u\t", "gpsctl prefs set display.units "),
      ("gpsctl --ver\t", "gpsctl --version "),
    ])
  func `zsh completes commands, words, options and their values`(
    keys: String, line: String
  ) throws {
    let folder = try script("zsh")
    // Completion needs an interactive shell on a terminal; a key of its own shows the line.
    let program = """
      zmodload zsh/zpty
      zpty -b shell zsh -f -i
      zpty -w shell "autoload -Uz compinit; compinit -u -D; source $1
      report() { print -r -- \\"line=<\\$BUFFER>\\" }; zle -N report; bindkey '^X' report; echo REA''DY"
      zpty -r -m shell said "*READY*"
      zpty -w -n shell "$2"$'\\C-X'
      zpty -r -m shell said "*line=<*>*"
      print -r -- "${said##*line=}"
      """
    let run = try ProgramRun.run(
      "/usr/bin/zsh", ["-f", "-c", program, "zsh", folder.path + "/script", keys],
      environment: ["HOME": folder.path, "TERM": "xterm"])
    #expect(run.lines.first?.trimmingCharacters(in: .whitespacesAndNewlines) == "<\(line)>")
  }
}
