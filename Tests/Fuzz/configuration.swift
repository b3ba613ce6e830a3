// Configuration files.
// Sources: Sources/BearingCore/Configuration Sources/BearingCore/System/BootTime.swift Sources/BearingCore/System/Files.swift Sources/BearingCore/System/SystemError.swift Sources/BearingCore/System/NumberText.swift
// Seeds: config Tests/Fuzz/seeds/configuration

/// Called by libFuzzer with each input; a trap is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
  let result = ConfigurationParser.parse(bytes, file: "f")
  for entry in result.entries {
    precondition((1...lines).contains(entry.line))
    precondition(!entry.section.isEmpty && !entry.key.isEmpty)
  }

  var configuration = Configuration()
  let diagnostics = configuration.apply(bytes, of: "f")
  precondition(diagnostics.allSatisfy { (1...lines).contains($0.line) && !$0.message.isEmpty })

  // What was accepted is a value that is written, and read again as the same.
  for key in ConfigurationKey.all {
    guard let text = key.text(configuration) else { continue }
    var copy = Configuration()
    precondition(key.assign(&copy, "", text), "\(key.name)=\(text)")
    precondition(key.isEqual(copy, configuration), "\(key.name)=\(text)")
  }
  return 0
}
