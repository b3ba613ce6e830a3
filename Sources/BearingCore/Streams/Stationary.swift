/// What whoever feels the device move tells whoever wants to know: the one thing that the managers
/// have in common, without knowing each other.
public final class Stationary {
  /// Whether the device is still; nil while nothing runs that could tell, or it may not.
  public var isStill: Bool? { use == .no ? nil : felt.isStill }
  /// Standard deviation of the acceleration in m/s²; nil while nothing runs that could tell, or it may
  /// not.
  public var deviation: Double? { use == .no ? nil : felt.deviation }
  /// Called when something is to run, or need not any more, because somebody wants to know.
  public var onDemand: ((Bool) -> Void)? {
    didSet { if isDemanded { onDemand?(true) } }
  }
  /// Whether it may be told, and whether something runs for it.
  public var use: UseAccelerometer = .opportunistic { didSet { demand() } }
  /// Whether somebody wants to know.
  public var isWanted: Bool = false { didSet { demand() } }

  private var felt: (isStill: Bool?, deviation: Double?) = (nil, nil)
  private var isDemanded = false

  /// Nothing is known.
  public init() {}

  /// Notes what is felt now; nil when nothing runs any more.
  public func note(isStill: Bool?, deviation: Double?) {
    felt = (isStill, deviation)
  }

  private func demand() {
    guard isDemanded != (isWanted && use == .always) else { return }
    isDemanded.toggle()
    onDemand?(isDemanded)
  }
}
