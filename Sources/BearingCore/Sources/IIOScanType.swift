/// How a channel's raw value is laid out in the kernel's buffer: `[be|le]:[s|u]bits/storage[Xrepeat]>>shift`.
///
/// It also tells the range of the value in sysfs.
struct IIOScanType: Sendable, Equatable {
  /// Whether the most significant byte comes first.
  let isBigEndian: Bool
  /// Whether the value has a sign.
  let isSigned: Bool
  /// Bits of the value, 1 to 64.
  let bits: Int
  /// Bits of one element: 8, 16, 32 or 64.
  let storageBits: Int
  /// Elements of the channel, nearly always 1.
  let repeats: Int
  /// Bits to shift an element to the right.
  let shift: Int

  /// Reads text such as `le:s12/16>>4`; the blanks and the newline behind it do not count.
  init(parsing text: some BidirectionalCollection<UInt8>) throws(TextProblem) {
    let problem = TextProblem("\(quoted(text)) is not a scan type such as le:s12/16>>4")
    var rest = NumberText.trimmed(text)
    func skip(_ text: StaticString) -> Bool {
      let bytes = text.description.utf8
      guard rest.starts(with: bytes) else { return false }
      rest = rest.dropFirst(bytes.count)
      return true
    }
    func number() -> Int? {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      rest = rest.dropFirst(digits.count)
      return digits.count > 4 ? nil : Int(String(decoding: digits, as: UTF8.self))
    }
    let isBigEndian = skip("be:")
    guard isBigEndian || skip("le:") else { throw problem }
    let isSigned = skip("s")
    guard isSigned || skip("u"), let bits = number(), skip("/"), let storage = number() else {
      throw problem
    }
    let repeats = skip("X") ? number() : 1
    guard let repeats, skip(">>"), let shift = number(), rest.isEmpty else { throw problem }
    guard [8, 16, 32, 64].contains(storage), (1...storage).contains(bits),
      (0...storage - bits).contains(shift), (1...256).contains(repeats)
    else { throw TextProblem("\(quoted(text)) does not fit together as a scan type") }
    self.isBigEndian = isBigEndian
    self.isSigned = isSigned
    self.bits = bits
    storageBits = storage
    self.repeats = repeats
    self.shift = shift
  }

  /// The range of the value.
  var range: ClosedRange<Int64> {
    if isSigned {
      let most = Int64.max >> (64 - bits)
      return (-most - 1)...most
    }
    return 0...(bits >= 63 ? Int64.max : (1 << bits) - 1)
  }

  /// Bytes that it takes in a scan, and whose multiple it starts at.
  var bytes: Int { storageBits / 8 * repeats }

  /// The value in an element as it stands in the buffer, its bytes in the processor's order.
  ///
  /// What is outside of the value's bits may be anything: other values, the last reading's rest.
  func value(inElement element: UInt64) -> Int64 {
    let unused = UInt64(64 - bits)
    let aligned = (element >> UInt64(shift)) << unused
    return isSigned
      ? Int64(bitPattern: aligned) >> Int64(unused)
      : Int64(bitPattern: aligned >> unused)
  }

  /// The value that `raw` stands for.
  ///
  /// Older kernels show the bits of a negative value as a positive one (hid-sensor-accel-3d):
  /// outside the range the sign is taken from the value's highest bit.
  func value(of raw: Int64) -> Int64 {
    guard isSigned, !range.contains(raw) else { return raw }
    let unused = Int64(64 - bits)
    return (raw << unused) >> unused
  }
}
