// Interface descriptions.
// Sources: Sources/Varlink
// Seeds: Tests/VarlinkTests/Fixtures/descriptions Tests/VarlinkTests/Fixtures/fuzz/descriptions

/// Called by libFuzzer with each input; a trap is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  do {
    let description = try InterfaceDescription(parsing: text)
    precondition(description.text == text)
    precondition(!description.methods.isEmpty)
    // Every type is known, so that checking values ends with an answer.
    for method in description.methods {
      let violation = description.validate(parameters: [:], of: method)
      precondition((violation == nil) == method.parameters.allSatisfy { isOptional($0.type) })
    }
  } catch {
    precondition(error.line >= 1 && error.column >= 1)
    precondition(!error.expected.isEmpty && !error.found.isEmpty)
  }
  return 0
}

private func isOptional(_ type: InterfaceDescription.ValueType) -> Bool {
  if case .optional = type { true } else { false }
}
