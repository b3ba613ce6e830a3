/// One kind of device that the daemon owns, and the one object that serves it.
public struct DeviceStatus: Sendable, Equatable, Codable {
  /// location, acceleration, …
  public var kind: String
  /// The wire's word for its state.
  public var state: String
  /// A sentence for people: what it runs on and what is wrong.
  public var detail: String
  /// Streams that are open on it.
  public var subscribers: Int
  /// Names the one object that serves this kind.
  public var instance: String
  /// Whether it gives simulated, replayed or re-rooted samples.
  public var simulated: Bool

  /// A status as given.
  public init(
    kind: String, state: String, detail: String, subscribers: Int, instance: String,
    simulated: Bool
  ) {
    self.kind = kind
    self.state = state
    self.detail = detail
    self.subscribers = subscribers
    self.instance = instance
    self.simulated = simulated
  }
}

/// One connection to the daemon and what it has had.
public struct ClientStatus: Sendable, Equatable, Codable {
  /// Unique while the daemon runs.
  public var identifier: Int
  /// The user that connected.
  public var uid: Int
  /// The process that connected.
  public var pid: Int
  /// The process's name; nil when it is gone.
  public var command: String?
  /// Microseconds on CLOCK_BOOTTIME when it connected.
  public var since: Int
  /// The method of its running stream; nil when there is none.
  public var stream: String?
  /// precise, approximate or denied.
  public var precision: String
  /// Stream replies it was sent.
  public var delivered: Int
  /// Stream replies it lost because it was slow.
  public var dropped: Int
  /// Bytes that wait for it in the daemon.
  public var queuedBytes: Int

  /// A client that has had nothing yet.
  public init(identifier: Int, uid: Int, pid: Int, since: Int, precision: String) {
    self.identifier = identifier
    self.uid = uid
    self.pid = pid
    self.since = since
    self.precision = precision
    delivered = 0
    dropped = 0
    queuedBytes = 0
  }
}

/// What a stream's filters said of one sample. It holds no position.
public struct FilterDecision: Sendable, Equatable, Codable {
  /// The sample's sequence on the stream.
  public var sequence: Int
  /// The wire's word for the filter that held it back; none when it passed.
  public var filter: String
  /// Whether it was delivered.
  public var passed: Bool
  /// What was compared: milliseconds for minInterval, metres for the others; nil when it was not known.
  public var value: Double?
  /// What it was compared with, in the same unit; nil when it passed.
  public var limit: Double?
}

extension DeviceStatus: WireWritable {
  /// Writes the wire's `Device`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("kind", kind)
      writer.member("state", state)
      writer.member("detail", detail)
      writer.member("subscribers", subscribers)
      writer.member("instance", instance)
      writer.member("simulated", simulated)
    }
  }
}

extension ClientStatus: WireWritable {
  /// Writes the wire's `Client`.
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("identifier", identifier)
      writer.member("uid", uid)
      writer.member("pid", pid)
      writer.member("command", command)
      writer.member("since", since)
      writer.member("stream", stream)
      writer.member("precision", precision)
      writer.member("delivered", delivered)
      writer.member("dropped", dropped)
      writer.member("queuedBytes", queuedBytes)
    }
  }
}
