import Foundation
import TestSupport
import Testing

@testable import BearingCore

@Suite struct ConfigurationLoadingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func noFileIsEverythingAtItsDefault() {
    let result = Configuration.load(file: nil, directory: folder.path)
    #expect(result.configuration == Configuration())
    #expect(result.diagnostics.isEmpty)
  }

  @Test func dropInsWinInTheOrderOfTheirNames() throws {
    try folder.write("[Location]\nGpsdPort=1\nGpsdHost=main", to: "bearingd.conf")
    try folder.write("[Location]\nGpsdPort=20", to: "bearingd.conf.d/20-last.conf")
    try folder.write("[Location]\nGpsdPort=3\n[Daemon]\nEager=yes", to: "bearingd.conf.d/3.conf")
    try folder.write("[Location]\nGpsdPort=10", to: "bearingd.conf.d/10-first.conf")
    try folder.write("[Location]\nGpsdPort=99", to: "bearingd.conf.d/99.conf.bak")
    try folder.write("[Location]\nGpsdPort=98", to: "bearingd.conf.d/.98.conf")
    let result = Configuration.load(file: nil, directory: folder.path)
    #expect(result.diagnostics.isEmpty)
    #expect(result.configuration.location.gpsdPort == 3)
    #expect(result.configuration.location.gpsdHost == "main")
    #expect(result.configuration.daemon.isEager)
  }

  @Test func dropInsNeedNoMainFile() throws {
    try folder.write("[Daemon]\nEager=yes", to: "bearingd.conf.d/a.conf")
    #expect(Configuration.load(file: nil, directory: folder.path).configuration.daemon.isEager)
  }

  @Test func aNamedFileIsReadAlone() throws {
    try folder.write("[Location]\nGpsdPort=1", to: "bearingd.conf.d/a.conf")
    let file = try folder.write("[Daemon]\nEager=yes", to: "mine.conf")
    let result = Configuration.load(file: file, directory: folder.path)
    #expect(result.diagnostics.isEmpty)
    #expect(result.configuration.daemon.isEager)
    #expect(result.configuration.location.gpsdPort == 2947)
  }

  @Test func aMistakeIsNamedWithTheFileItStandsIn() throws {
    let file = try folder.write("[Location]\n\nGpsdPort=abc", to: "bearingd.conf.d/a.conf")
    let result = Configuration.load(file: nil, directory: folder.path)
    #expect(
      result.diagnostics.map(\.description) == [
        "\(file):3: [Location] GpsdPort=abc: expected a port number from 1 to 65535"
      ])
    #expect(result.configuration == Configuration())
  }

  @Test func aNamedFileThatIsNotThereIsAnError() {
    let file = folder.path + "/none.conf"
    let result = Configuration.load(file: file, directory: folder.path)
    #expect(result.diagnostics.map(\.description) == ["\(file): No such file or directory"])
    #expect(result.diagnostics.map(\.severity) == [.error])
  }

  @Test func whatIsNoFileIsAnErrorAndDoesNotBlock() throws {
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let messages = [pipe, folder.path].map {
      Configuration.load(file: $0, directory: folder.path).diagnostics.map(\.description)
    }
    #expect(messages == [["\(pipe): Not a regular file"], ["\(folder.path): Is a directory"]])
  }

  @Test func aHugeFileIsRefused() throws {
    let file = try folder.write(Data(repeating: 0x0A, count: 1 << 20 | 1), to: "big.conf")
    let result = Configuration.load(file: file, directory: folder.path)
    #expect(result.diagnostics.map(\.description) == ["\(file): File too large"])
  }

  @Test func theFileOfTheProjectHasEveryKeyAtItsDefaultAndNothingElse() throws {
    let file = URL(fileURLWithPath: #filePath)
      .appendingPathComponent("../../../../config/bearingd.conf").standardized
    let expected = Self.reference()
    let text = try String(contentsOf: file, encoding: .utf8)
    if text != expected {
      let copy = ProgramRun.productsFolder.appending(path: "bearingd.conf")
      try expected.write(to: copy, atomically: true, encoding: .utf8)
      Issue.record("config/bearingd.conf differs from the keys there are; compare \(copy.path)")
    }

    // The same file without the comment signs before its keys is the default configuration.
    var configuration = Configuration()
    let live = text.replacing(/(?m)^#(?=(?:[A-Z][A-Za-z]*|[a-z]+\.[A-Za-z]+)=)/, with: "")
    let diagnostics = configuration.apply(Array(live.utf8), of: file.path)
    #expect(diagnostics.isEmpty)
    #expect(configuration == Configuration())
    #expect(live.matches(of: /(?m)^[A-Z][A-Za-z]*=/).count > 20)
  }

  /// `config/bearingd.conf` as the declarations of its keys have it.
  private static func reference() -> String {
    var text = """
      # Configuration of bearingd. Every key stands here at its default, behind a comment sign: take
      # the sign away to change it, or better, put what you change in /etc/bearingd/bearingd.conf.d/.
      # `bearingd --check` says what is wrong. Keys marked "reload" change with
      # `systemctl reload bearingd`, the others when it starts anew. Sizes take K, M and G, times
      # ms, s, min and h. An empty value is the default.

      """
    var section = ""
    for key in ConfigurationKey.all {
      if key.section != section {
        section = key.section
        text += "\n[\(section)]\n"
      }
      let mark = key.change == .onReload ? " (reload)" : ""
      // Where no default is to be seen, nothing else shows how a value is written.
      let takes = key.section == "Preferences" ? " Takes \(key.expected)." : ""
      text +=
        "\n" + wrap(key.summary + takes + mark)
        + "#\(key.name)=\(key.text(Configuration()) ?? "")\n"
    }
    return text
  }

  private static func wrap(_ text: String) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= 96 {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append("# " + word)
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
