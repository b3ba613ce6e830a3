/// Cuts what a connection brings into lines.
struct GpsdLineBuffer {
  private var pending: [UInt8] = []
  private var start = 0
  private var isSkipping = false

  /// Adds bytes as they came.
  mutating func append(_ bytes: ArraySlice<UInt8>) {
    pending.removeFirst(start)
    start = 0
    pending += bytes
  }

  /// The next whole line without its end; nil when there is none yet.
  ///
  /// A line longer than gpsd's longest is skipped to its end, without being kept in memory.
  mutating func next() -> ArraySlice<UInt8>? {
    while let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = pending[start..<end]
      start = end + 1
      let isWanted = !isSkipping && line.count <= GpsdLine.longest
      isSkipping = false
      if isWanted { return line }
    }
    if pending.count - start > GpsdLine.longest {
      isSkipping = true
      start = pending.count
    }
    return nil
  }
}
