// What drivers and the device database write of a sensor: numbers, scan types, rates, matrices.
// Sources: Sources/BearingCore/System/NumberText.swift Sources/BearingCore/Configuration/MountMatrix.swift Sources/BearingCore/Sources/IIOScanType.swift Sources/BearingCore/Sources/IIORates.swift
// Seeds: Tests/BearingCoreTests/Fixtures/fuzz/sensor-text

/// Called by libFuzzer with each input; a trap is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let value = try? NumberText.decimal(bytes) { precondition(value.isFinite) }
  if let value = try? NumberText.whole(bytes) {
    precondition(String(decoding: NumberText.trimmed(bytes), as: UTF8.self).count > 0)
    precondition((try? NumberText.whole(Array("\(value)".utf8))) == value)
  }
  if let type = try? IIOScanType(parsing: bytes) {
    precondition(type.bits + type.shift <= type.storageBits)
    for raw in [Int64.min, -1, 0, 1, 65529, Int64.max] where type.isSigned {
      precondition(type.range.contains(type.value(of: raw)))
    }
  }
  if let rates = try? IIORates(parsing: bytes) {
    precondition(rates.shown.allSatisfy { $0 > 0 && $0 <= IIORates.fastest })
    for wanted in [0.001, 10, 1000] {
      precondition((rates.nearest(atLeast: wanted)?.value ?? 0) > 0)
    }
  }
  if let matrix = try? MountMatrix(parsing: bytes) {
    precondition(matrix.numbers.allSatisfy(\.isFinite))
  }
  return 0
}
