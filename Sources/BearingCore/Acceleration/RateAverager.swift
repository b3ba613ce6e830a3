public import BearingModel

/// A stream's own rate: the mean of the sensor's samples in each of its periods.
///
/// Averaging keeps what dropping would fold into the band. Periods start at multiples of the period
/// on CLOCK_BOOTTIME, so that streams of equal rate can share one averager and one encoding.
public struct RateAverager: Sendable, BitwiseCopyable {
  /// Rates this much (a fraction) below the sensor's are taken for it.
  static let tolerance = 0.01

  /// Hertz that was asked for.
  public let requestedRate: Double
  /// Nanoseconds from one mean to the next; 0 when every sample passes as it is.
  public private(set) var period: Int64 = 0

  private var index = Int64.min
  private var count = 0
  private var sequence = 0
  private var firstTime = 0
  private var timeSum = 0
  private var x = 0.0
  private var y = 0.0
  private var z = 0.0

  /// An averager for a stream that asked for `rate` hertz of a sensor that gives `sensorRate`.
  ///
  /// `sensorRate` is nil while it is not known: then every sample passes.
  public init(rate: Double, sensorRate: Double?) {
    requestedRate = rate
    adapt(sensorRate: sensorRate)
  }

  /// Hertz that the stream gets from a sensor that gives `sensorRate`.
  public func actualRate(sensorRate: Double) -> Double { min(requestedRate, sensorRate) }

  /// The sensor's rate changed; the mean of a period that changes with it is begun anew.
  public mutating func adapt(sensorRate: Double?) {
    let before = period
    if let sensorRate, requestedRate < sensorRate * (1 - Self.tolerance) {
      period = Int64((Double(Nanoseconds.second) / requestedRate).rounded())
    } else {
      period = 0
    }
    if period != before { count = 0 }
  }

  /// Takes a sample; returns the mean of the period before it when it is the first of another one.
  ///
  /// The mean's time is the mean of the times, its sequence that of the last sample in it.
  public mutating func add(_ sample: AccelerationSample) -> AccelerationSample? {
    guard period > 0 else { return sample }
    let index = Int64(sample.bootTimestamp) * Nanoseconds.microsecond / period
    let done = index == self.index ? nil : mean
    if index != self.index || count == 0 { begin(index, at: sample.bootTimestamp) }
    count += 1
    sequence = sample.sequence
    timeSum += sample.bootTimestamp - firstTime
    x += sample.x
    y += sample.y
    z += sample.z
    return done
  }

  /// The mean of the period so far, which is begun anew; nil when nothing came in it.
  public mutating func cut() -> AccelerationSample? {
    defer { count = 0 }
    return mean
  }

  private mutating func begin(_ index: Int64, at time: Int) {
    self.index = index
    firstTime = time
    (count, timeSum, x, y, z) = (0, 0, 0, 0, 0)
  }

  private var mean: AccelerationSample? {
    guard count > 0 else { return nil }
    let divisor = Double(count)
    return AccelerationSample(
      sequence: sequence, bootTimestamp: firstTime + timeSum / count,
      x: x / divisor, y: y / divisor, z: z / divisor)
  }
}
