import Testing

@testable import BearingCore

@Suite struct IIOScanTimesTests {
  /// Milliseconds of the times of `stamps`, read in batches of so many at the given milliseconds;
  /// the buffer was switched on at 1000.
  static func times(
    _ stamps: [Double?], batch: Int, readAt: [Double], rate: Double = 100
  ) -> [Double] {
    var times = IIOScanTimes(start: moment(1000))
    times.rate = rate
    return stamps.indices.map { index in
      let now = moment(readAt[index / batch])
      let time = times.next(
        stamps[index].map(moment), later: batch - 1 - index % batch, now: now)
      return Double(time.nanoseconds) / 1e6
    }
  }

  static func moment(_ milliseconds: Double) -> BootTime {
    BootTime(nanoseconds: Int64((milliseconds * 1e6).rounded()))
  }

  @Test("The kernel's times are taken as they are, also after a long delay")
  func stamped() {
    let stamps: [Double?] = [1008, 1020, 1029.5, 1040]
    #expect(Self.times(stamps, batch: 4, readAt: [9000]) == [1008, 1020, 1029.5, 1040])
  }

  @Test("Without times, samples are a period apart and end when they were read")
  func unstamped() {
    let stamps = [Double?](repeating: nil, count: 6)
    #expect(
      Self.times(stamps, batch: 3, readAt: [1100, 1130]) == [1080, 1090, 1100, 1110, 1120, 1130])
  }

  @Test(
    "A time that cannot be true is replaced, and times rise by a microsecond at least",
    arguments: [
      // Always the same: before the buffer was on, and within.
      ([500, 500, 500, 500], 2, [1020, 1040], [1010, 1020, 1030, 1040]),
      ([1005, 1005, 1005, 1005], 2, [1020, 1040], [1005, 1015, 1030, 1040]),
      // One that went back, one of the future.
      ([1010, 1020, 900, 1040], 1, [1010, 1020, 1031, 1040], [1010, 1020, 1030, 1040]),
      ([1010, 1020, 5000, 1040], 1, [1010, 1020, 1031, 1041], [1010, 1020, 1030, 1040]),
      // The guess is never after it was read.
      ([1010, 900], 1, [1010, 1011], [1010, 1011]),
      // More than fit between: a microsecond each.
      ([nil, nil, nil], 3, [1000.002], [1000.001, 1000.002, 1000.003]),
      // A clock of an hour ahead from the third on.
      (
        [1010, 1020, 3_601_030, 3_601_040], 2, [1021, 1042], [1010, 1020, 1030, 1042]
      ),
    ] as [([Double?], Int, [Double], [Double])])
  func replaced(stamps: [Double?], batch: Int, readAt: [Double], expected: [Double]) {
    #expect(Self.times(stamps, batch: batch, readAt: readAt) == expected)
  }

  @Test(
    "A clock's offset brings its reading to CLOCK_BOOTTIME",
    arguments: [
      "realtime", "monotonic", "monotonic_raw", "realtime_coarse", "monotonic_coarse", "boottime",
      "tai",
    ])
  func clocks(name: String) throws {
    let clock = try #require(KernelClock(rawValue: name))
    let before = BootTime.now().nanoseconds
    let offset = clock.offset()
    let after = BootTime.now().nanoseconds
    #expect(clock == .boottime ? offset == 0 : true)
    // An independent reading of the same clock.
    let reading = Self.read(name)
    let end = BootTime.now().nanoseconds
    #expect(reading + offset >= before && reading + offset <= end, "\(after)")
  }

  static func read(_ name: String) -> Int64 {
    switch name {
    case "realtime", "realtime_coarse": BootTime.read(0)
    case "tai": BootTime.read(11)
    case "boottime": BootTime.read(7)
    case "monotonic_raw": BootTime.read(4)
    default: BootTime.read(1)
    }
  }
}
