internal import BearingModel

/// Tells from one sensor's samples what the device is doing. Pure: it reads no clock.
struct MotionDetector: Sendable {
  /// Standard gravity, m/s².
  private static let gravity = 9.80665
  /// The window whose variance tells still from moving.
  private static let stillWindow = 2 * Nanoseconds.second
  /// The variance, in (m/s²)² summed over three axes, that the quietest sensor is taken to have.
  private static let leastNoise = 3 * 0.05 * 0.05
  /// The variance, in (m/s²)² summed over three axes, that the noisiest sensor is taken to have: what
  /// is more is movement, even when the sensor has known no rest yet.
  private static let mostNoise = 3 * 0.3 * 0.3
  /// Times the sensor's own noise that is still.
  private static let stillFactor = 4.0
  /// The time constant of the low-pass that takes gravity away for a shake.
  private static let gravityTime = Double(Nanoseconds.second)
  private static let shakeLevel = 1.5 * gravity
  private static let shakeReversals = 3
  private static let shakeWindow = Nanoseconds.second
  private static let fallLevel = 0.3 * gravity
  private static let fallTime = 160 * Nanoseconds.millisecond
  private static let tapLevel = 1.4 * gravity
  private static let tapTime = 60 * Nanoseconds.millisecond
  private static let tapQuiet = 200 * Nanoseconds.millisecond
  /// Hertz below which a single odd sample would be a tap; less the tolerance of rates.
  private static let tapRate = 100 * (1 - RateAverager.tolerance)

  /// What the device does over time: unknown until the window is full, then still or moving.
  private(set) var base = Motion.unknown
  /// Variance over the window, (m/s²)² summed over the axes; nil until it is full.
  private(set) var variance: Double?

  private var window = SampleWindow(length: MotionDetector.stillWindow)
  private var quiet = SampleWindow(length: MotionDetector.tapQuiet)
  private var noise = NoiseFloor()
  private var lowPass: SIMD3<Double>?
  private var reversals: [[BootTime]] = [[], [], []]
  private var lastSign = [0, 0, 0]
  private var fallSince: BootTime?
  private var isFallTold = false
  private var peakSince: BootTime?
  private var wasQuiet = false
  private var last: BootTime?

  /// Takes in a sample of a sensor that gives `rate` hertz; gives what is to be told, in order, such
  /// as a tap and then still.
  mutating func add(
    x: Double, y: Double, z: Double, at time: BootTime, rate: Double
  ) -> [Motion] {
    let axes = SIMD3(x, y, z)
    let magnitude = (x * x + y * y + z * z).squareRoot()
    var told: [Motion] = []
    if detectShake(axes, at: time) { told.append(.shake) }
    if detectFall(magnitude, at: time) { told.append(.freeFall) }
    if detectTap(magnitude, at: time), rate >= Self.tapRate { told.append(.tap) }
    window.add(axes, at: time)
    if magnitude <= Self.tapLevel { quiet.add(axes, at: time) }
    last = time
    let before = base
    if let variance = window.variance {
      self.variance = variance
      noise.note(variance, at: time)
      base = variance < stillLimit ? .still : .moving
    }
    if base != before || !told.isEmpty, base != .unknown { told.append(base) }
    return told
  }

  /// The variance from which on the device moves.
  private var stillLimit: Double {
    Self.stillFactor * min(max(noise.smallest, Self.leastNoise), Self.mostNoise)
  }

  /// At least three sign reversals of one axis beyond ±1.5 g within a second, without gravity.
  private mutating func detectShake(_ axes: SIMD3<Double>, at time: BootTime) -> Bool {
    guard var slow = lowPass, let last else {
      lowPass = axes
      return false
    }
    slow += min(1, Double(time - last) / Self.gravityTime) * (axes - slow)
    lowPass = slow
    var isShake = false
    for axis in 0..<3 {
      let rest = axes[axis] - slow[axis]
      let sign = rest > Self.shakeLevel ? 1 : rest < -Self.shakeLevel ? -1 : 0
      guard sign != 0, sign != lastSign[axis] else { continue }
      if lastSign[axis] != 0 { reversals[axis].append(time) }
      lastSign[axis] = sign
      reversals[axis].removeAll { time - $0 > Self.shakeWindow }
      if reversals[axis].count >= Self.shakeReversals {
        isShake = true
        reversals[axis].removeAll()
      }
    }
    return isShake
  }

