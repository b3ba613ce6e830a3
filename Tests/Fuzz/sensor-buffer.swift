// What a driver says of a buffer's channels, and what the buffer then gives: lines of a channel's
// name, index and scan type up to an empty one, then bytes.
// Sources: Sources/BearingCore/System/NumberText.swift Sources/BearingCore/System/BootTime.swift Sources/BearingCore/System/Files.swift Sources/BearingCore/System/SystemError.swift Sources/BearingCore/Sources/IIOScanType.swift Sources/BearingCore/Sources/IIOScanLayout.swift Sources/BearingCore/Sources/IIOScanTimes.swift
// Seeds: Tests/BearingCoreTests/Fixtures/fuzz/sensor-buffer

/// Called by libFuzzer with each input; a trap is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var elements: [IIOScanElement] = []
  while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
    let words = bytes[..<end].split(separator: UInt8(ascii: " "))
    bytes.removeSubrange(...end)
    guard words.count == 3 else { break }
    guard let index = try? NumberText.whole(words[1]),
      let type = try? IIOScanType(parsing: words[2])
    else { return 0 }
    let name = String(decoding: words[0], as: UTF8.self)
    elements.append(IIOScanElement(name: name, index: Int(index), type: type))
  }
  guard let layout = try? IIOScanLayout(elements) else { return 0 }
  for field in [layout.x, layout.y, layout.z] + [layout.timestamp].compactMap(\.self) {
    precondition(field.offset % field.type.bytes == 0)
    precondition(field.offset + field.type.bytes <= layout.size)
  }
  let now = BootTime(nanoseconds: 1 << 60)
  var times = IIOScanTimes(start: BootTime(nanoseconds: 1 << 59))
  var last = BootTime(nanoseconds: 1 << 59)
  let scans = bytes.count / layout.size
  for index in 0..<scans {
    let start = index * layout.size
    let (x, y, z) = layout.raw(in: bytes, at: start)
    precondition(layout.x.type.range.contains(x) || layout.x.type.bits == 64)
    precondition(layout.y.type.range.contains(y) || layout.y.type.bits == 64)
    precondition(layout.z.type.range.contains(z) || layout.z.type.bits == 64)
    let stamp = layout.timestamp.map {
      BootTime(nanoseconds: $0.value(in: bytes, at: start) &+ (1 << 40))
    }
    let time = times.next(stamp, later: scans - 1 - index, now: now)
    precondition(last < time && time <= now)
    last = time
  }
  return 0
}
