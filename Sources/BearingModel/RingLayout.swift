/// Where things stand in the ring of samples, for who writes it and who reads it: see docs/ring.md.
///
/// Numbers are bytes from the start of the memory; all is in the machine's own byte order.
public enum RingLayout {
  /// What the first eight bytes say: `BRBRING1` on a little-endian machine.
  public static let magicNumber: UInt64 = 0x3147_4E49_5242_5242
  /// Of this layout: a reader takes no other.
  public static let versionNumber: UInt32 = 1
  /// The states of the sensor, by the number that stands for each.
  public static let states: [AccelerometerState] = [
    .off, .noSensor, .starting, .live, .stale, .failed,
  ]

  /// UInt64: `magicNumber`.
  public static let magic = 0
  /// UInt32: `versionNumber`.
  public static let version = 8
  /// UInt32: bytes before the first slot.
  public static let headerSize = 12
  /// UInt32: bytes from one slot to the next.
  public static let slotSize = 16
  /// UInt32: how many slots there are.
  public static let capacity = 20
  /// UInt64: rises by one with each ring of the sensor.
  public static let generation = 24
  /// Float64: hertz at which the sensor runs now; 0 while it is not known.
  public static let rate = 32
  /// UInt32: the sensor's state now, a place in `states`.
  public static let state = 40
  /// UInt64: samples written since the ring was made. Stored last, with release.
  public static let head = 64
  /// UInt32: the futex word; another number with each wake-up.
  public static let wakeUps = 72
  /// UInt32: 0 while samples can come, then for ever a `RingEnd`.
  public static let ended = 76

  /// Bytes before the first slot of rings that this version makes: a page.
  public static let standardHeaderSize = 4096
  /// Bytes of a slot of rings that this version makes: a cache line.
  public static let standardSlotSize = 64
}

/// Why a ring has ended: nothing is written to it any more. Whoever wants more calls OpenRing again.
public enum RingEnd: UInt32, Sendable {
  /// Another ring has taken its place, because somebody may not read on.
  case replaced = 1
  /// The sensor is gone.
  case sensorGone = 2
  /// The daemon has stopped.
  case stopped = 3
}

/// One sample as it stands in a ring: six words of 64 bits.
public struct RingSlot: Sendable, Equatable {
  /// The sample.
  public var sample: AccelerationSample
  /// The sensor's state with this sample: only in `live` is it what the sensor feels.
  public var state: AccelerometerState

  /// A sample with its state.
  public init(sample: AccelerationSample, state: AccelerometerState) {
    self.sample = sample
    self.state = state
  }

  /// The sample that six words hold.
  public init(words: InlineArray<6, UInt64>) {
    sample = AccelerationSample(
      sequence: Int(truncatingIfNeeded: words[0]), bootTimestamp: Int(truncatingIfNeeded: words[1]),
      x: Double(bitPattern: words[2]), y: Double(bitPattern: words[3]),
      z: Double(bitPattern: words[4]))
    state = AccelerometerState(ringNumber: words[5])
  }

  /// The words: sequence, time, x, y, z, state.
  public var words: InlineArray<6, UInt64> {
    [
      UInt64(truncatingIfNeeded: sample.sequence), UInt64(truncatingIfNeeded: sample.bootTimestamp),
      sample.x.bitPattern, sample.y.bitPattern, sample.z.bitPattern, UInt64(state.ringNumber),
    ]
  }
}

extension AccelerometerState {
  /// The state for which a number stands in a ring; `unknown` for one of a newer daemon.
  public init(ringNumber: UInt64) {
    self =
      ringNumber < RingLayout.states.count ? RingLayout.states[Int(ringNumber)] : .unknown
  }

  /// The number that stands for it in a ring.
  public var ringNumber: UInt32 {
    UInt32(RingLayout.states.firstIndex(of: self) ?? RingLayout.states.count)
  }
}