  /// Less than 0.3 g for 160 ms; told once a fall.
  private mutating func detectFall(_ magnitude: Double, at time: BootTime) -> Bool {
    guard magnitude < Self.fallLevel else {
      fallSince = nil
      isFallTold = false
      return false
    }
    let since = fallSince ?? time
    fallSince = since
    guard !isFallTold, time - since >= Self.fallTime else { return false }
    isFallTold = true
    return true
  }

  /// A peak above 1.4 g that is over within 60 ms and began after 200 ms of still.
  private mutating func detectTap(_ magnitude: Double, at time: BootTime) -> Bool {
    if magnitude > Self.tapLevel {
      if peakSince == nil {
        peakSince = time
        wasQuiet = quiet.variance.map { $0 < stillLimit } ?? false
      }
      return false
    }
    guard let since = peakSince else { return false }
    peakSince = nil
    quiet.removeAll()
    return wasQuiet && time - since < Self.tapTime
  }
}

/// The samples of the last while, with their variance kept up as they come and go.
struct SampleWindow: Sendable {
  /// Samples that leave before the sums are made anew, so that rounding cannot add up.
  private static let renewal = 4096

  private let length: Int64
  private var samples: [(time: BootTime, axes: SIMD3<Double>)] = []
  private var head = 0
  /// Whether a sample has left it, and others have come without a gap since.
  private var isFull = false
  private var sum = SIMD3<Double>.zero
  private var squares = SIMD3<Double>.zero

  /// An empty window of that many nanoseconds.
  init(length: Int64) {
    self.length = length
  }

  /// Adds a sample, and forgets those that are older than the window.
  mutating func add(_ axes: SIMD3<Double>, at time: BootTime) {
    samples.append((time, axes))
    sum += axes
    squares += axes * axes
    while time - samples[head].time > length {
      sum -= samples[head].axes
      squares -= samples[head].axes * samples[head].axes
      head += 1
      isFull = true
    }
    if head == samples.count - 1 { isFull = false }
    if head > Self.renewal { renew() }
  }

  private mutating func renew() {
    samples.removeFirst(head)
    head = 0
    sum = .zero
    squares = .zero
    for sample in samples {
      sum += sample.axes
      squares += sample.axes * sample.axes
    }
  }

  /// Starts anew.
  mutating func removeAll() {
    self = SampleWindow(length: length)
  }

  /// The variance summed over the axes; nil until the window has been full.
  var variance: Double? {
    let count = Double(samples.count - head)
    guard isFull, count > 1 else { return nil }
    let mean = sum / count
    return max(0, (squares / count - mean * mean).sum())
  }
}

/// The smallest variance that a sensor has shown in 24 hours: its own noise.
struct NoiseFloor: Sendable {
  private static let hour = 3600 * Nanoseconds.second
  private static let hours = 24

  private var byHour: [(hour: Int64, smallest: Double)] = []

  /// Takes in a variance of now.
  mutating func note(_ variance: Double, at time: BootTime) {
    let hour = time.nanoseconds / Self.hour
    if let last = byHour.indices.last, byHour[last].hour == hour {
      byHour[last].smallest = min(byHour[last].smallest, variance)
    } else {
      byHour.append((hour, variance))
      byHour.removeAll { hour - $0.hour >= Int64(Self.hours) }
    }
  }

  /// (m/s²)²; 0 before the first. A variance of 0 does not count: a frozen sensor has no noise to
  /// learn from.
  var smallest: Double {
    byHour.map(\.smallest).filter { $0 > 0 }.min() ?? 0
  }
}
