/// What whoever feels the device move tells whoever wants to know: the one thing that the managers
/// have in common, without knowing each other.
public final class Stationary {
  /// Whether the device is still; nil while nothing runs that could tell.
  public private(set) var isStill: Bool?
  /// Standard deviation of the acceleration in m/s²; nil while nothing runs that could tell.
  public private(set) var deviation: Double?
  /// Called when somebody begins, or ceases, to want to know also when nothing runs anyway.
  public var onDemand: ((Bool) -> Void)? {
    didSet { if isWanted { onDemand?(true) } }
  }
  /// Whether somebody wants to know also when nothing runs anyway.
  public var isWanted: Bool = false {
    didSet { if isWanted != oldValue { onDemand?(isWanted) } }
  }

  /// Nothing is known.
  public init() {}

  /// Notes what is felt now; nil when nothing runs any more.
  public func note(isStill: Bool?, deviation: Double?) {
    self.isStill = isStill
    self.deviation = deviation
  }
}
