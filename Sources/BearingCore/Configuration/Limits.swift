/// What the daemon gives to one user and to all, so that nobody can take it from the others.
///
/// Sizes are bytes, times nanoseconds.
public struct Limits: Sendable, Equatable {
  /// Connections of one user.
  public var connectionsPerUser: Int = 128
  /// Connections of root.
  public var connectionsOfRoot: Int = 1024
  /// Connections in all.
  public var connections: Int = 8192
  /// File descriptors that are kept free of connections.
  public var spareDescriptors: Int = 8
  /// How long a refused connection may take to ask, so that it can be told why.
  public var refusalTime: Int64 = 1 * Nanoseconds.second
  /// Refused connections that may wait for that at once.
  public var refusalsWaiting: Int = 64

  /// Streams of one user.
  public var streamsPerUser: Int = 128
  /// Streams of root.
  public var streamsOfRoot: Int = 1024

  /// Bytes of one request.
  public var requestSize: Int = 64 * Bytes.kibi
  /// Objects and arrays in one another in a request.
  public var requestDepth: Int = 32
  /// How long a request may take from its first byte to its last.
  public var requestTime: Int64 = 10 * Nanoseconds.second

  /// Bytes that may wait for one client.
  public var queuePerClient: Int = 64 * Bytes.kibi
  /// Bytes that may wait for all clients of one user, socket buffers included.
  public var queuePerUser: Int = 8 * Bytes.mebi
  /// The same of root.
  public var queueOfRoot: Int = 64 * Bytes.mebi
  /// How long a client for which something waits may take no byte.
  public var stallTime: Int64 = 30 * Nanoseconds.second

  /// Every limit at its default.
  public init() {}
}
