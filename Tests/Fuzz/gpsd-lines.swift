// What gpsd, or whatever answers at its port, writes.
// Sources: Sources/BearingCore/Sources/GpsdLine.swift Sources/BearingCore/Sources/GpsdLineBuffer.swift
// Seeds: Tests/Fuzz/seeds/gpsd-lines

/// Called by libFuzzer with each input; a trap is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let whole = lines([bytes[...]])
  precondition(whole == lines(bytes.indices.map { bytes[$0...$0] }), "cut in single bytes")
  precondition(
    whole == lines([bytes[..<(count / 2)], bytes[(count / 2)...]]), "cut in the middle")
  for line in whole {
    precondition(line.count <= GpsdLine.longest && !line.contains(UInt8(ascii: "\n")))
    if let known = GpsdLine(line[...]) { check(known) }
  }
  return 0
}

/// The lines of a connection that brings these pieces.
private func lines(_ pieces: [ArraySlice<UInt8>]) -> [[UInt8]] {
  var buffer = GpsdLineBuffer()
  var lines: [[UInt8]] = []
  for piece in pieces {
    buffer.append(piece)
    while let line = buffer.next() { lines.append(Array(line)) }
  }
  return lines
}

/// What libgps is given says the same again, and nothing that is cut off it passes for a line.
private func check(_ line: GpsdLine) {
  precondition(!line.kind.isEmpty)
  guard let again = GpsdLine(line.text[...]) else { preconditionFailure("not read again") }
  precondition(again.text == line.text)
  precondition(again.kind == line.kind && again.paths == line.paths)
  precondition(again.isDeactivation == line.isDeactivation)
  precondition(again.hasSatellites == line.hasSatellites)
  precondition(again.attitude == line.attitude)
  for end in line.text.indices.suffix(64) {
    precondition(GpsdLine(line.text[..<end]) == nil, "cut at \(end)")
  }
}
