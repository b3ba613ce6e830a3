extension Configuration {
  /// The name of the file, and of the folder of drop-ins with `.d` behind it.
  static var fileName: String { "bearingd.conf" }
  /// Bytes of one file; more is not a configuration.
  static var largestFile: Int { Bytes.mebi }

  /// Reads `file` alone, or else `bearingd.conf` and then `bearingd.conf.d/*.conf` in `directory`.
  ///
  /// Drop-ins are read in the order of their names' bytes; a later assignment wins, an empty one is
  /// the default. A file that is not there is no error, unless it was named. A value that is wrong
  /// is left out of the result.
  public static func load(
    file: String?, directory: String
  ) -> (configuration: Configuration, diagnostics: [ConfigurationDiagnostic]) {
    var configuration = Configuration()
    var diagnostics: [ConfigurationDiagnostic] = []
    if let file {
      diagnostics += configuration.read(file, isOptional: false)
    } else {
      let main = "\(directory)/\(fileName)"
      diagnostics += configuration.read(main, isOptional: true)
      do throws(SystemError) {
        let names = try Files.names(in: "\(main).d").filter {
          $0.hasSuffix(".conf") && !$0.hasPrefix(".")
        }
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
          diagnostics += configuration.read("\(main).d/\(name)", isOptional: false)
        }
      } catch  where error.isNotFound {
      } catch {
        diagnostics.append(.unreadable("\(main).d", error))
      }
    }
    return (configuration, diagnostics)
  }

  /// This configuration with everything of `newer` that can change while the daemon runs, and a word
  /// on each key that differs and cannot.
  public func adopting(_ newer: Configuration) -> (configuration: Configuration, kept: [String]) {
    var result = self
    var kept: [String] = []
    for key in ConfigurationKey.all where !key.isEqual(self, newer) {
      switch key.change {
      case .onReload: key.copy(newer, &result)
      case .onRestart: kept.append("[\(key.section)] \(key.name)= changes at the next start")
      }
    }
    return (result, kept)
  }

  private mutating func read(_ file: String, isOptional: Bool) -> [ConfigurationDiagnostic] {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.read(file, atMost: Self.largestFile)
    } catch {
      return isOptional && error.isNotFound ? [] : [.unreadable(file, error)]
    }
    return apply(bytes, of: file)
  }

  /// Takes over the assignments in a file's `bytes`, and says what is wrong in them.
  mutating func apply(_ bytes: [UInt8], of file: String) -> [ConfigurationDiagnostic] {
    var (entries, diagnostics) = ConfigurationParser.parse(bytes, file: file)
    var unknownSections: Set<String> = []
    for entry in entries {
      let known = ConfigurationKey.all.filter { $0.section == entry.section }
      let place = "[\(entry.section.clipped)]"
      if known.isEmpty {
        if unknownSections.insert(entry.section).inserted {
          let names = Set(ConfigurationKey.all.map(\.section))
          diagnostics.append(
            .unknown("\(place): an unknown section", entry.section, of: names, file, entry.line))
        }
        continue
      }
      let matches = known.lazy.compactMap { key in key.match(entry.key).map { (key, $0) } }
      guard let (key, name) = matches.first else {
        let names = Set(known.map(\.name))
        diagnostics.append(
          .unknown(
            "\(place) \(entry.key.clipped)=: an unknown key", entry.key, of: names, file, entry.line
          ))
        continue
      }
      if !key.assign(&self, name, entry.value) {
        let message =
          "\(place) \(entry.key.clipped)=\(entry.value.clipped): expected \(key.expected)"
        diagnostics.append(
          ConfigurationDiagnostic(severity: .error, file: file, line: entry.line, message: message))
      }
    }
    return diagnostics.sorted { $0.line < $1.line }
  }
}

extension ConfigurationDiagnostic {
  fileprivate static func unreadable(_ file: String, _ error: SystemError) -> Self {
    ConfigurationDiagnostic(
      severity: .error, file: file, line: 0, message: SystemError.message(error.code))
  }

  fileprivate static func unknown(
    _ what: String, _ name: String, of names: Set<String>, _ file: String, _ line: Int
  ) -> Self {
    let nearest = nearestName(to: name, in: names)
    let hint =
      nearest.map { "did you mean \($0)?" } ?? "known are \(names.sorted().joined(separator: ", "))"
    return ConfigurationDiagnostic(
      severity: .warning, file: file, line: line, message: "\(what), which is ignored; \(hint)")
  }
}
