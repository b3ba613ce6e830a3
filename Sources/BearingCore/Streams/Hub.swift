/// What every subscription has: whose it is, and when it was last heard.
///
/// A record is flat, without references, so that it could be stored as it stands and taken up again.
public protocol Subscription: BitwiseCopyable, Sendable {
  /// The stream that it feeds.
  var stream: StreamID { get }
  /// After how much silence the last value is sent again.
  var heartbeat: Heartbeat { get set }
  /// When the stream last had a reply.
  var lastSent: BootTime { get set }
}

/// Who wants what of one kind of sample: a pure state machine that names the streams to send to.
///
/// It never sends: its owner encodes each sample once and hands it to the streams named here.
public struct Hub<Record: Subscription> {
  /// All subscriptions, in the order in which they came.
  public private(set) var records: [Record] = []

  /// A hub without subscriptions.
  public init() {}

  /// Adds a subscription.
  public mutating func open(_ record: Record) {
    records.append(record)
  }

  /// Takes away the subscription of `stream`; nil when it has none here.
  public mutating func close(_ stream: StreamID) -> Record? {
    guard let index = records.firstIndex(where: { $0.stream == stream }) else { return nil }
    return records.remove(at: index)
  }

  /// The subscription of `stream`; nil when it has none here.
  public func record(of stream: StreamID) -> Record? {
    records.first { $0.stream == stream }
  }

  /// Changes the subscription of `stream`, if it has one here.
  public mutating func update(_ stream: StreamID, _ change: (inout Record) -> Void) {
    guard let index = records.firstIndex(where: { $0.stream == stream }) else { return }
    change(&records[index])
  }

  /// Lets the subscription of `stream`, if it has one here, go by what its user prefers now.
  public mutating func prefer(_ preferences: StreamPreferences, for stream: StreamID) {
    update(stream) { $0.heartbeat.prefer(preferences) }
  }

  /// Appends to `recipients` the streams whose subscription `wants` the sample of now.
  public mutating func select(
    at now: BootTime, into recipients: inout [StreamID], where wants: (inout Record) -> Bool
  ) {
    for index in records.indices where wants(&records[index]) {
      records[index].lastSent = now
      recipients.append(records[index].stream)
    }
  }

  /// Appends to `recipients` the streams that were silent for their heartbeat.
  public mutating func selectSilent(at now: BootTime, into recipients: inout [StreamID]) {
    select(at: now, into: &recipients) { record in
      record.heartbeat.interval > 0 && now - record.lastSent >= record.heartbeat.interval
    }
  }

  /// When the first heartbeat is due; nil when there is none.
  public var deadline: BootTime? {
    var earliest: BootTime?
    for record in records where record.heartbeat.interval > 0 {
      let due = record.lastSent + record.heartbeat.interval
      earliest = min(earliest ?? due, due)
    }
    return earliest
  }
}
