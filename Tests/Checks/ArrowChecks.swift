import Testing

/// Which part of the program may know of which.
@Suite struct ArrowChecks {
  /// What each target may import: of this package, and of the system's and toolchain's modules.
  private static let imports: [String: Set<String>] = [
    "Varlink": ["CLinux", "Dispatch", "FoundationEssentials", "Glibc", "Synchronization"],
    "BearingModel": ["Glibc"],
    "BearingClient": [
      "BearingModel", "CLinux", "Dispatch", "FoundationEssentials", "Glibc", "Varlink",
    ],
    "BearingCore": [
      "BearingModel", "CGeodesic", "CGps", "CLinux", "CSQLite", "CSystemd", "FoundationEssentials",
      "Glibc", "Locking", "Preferences", "SQLiteStore", "Synchronization", "Varlink",
    ],
    "Locking": ["CLinux", "Synchronization"],
    "SQLiteStore": ["CLinux", "CSQLite", "Glibc"],
    "Preferences": ["CKeyutils", "FoundationEssentials", "Glibc", "Locking", "SQLiteStore"],
    "PreferencesUserDefaults": ["Foundation", "Locking", "Preferences", "SQLiteStore"],
    "bearingd": ["BearingCore", "BearingModel", "Glibc", "Varlink"],
    "gpsctl": [
      "BearingClient", "BearingModel", "CCurses", "Dispatch", "FoundationEssentials", "Glibc",
      "Varlink",
    ],
  ]

  /// The folders of the daemon's library from the bottom up: each may use those before it. What is
  /// in none of them, such as the wiring, may use all.
  private static let folders: [String] = [
    "System", "Preferences", "Configuration", "Access", "Sources", "Acceleration", "Location",
    "Storage", "Regions", "Streams", "Server", "Devices",
  ]

  private static func importsAgainstTheArrows(in files: [SourceFile]) -> [String] {
    files.flatMap { file -> [String] in
      let target = String(file.path.split(separator: "/")[1])
      guard let allowed = imports[target] else { return ["\(file.path): \(target) has no arrows"] }
      return file.codeLines.compactMap { line in
        guard
          let match = line.firstMatch(of: #/^(?:\s*\w+\s+)?(?:@\w+\s+)*import\s+(?:\w+\s+)?(\w+)/#)
        else { return nil }
        let module = String(match.output.1)
        return allowed.contains(module) ? nil : "\(file.path): imports \(module)"
      }
    }
  }

  @Test func targetsImportOnlyWhatTheArrowsAllow() {
    #expect(Self.importsAgainstTheArrows(in: SourceFile.swift(in: "Sources/")) == [])
  }

  @Test func anImportAgainstTheArrowsIsFound() {
    let files = [
      SourceFile(path: "Sources/BearingModel/a.swift", text: "public import Varlink\nimport Glibc"),
      SourceFile(path: "Sources/BearingCore/b.swift", text: "internal import Foundation"),
      SourceFile(path: "Sources/gpsctl/c.swift", text: "@testable import BearingCore"),
      SourceFile(path: "Sources/New/d.swift", text: "import Glibc"),
    ]
    #expect(
      Self.importsAgainstTheArrows(in: files) == [
        "Sources/BearingModel/a.swift: imports Varlink",
        "Sources/BearingCore/b.swift: imports Foundation",
        "Sources/gpsctl/c.swift: imports BearingCore",
        "Sources/New/d.swift: New has no arrows",
      ])
  }

  /// `file: uses Type of Folder` for each type of a later folder that a file of an earlier one names.
  private static func usesAgainstTheArrows(in files: [SourceFile]) -> [String] {
    /// Empty for a file in no folder.
    func folder(_ file: SourceFile) -> String {
      file.path.split(separator: "/").dropFirst(2).dropLast().first.map(String.init) ?? ""
    }
    var owner: [String: String] = [:]
    for file in files {
      for line in file.codeLines {
        let declaration =
          #/^(?:(?:public|internal|final|indirect)\s+)*(?:class|struct|enum|protocol|actor|typealias)\s+(\w+)/#
        if let match = line.firstMatch(of: declaration) {
          owner[String(match.output.1)] = folder(file)
        }
      }
    }
    return files.flatMap { file -> [String] in
      if folder(file).isEmpty { return [] }
      guard let own = folders.firstIndex(of: folder(file)) else {
        return ["\(file.path): \(folder(file)) has no place among the folders"]
      }
      let words = Set(
        file.codeLines.flatMap { line in
          line.matches(of: #/\b[A-Z]\w*/#.wordBoundaryKind(.simple)).map { String($0.output) }
        })
      return words.sorted().compactMap { word in
        guard let other = owner[word], let place = folders.firstIndex(of: other), place > own
        else { return nil }
        return "\(file.path): uses \(word) of \(other)"
      }
    }
  }

  @Test func foldersOfTheDaemonUseOnlyThoseBelowThem() {
    #expect(Self.usesAgainstTheArrows(in: SourceFile.swift(in: "Sources/BearingCore/")) == [])
  }

  @Test func aUseAgainstTheArrowsIsFound() {
    let files = [
      SourceFile(path: "Sources/BearingCore/System/a.swift", text: "struct A { let hub: Hub }"),
      SourceFile(
        path: "Sources/BearingCore/Streams/b.swift", text: "public final class Hub { var a: A }"),
      SourceFile(path: "Sources/BearingCore/New/c.swift", text: ""),
    ]
    #expect(
      Self.usesAgainstTheArrows(in: files) == [
        "Sources/BearingCore/System/a.swift: uses Hub of Streams",
        "Sources/BearingCore/New/c.swift: New has no place among the folders",
      ])
  }
}
