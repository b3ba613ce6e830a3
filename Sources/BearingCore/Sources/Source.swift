/// Where raw samples come from: gpsd, a sensor, a recording, a simulation.
///
/// A source runs on a thread of its own and is the only thing that may block on a device. It posts
/// what comes, and returns when the port says stop. A fake is an ordinary source.
public protocol Source<Raw, Demand>: Sendable {
  /// What it posts.
  associatedtype Raw: Sendable
  /// What is asked of it while it runs, such as a rate.
  associatedtype Demand: Sendable, Equatable

  /// A phrase for people, such as "gpsd at localhost:2947".
  var summary: String { get }
  /// Whether what it gives is simulated, replayed or from a re-rooted tree.
  var isSimulated: Bool { get }
  /// Runs until `port.isStopping`; faults of the device are posted as states and retried, with
  /// bounded backoff, never thrown.
  func run(_ port: SourcePort<Raw, Demand>)
}
