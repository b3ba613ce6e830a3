/// A channel that is part of each scan.
struct IIOScanElement: Sendable, Equatable {
  /// As in its files, such as in_accel_x.
  let name: String
  /// Its place among the others.
  let index: Int
  /// How its value is laid out.
  let type: IIOScanType
}

/// Where the values stand in a scan, which is what the kernel's buffer holds of each sample.
///
/// The kernel puts the channels one behind the other by their index, each at a multiple of its own
/// size, the timestamp last; a scan's size is a multiple of its largest channel's. The bytes between
/// are not written.
struct IIOScanLayout: Sendable, Equatable {
  static let timestampName = "in_timestamp"

  /// One value's place.
  struct Field: Sendable, Equatable {
    /// Bytes from the scan's start.
    let offset: Int
    let type: IIOScanType

    /// The value in the scan that starts at `start` of `bytes`; of a repeated channel the first.
    func value(in bytes: [UInt8], at start: Int) -> Int64 {
      let first = start + offset
      let count = type.storageBits / 8
      var element: UInt64 = 0
      for index in 0..<count {
        let place = type.isBigEndian ? index : count - 1 - index
        element = element << 8 | UInt64(bytes[first + place])
      }
      return type.value(inElement: element)
    }
  }

  /// Bytes of a scan.
  let size: Int
  let x: Field
  let y: Field
  let z: Field
  /// Nil when the scans carry no time.
  let timestamp: Field?

  /// Of the channels that are switched on, in any order.
  init(_ elements: [IIOScanElement]) throws(TextProblem) {
    var fields: [String: Field] = [:]
    var end = 0
    var largest = 1
    let ordered = elements.sorted { left, right in
      let isLast = (left.name == Self.timestampName, right.name == Self.timestampName)
      return isLast.0 == isLast.1 ? left.index < right.index : isLast.1
    }
    for element in ordered {
      let bytes = element.type.bytes
      end = Self.roundUp(end, to: bytes)
      fields[element.name] = Field(offset: end, type: element.type)
      end += bytes
      largest = max(largest, bytes)
    }
    guard let x = fields["in_accel_x"], let y = fields["in_accel_y"], let z = fields["in_accel_z"]
    else { throw TextProblem("the buffer does not give all three axes") }
    (self.x, self.y, self.z) = (x, y, z)
    timestamp = fields[Self.timestampName]
    size = Self.roundUp(end, to: largest)
  }

  /// The raw values of the scan that starts at `start` of `bytes`, which must hold all of it.
  func raw(in bytes: [UInt8], at start: Int) -> (Int64, Int64, Int64) {
    (x.value(in: bytes, at: start), y.value(in: bytes, at: start), z.value(in: bytes, at: start))
  }

  private static func roundUp(_ value: Int, to step: Int) -> Int {
    (value + step - 1) / step * step
  }
}
