/// A user's preferences for what a stream's call leaves out.
public struct StreamPreferences: Sendable, Equatable {
  /// Nanoseconds between two fixes; 0 is no limit.
  public var minInterval: Int64 = 0
  /// Metres between two fixes; 0 is no limit.
  public var distanceFilter: Double = 0
  /// Nanoseconds of silence after which the last reply comes again; 0 is never.
  public var heartbeat: Int64 = 0
  /// The sensor to use while it is there; nil leaves the choice to the daemon.
  public var sensor: String?
}
