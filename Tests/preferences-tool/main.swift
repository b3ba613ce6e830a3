// What the tests of preferences run as processes of their own: see `usage`.
import Foundation
import Preferences
import PreferencesUserDefaults
import SQLiteStore

let usage = """
  preferences-tool get FILE KEY          prints the text kept under the key
  preferences-tool set FILE KEY TEXT     keeps a text
  preferences-tool count FILE KEY TIMES  adds 1 that many times, and prints each total once it is kept
  preferences-tool path SUITE            prints the suite's file
  preferences-tool default SUITE KEY TEXT
                                         keeps a text in UserDefaults, or says why it cannot, and
                                         prints the text before and after
  preferences-tool list FILE             prints keys, then whether the file is whole
  preferences-tool write SUBJECT PLACE WRITER FROM
                                         keeps records and prints each one's number once it is kept
  preferences-tool kill-test SUBJECT PLACE KILLS
                                         kills writers, and prints what was lost
  SUBJECT is preferences (PLACE a file) or userDefaults (PLACE a suite)
  """

/// Prints a line at once, so that it is out when the process is killed.
func say(_ line: String) throws {
  try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}

func run(_ arguments: [String]) throws {
  switch (arguments.first, Array(arguments.dropFirst())) {
  case ("get", let words) where words.count == 2:
    let text: String? = try PersistentStorage(path: words[0]).value(forKey: words[1])
    print(text ?? "(none)")
  case ("set", let words) where words.count == 3:
    try PersistentStorage(path: words[0]).setValue(words[2], forKey: words[1])
  case ("count", let words) where words.count == 3:
    let storage = PersistentStorage(path: words[0])
    for _ in 0..<(Int(words[2]) ?? 0) {
      var total = 0
      try storage.updateValue(forKey: words[1]) { (old: Int?) in
        total = (old ?? 0) + 1
        return total
      }
      try say("\(total)")
    }
  case ("path", let words) where words.count == 1:
    print(PersistentStorage(suiteName: words[0]).path)
  case ("default", let words) where words.count == 3:
    let storage = UserDefaultsStorage(suiteName: words[0])
    let text = { try storage.value(forKey: words[1]) ?? "(none)" }
    print(try text())
    do {
      try storage.setValue(words[2], forKey: words[1])
    } catch {
      StandardError.print("preferences-tool: \(error)")
    }
    print(try text())
  case ("list", let words) where words.count == 1:
    for key in try PersistentStorage(path: words[0]).keys() { print(key) }
    print(try Database(path: words[0], mode: .read).damage() ?? "whole")
  case ("write", let words) where words.count == 4:
    guard let subject = Subject(rawValue: words[0]), let writer = Int(words[2]),
      let start = Int(words[3])
    else { throw Failure(usage) }
    let write = try subject.writer(words[1])
    for number in start... {
      try write(Record(writer: writer, number: number), "writer.\(writer)")
      try say("\(number)")
    }
  case ("kill-test", let words) where words.count == 3:
    guard let subject = Subject(rawValue: words[0]), let kills = Int(words[2]) else {
      throw Failure(usage)
    }
    try KillTest(subject: subject, place: words[1]).run(kills: kills)
  default:
    throw Failure(usage)
  }
}

do {
  try run(Array(CommandLine.arguments.dropFirst()))
} catch {
  StandardError.print("preferences-tool: \(error)")
  exit(1)
}
