/// After how much silence a stream hears its last value again.
public struct Heartbeat: BitwiseCopyable, Sendable, Equatable {
  /// A stream that stays silent when there is nothing to tell.
  public static let never = Heartbeat(0, else: StreamPreferences())

  /// A shorter one is lengthened to it, so that nobody keeps the loop busy.
  private static var shortest: Int64 { 100 * Nanoseconds.millisecond }
  /// Beyond a year it never comes, and cannot overflow a moment that it is added to.
  private static var longest: Int64 { 365 * 86_400 * Nanoseconds.second }

  /// Nanoseconds; 0 is never.
  public private(set) var interval: Int64
  /// Whether the call left it out, so that it is the user's preference.
  private let isPreferred: Bool

  /// What a call asks for, in nanoseconds, or with nil what its user prefers.
  public init(_ asked: Int64?, else preferences: StreamPreferences) {
    interval = Self.bounded(asked ?? preferences.heartbeat)
    isPreferred = asked == nil
  }

  /// Takes what the call left out from the user's preferences.
  mutating func prefer(_ preferences: StreamPreferences) {
    if isPreferred { interval = Self.bounded(preferences.heartbeat) }
  }

  private static func bounded(_ interval: Int64) -> Int64 {
    interval == 0 || interval > longest ? 0 : max(interval, shortest)
  }
}
