import Testing

/// What the project's files may not say.
@Suite struct RepositoryChecks {
  /// Places that are one machine's, and hosts that only a machine's own settings should name.
  private static let strangers: [String] = [
    ["/wo", "rk/"], ["deb.debian", ".org"], ["pypi", ".org"], ["pythonhosted", ".org"],
    ["proxy.golang", ".org"], ["registry.npmjs", ".org"], ["crates", ".io"],
  ].map { $0.joined() }

  private static func strangers(in files: [SourceFile]) -> [String] {
    files.flatMap { file in
      strangers.filter { file.text.contains($0) }.map { "\(file.path): \($0)" }
    }
  }

  @Test func noFileNamesAMachinesOwnPlaces() {
    #expect(Self.strangers(in: SourceFile.all) == [])
  }

  @Test func aMachinesOwnPlaceIsFound() {
    let place = Self.strangers[0]
    let file = SourceFile(path: "a", text: "see \(place)b")
    #expect(Self.strangers(in: [file]) == ["a: \(place)"])
  }
}
