/// The receivers that gpsd lists, and which of them is in use.
struct ReceiverTable: Sendable {
  /// What is kept of each receiver.
  struct Record: Sendable {
    let name: String
    /// Of its newest SKY.
    var hdop: Double?
    var accuracy: AccuracyEstimator
    /// When its newest good fix came.
    fileprivate(set) var lastFix: BootTime?
    /// Since when its good fixes came without a long gap.
    fileprivate var goodSince: BootTime?
  }

  private let configuration: LocationEngine.Configuration
  private var records: [Record] = []
  private var activeSince = BootTime(nanoseconds: 0)
  /// Whether gpsd has said which receivers it has.
  private(set) var isKnown = false
  /// The receiver in use; nil when there is none.
  private(set) var active: String?

  init(_ configuration: LocationEngine.Configuration) {
    self.configuration = configuration
  }

  /// All that gpsd lists, in its order.
  var names: [String] { records.map(\.name) }

  /// When the receiver in use gave its newest good fix.
  var activeLastFix: BootTime? { records.first { $0.name == active }?.lastFix }

  /// Forgets all: there is no connection.
  mutating func reset() {
    records = []
    active = nil
    isKnown = false
  }

  /// Takes gpsd's list; chooses again when the receiver in use is gone.
  mutating func update(_ list: [String], at now: BootTime) {
    isKnown = true
    records = list.map { name in
      records.first { $0.name == name }
        ?? Record(name: name, accuracy: AccuracyEstimator(configuration, receiver: name))
    }
    guard !records.contains(where: { $0.name == active }) else { return }
    use(best(withFixAt: now) ?? byPreference.first?.name, at: now)
  }

  /// Counts a good fix of any receiver and switches where that is due.
  mutating func noteFix(of name: String, at receipt: BootTime) {
    guard let index = records.firstIndex(where: { $0.name == name }) else { return }
    let last = records[index].lastFix
    if last.map({ receipt - $0 >= configuration.leaveAfter }) ?? true {
      records[index].goodSince = receipt
    }
    records[index].lastFix = receipt
    guard name != active else { return }
    let quietSince = max(activeLastFix ?? activeSince, activeSince)
    if receipt - quietSince >= configuration.leaveAfter {
      use(best(withFixAt: receipt), at: receipt)
    } else if isPreferred(records[index], at: receipt) {
      use(name, at: receipt)
    }
  }

  /// Changes what is kept of a receiver, if it is listed.
  mutating func change<Result>(
    _ name: String?, _ body: (inout Record) -> Result
  ) -> Result? {
    guard let index = records.firstIndex(where: { $0.name == name }) else { return nil }
    return body(&records[index])
  }

  private mutating func use(_ name: String?, at now: BootTime) {
    active = name
    activeSince = now
  }

  /// Configured ones first, in that order, then the others in gpsd's.
  private var byPreference: [Record] {
    let configured = configuration.receivers.compactMap { name in
      records.first { $0.name == name }
    }
    return configured + records.filter { !configuration.receivers.contains($0.name) }
  }

  private func best(withFixAt now: BootTime) -> String? {
    byPreference.first { record in
      record.lastFix.map { now - $0 < configuration.leaveAfter } ?? false
    }?.name
  }

  private func isPreferred(_ record: Record, at now: BootTime) -> Bool {
    guard let goodSince = record.goodSince, now - goodSince >= configuration.returnAfter else {
      return false
    }
    let order = byPreference.map(\.name)
    guard let place = order.firstIndex(of: record.name),
      let activePlace = order.firstIndex(where: { $0 == active })
    else { return false }
    return place < activePlace
  }
}
